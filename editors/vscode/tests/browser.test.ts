// The extension in VS Code, with the language server behind it: VS Code's own server, which
// tests/install-code lays into target, shows it in headless Chromium.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import manifest from "../package.json" with { type: "json" };
import { builtTool } from "./tool.ts";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core") as typeof import("playwright-core");

const target = path.join(import.meta.dirname, "../../../target");
const code = path.join(target, "code/node_modules/code-server/lib/vscode");
const folder = mkdtempSync(path.join(tmpdir(), "sdp-code-"));
const ends: (() => Promise<unknown> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
after(async () => {
  for (const end of ends.reverse()) await end();
});

/** work is the folder that is opened. */
const work = path.join(folder, "work");
mkdirSync(work);

const schema = `/// One of ours.
@id(1)
struct Mine {
    name: str,
    kind: Missing,
}
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** folders have what the servers write, by their ports. */
const folders = new Map<number, string>();

/** serve starts VS Code's server with the extension, and with settings for the whole machine. */
async function serve(settings: object): Promise<number> {
  const data = mkdtempSync(path.join(folder, "data-"));
  mkdirSync(path.join(data, "data/Machine"), { recursive: true });
  const quiet = { "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off" };
  writeFileSync(path.join(data, "data/Machine/settings.json"), JSON.stringify({ ...quiet, ...settings }));
  const extensions = path.join(data, "extensions");
  const program = [path.join(code, "out/server-main.js"), "--accept-server-license-terms", "--extensions-dir", extensions, "--server-data-dir", data];
  execFileSync("node", [...program, "--install-extension", path.join(target, `sdp-${manifest.version}.vsix`)]);
  const port = await freePort();
  folders.set(port, data);
  const server = spawn("node", [...program, "--host", "127.0.0.1", "--port", String(port), "--without-connection-token"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => server.once("exit", resolve));
  ends.push(() => {
    server.kill();
    return exited;
  });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    server.stdout.on("data", (text) => {
      said += String(text);
      if (said.includes("Web UI available")) resolve();
    });
    server.once("exit", () => reject(new Error(`VS Code's server has ended: ${said}`)));
  });
  return port;
}

async function browser(): Promise<Browser> {
  const started = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  ends.push(() => started.close());
  return started;
}

/** open shows a file in a page. */
async function open(port: number, file: string): Promise<Page> {
  const page = await (await browser()).newPage({ viewport: { width: 1200, height: 700 } });
  page.setDefaultTimeout(60_000);
  const payload = JSON.stringify([["openFile", `vscode-remote://127.0.0.1:${port}${file}`]]);
  await page.goto(`http://127.0.0.1:${port}/?folder=${path.dirname(file)}&payload=${encodeURIComponent(payload)}`);
  await page.getByRole("button", { name: "Yes, I trust the authors" }).click();
  await page.waitForSelector(".view-line");
  return page;
}

/** answered is how many language servers the extension has begun to start, by its log. */
function answered(port: number): number {
  const data = folders.get(port) ?? "";
  const logs = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => path.basename(name) === "SDP.log");
  return logs.flatMap((name) => readFileSync(path.join(data, name), "utf8").match(/ is release /g) ?? []).length;
}

/** colours are the colours that words have in the editor. */
function colours(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => {
    const found: Record<string, string> = {};
    for (const span of document.querySelectorAll(".view-line span span")) {
      for (const word of (span.textContent ?? "").match(/[@\w]+/g) ?? []) found[word] ??= getComputedStyle(span).color;
    }
    return found;
  });
}

test("schemas have colours, and problems of the language server", { timeout: 300_000 }, async () => {
  const port = await serve({ "sdp.path": builtTool(), "editor.semanticHighlighting.enabled": false });
  const file = path.join(work, "mine.sdp");
  writeFileSync(file, schema);
  const page = await open(port, file);
  await page.waitForSelector(".squiggly-error");
  await page.waitForFunction(() => document.querySelectorAll(".view-line span span").length > 10);
  const seen = await colours(page);
  const different = new Set(["One", "struct", "Mine", "1"].map((word) => seen[word]));
  assert.equal(different.size, 4, `comments, keywords, types and numbers look alike: ${JSON.stringify(seen)}`);
  assert.equal(seen["name"], seen["kind"]);
  assert.equal(seen["Missing"], seen["Mine"]);
  if (process.env["SDP_SCREENSHOT"] !== undefined) await page.screenshot({ path: process.env["SDP_SCREENSHOT"] });

  // A fault is put right, as a person types.
  await page.getByText("Missing").first().dblclick();
  await page.keyboard.type("u8");
  await page.waitForFunction(() => document.querySelector(".squiggly-error") === null);

  // The server that was started anew answers, too, and its release is shown.
  await page.keyboard.press("F1");
  await page.keyboard.type("SDP: Restart Language Server");
  await page.getByRole("option", { name: "SDP: Restart Language Server" }).first().click();
  await page.locator(".view-lines").getByText("u8").first().dblclick();
  await page.keyboard.type("Other");
  await page.waitForSelector(".squiggly-error");
  await page.locator('[id="status.languageStatus"]').hover();
  await page.getByText(`sdp ${manifest.version}`).first().waitFor();
  assert.equal(answered(port), 2, "servers were started");
});

test("a program that is not there is told, with what to do", { timeout: 300_000 }, async () => {
  const port = await serve({ "sdp.path": "/nowhere/sdp" });
  const file = path.join(work, "alone.sdp");
  writeFileSync(file, schema);
  const page = await open(port, file);
  await page.waitForFunction(() => document.body.textContent?.includes("There is no program at /nowhere/sdp."));
  for (const button of ["Open Settings", "How to Install", "Show Output"]) {
    assert.ok(await page.getByRole("button", { name: button }).first().isVisible(), `there is no button ${button}`);
  }
  assert.ok(new Set(Object.values(await colours(page))).size > 3, "there are no colours without the program");
});
