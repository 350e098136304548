// Pages of the browsers that MXP_BROWSERS names, when something fails: servers that are killed
// and drained, tabs that sleep, readers that stop, pages that are not let in. The library's modules are
// the output of `go run ./conformance/services/build typescript`.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serve as servePages, start } from "./page.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const modules = fileURLToPath(new URL("../../../services/out/src/typescript-new/js/", import.meta.url));
const script = readFileSync(join(here, "faults.page.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "faults-"));
/** The time that a server waits for a word of a page, in the tests of tabs that sleep: half as long
 * again. */
const pingMs = 1000;

before(() => execFileSync("go", ["build", "-o", join(folder, "server"), "./server"], { cwd: here }));
after(() => rmSync(folder, { recursive: true }));

/** Runs a server; gives where it is, and what ends it. */
async function serve(place = "127.0.0.1:0", ...options) {
  const program = spawn(join(folder, "server"), [...options, place], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => program.on("exit", (code, signal) => resolve(signal ?? code)));
  for await (const at of createInterface({ input: program.stdout })) {
    return { at, program, ended, end: (signal) => (program.kill(signal), ended), counts: async () => (await fetch(`http://${at}/counts`)).json() };
  }
  await sleep(20); // somebody is there still
  return serve(place, ...options);
}

/** The private memory of the browser's processes, in MiB. */
function memoryOf(pid) {
  const parents = new Map();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      parents.set(Number(name), Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))[1]));
    } catch {
      // it has ended
    }
  }
  const isOf = (one) => one === pid || (parents.has(one) && isOf(parents.get(one)));
  return [...parents.keys()].filter(isOf).reduce((sum, one) => {
    try {
      return sum + Number(/^RssAnon:\s*(\d+)/m.exec(readFileSync(`/proc/${one}/status`, "utf8"))?.[1] ?? 0) / 1024;
    } catch {
      return sum;
    }
  }, 0);
}

/** Waits until something is as it should be. */
async function until(what, ms = 10_000) {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(20)) {
    if (await what()) {
      return;
    }
  }
  assert.fail(`it is not so within ${ms} ms: ${what}`);
}

for (const name of (process.env.MXP_BROWSERS ?? "").split(" ").filter(Boolean)) {
  describe(name, { timeout: 240_000 }, () => {
    let browser;
    let pages;
    let server;
    let tab;

    before(async () => {
      browser = await start(name);
    });
    after(() => browser.close());

    /** Opens a page that is by its policy let to a server alone. */
    async function open(options = [], host = "127.0.0.1", at) {
      server = await serve("127.0.0.1:0", ...options);
      const place = at?.(server.at) ?? server.at;
      pages = await servePages(modules, { policy: `default-src 'self'; connect-src ws://${place}`, script });
      tab = await browser.running.newPage();
      await tab.goto(`http://${host}:${pages.port}/?at=${place}`);
      await tab.waitForFunction("window.test !== undefined", { polling: 50 });
    }
    const does = (what, ...given) => tab.evaluate((to, all) => window.test[to](...all), what, given);
    const total = async () => Object.values(await does("ends")).reduce((a, b) => a + b, 0);

    afterEach(async () => {
      await tab.close();
      pages.close();
      await server.end("SIGKILL");
    });

    test("a page whose policy lets nothing be evaluated calls", async () => {
      await open();
      assert.equal(await does("evaluated"), "EvalError");
      await does("call");
    });

    test("calls of a server that is killed end once, and the page finds the next one", async () => {
      await open();
      await does("begin", "wait", 100, 0);
      await until(async () => (await server.counts()).Now === 100);
      await server.end("SIGKILL");
      await until(async () => (await total()) === 100);
      assert.deepEqual(await does("ends"), { "14 session_lost acted": 100 });
      await does("forget");
      await does("begin", "echo", 10, 0); // while nobody is there
      await sleep(300);
      server = await serve(server.at);
      await until(async () => (await total()) === 10);
      assert.deepEqual(await does("ends"), { answered: 10 });
      assert.equal((await server.counts()).Begun, 10);
    });

    test("a server that drains answers what it has, and the page asks the next one", async (t) => {
      await open();
      await does("begin", "echo", 50, 400); // 400 to 449 ms
      await until(async () => (await server.counts()).Now === 50);
      const ended = server.end("SIGTERM");
      server = await serve(server.at);
      await does("begin", "echo", 50, 0);
      await until(async () => (await total()) === 100);
      assert.deepEqual(await does("ends"), { answered: 100 });
      assert.equal((await server.counts()).Begun, 50);
      assert.equal(await ended, 0);
      t.diagnostic(`a call takes ${(await does("call")).toFixed(1)} ms`);
    });

    test("a deadline ends a call on both sides, and so does who gives it up", async () => {
      await open();
      await does("begin", "wait", 10, 0, { timeoutMs: 100 });
      await until(async () => (await total()) === 10);
      assert.deepEqual(await does("ends"), { "4 deadline_exceeded acted": 10 });
      assert.equal(await does("cancelled", 100), "1 cancelled");
      await until(async () => (await server.counts()).Now === 0);
      assert.equal((await server.counts()).Begun, 11);
    });

    test("1,000 calls are in flight at once, and each has its answer", async () => {
      await open();
      await does("begin", "echo", 1000, 1000); // 1 to 2 s
      await until(async () => (await total()) === 1000);
      assert.deepEqual(await does("ends"), { answered: 1000 });
      const { Peak, Begun } = await server.counts();
      assert.deepEqual([Peak, Begun], [1000, 1000]);
    });

    /** Calls wait while something keeps the page from answering; they end once, and the page goes on. */
    async function asleep(sleeps) {
      await does("begin", "wait", 20, 0);
      await until(async () => (await server.counts()).Now === 20);
      await sleeps();
      await until(async () => (await total()) === 20);
      const ends = await does("ends");
      assert.equal(Object.keys(ends).length, 1);
      assert.match(Object.keys(ends)[0], /^14 .* acted$/);
      await does("call");
      await sleep(500);
      assert.equal(await total(), 20);
    }

    test("a page that does not answer for too long loses its connection, and makes another", async () => {
      await open(["-ping", String(pingMs)]);
      await asleep(() => does("block", 4 * pingMs));
    });

    test("a page that does not answer for a while loses nothing", async () => {
      await open(["-ping", String(pingMs)]);
      await does("begin", "echo", 20, 500);
      await does("block", pingMs);
      await until(async () => (await total()) === 20);
      assert.deepEqual(await does("ends"), { answered: 20 });
      assert.equal((await server.counts()).Begun, 20);
    });

    test("a tab that the browser freezes and resumes goes on", { skip: name !== "chromium" }, async () => {
      await open(["-ping", String(pingMs)]);
      const session = await tab.createCDPSession();
      await asleep(async () => {
        await session.send("Page.setWebLifecycleState", { state: "frozen" });
        await sleep(4 * pingMs);
        assert.equal((await server.counts()).Now, 0); // the server has waited for it no longer
        await session.send("Page.setWebLifecycleState", { state: "active" });
      });
    });

    test("1 GiB to a reader that stops is held on neither side, and comes when he goes on", async (t) => {
      await open();
      await does("call");
      const [pageBefore, { HeapBytes: serverBefore }] = [memoryOf(browser.running.process().pid), await server.counts()];
      await does("open", 16384);
      await sleep(2000);
      const { Sent, HeapBytes } = await server.counts();
      const page = memoryOf(browser.running.process().pid) - pageBefore;
      const heap = (HeapBytes - serverBefore) / 2 ** 20;
      t.diagnostic(`${Sent / 2 ** 20} MiB were sent; the browser has ${page.toFixed(1)} MiB more, the server's heap ${heap.toFixed(1)}`);
      assert(Sent <= 4 << 20, `${Sent} bytes were sent`);
      assert(page < 64 && heap < 16);
      let most = 0;
      const looks = setInterval(() => {
        most = Math.max(most, memoryOf(browser.running.process().pid) - pageBefore);
      }, 100);
      const begun = performance.now();
      assert.equal(await does("readAll"), 16384);
      clearInterval(looks);
      t.diagnostic(`the rest took ${((performance.now() - begun) / 1000).toFixed(1)} s, and the browser had ${most.toFixed(1)} MiB more at most`);
      assert(most < 512);
    });

    test("a page of localhost, where servers of developers are, is let in", async () => {
      await open([], "localhost");
      assert.equal(await does("connected", 5000), "connected");
    });

    /** Opens a page whose name leads to this machine, and looks whether it is refused. */
    async function refused(at) {
      const rules = name === "chromium" ? { further: ["--host-resolver-rules=MAP rebound.example 127.0.0.1"] } : { preferences: { "network.dns.forceResolve": "127.0.0.1" } };
      const usual = browser;
      browser = await start(name, rules);
      try {
        await open([], "rebound.example", at);
        assert.equal(await does("connected", 1500), "14 not_connected");
        assert((await server.counts()).Refused > 0);
      } finally {
        await browser.close();
        browser = usual;
        tab = { close: () => undefined };
      }
    }

    test("a page of another origin is refused", () => refused());

    test("a page whose own name leads to this machine is refused", () => refused((at) => `rebound.example:${at.split(":")[1]}`));
  });
}
