// Answers conformance requests by a page of a browser that is told: chromium or firefox. The page has
// the runner's modules, served from the folder that ../build made, and a policy without eval.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const programs = { chromium: ["chrome", "/usr/bin/chromium"], firefox: ["firefox", "/usr/bin/firefox-esr"] };
const [browser, executablePath] = programs[process.argv[2]] ?? [];
if (browser === undefined) {
  console.error(`usage: node bridge.mjs ${Object.keys(programs).join("|")}`);
  process.exit(2);
}

const modules = fileURLToPath(new URL("../out/js/", import.meta.url));
const page = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'self'"><script type="module" src="page.js"></script>`;
const script = `import { answer } from "./answers.js";
window.answer = (lines) => Promise.all(lines.map(answer));`;

const server = createServer((request, response) => {
  const path = normalize(request.url ?? "/");
  const text = path === "/" ? page : path === "/page.js" ? script : extname(path) === ".js" ? readFileSync(join(modules, path)) : undefined;
  response.writeHead(text === undefined ? 404 : 200, { "content-type": path === "/" ? "text/html" : "text/javascript" });
  response.end(text);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const userDataDir = mkdtempSync(join(tmpdir(), "bridge-"));
const running = await puppeteer.launch({
  browser, executablePath, userDataDir, headless: true,
  args: browser === "chrome" ? ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] : [],
});
const tab = await running.newPage();
tab.on("pageerror", (error) => console.error(error));
await tab.goto(`http://127.0.0.1:${server.address().port}/`);
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
await running.close();
server.close();
rmSync(userDataDir, { recursive: true, force: true });
