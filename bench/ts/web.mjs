// Measures what web_calls.mjs times, in Node and, where that is installed, in Chromium, and writes
// bench/results/typescript_web.json: `node --experimental-websocket web.mjs [ROUNDS]`.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import os from "node:os";
import { createInterface } from "node:readline";
import { start } from "../../conformance/runners/typescript/browser/page.mjs";
import { measure } from "./out/web/calls.js";

const rounds = Number(process.argv[2] ?? 15);
const server = spawn("./out/server", ["out/web"], { stdio: ["ignore", "pipe", "inherit"] });
const [place] = await new Promise((resolve) => {
  createInterface({ input: server.stdout }).once("line", (line) => resolve([line]));
});
const told = process.env.TELL === undefined ? () => undefined : (one) => console.error(one);
const load = os.loadavg()[0];
const engines = [{ engine: `Node ${process.versions.node}`, ...(await measure(place, rounds, told)) }];

const { running, close } = await start("chromium");
const page = await running.newPage();
await page.goto(`http://${place}/`);
await page.waitForFunction("window.measure !== undefined");
page.setDefaultTimeout(0);
await page.evaluate((n) => {
  measure(location.host, n, () => undefined).then((results) => {
    window.results = results;
  });
}, rounds);
await page.waitForFunction("window.results !== undefined", { polling: 500 });
engines.push({ engine: (await running.version()).replace(/^Headless/, ""), ...(await page.evaluate("results")) });
await close();
server.kill();

const results = { machine: `${os.cpus()[0]?.model ?? "?"}, ${os.cpus().length} processors`, load: Number(load.toFixed(1)), rounds, engines };
console.log(JSON.stringify(results, null, 2));
writeFileSync("../results/typescript_web.json", `${JSON.stringify(results, null, 2)}\n`);
