// Answers conformance requests by a page of a browser that is told: chromium or firefox. The page has
// the runner's modules, from the folder that ../build made, and a policy without eval.
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { open } from "./page.mjs";

const { tab, close } = await open(process.argv[2], fileURLToPath(new URL("../out/js/", import.meta.url)), {
  policy: "default-src 'self'",
  script: `import { answer } from "./answers.js";
window.answer = (lines) => Promise.all(lines.map(answer));`,
});
await tab.visit();
await tab.waitForFunction("window.answer !== undefined");

// Lines that have come together are asked together: a question to a browser takes a millisecond.
let waiting = [];
let asking = Promise.resolve();
function ask() {
  asking = asking.then(async () => {
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) {
      const answers = await tab.evaluate((all) => window.answer(all), lines);
      process.stdout.write(`${answers.join("\n")}\n`);
    }
  });
}
for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  if (line.trim() !== "") {
    waiting.push(line);
    ask();
  }
}
await asking;
await close();
