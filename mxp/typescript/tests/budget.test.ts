// Tests of what all connections of a server hold together: by numbers, and in a process of its own whose
// memory is looked at while hostile peers fill it.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, listen, type MxpError, Server, socketTransports } from "../src/node.js";
import { Budget, connectionBytes, type Member, type Share } from "../src/engine/budget.js";
import { forkProgram } from "./program.js";

const kib = 1024;
const mib = kib * kib;
const budgetBytes = Number(process.env["MXP_MEGABYTES"] ?? 64) * mib;
const peers = Number(process.env["MXP_HOSTILE"] ?? 60);
const lastsMs = Number(process.env["MXP_SECONDS"] ?? 2) * 1000;
const program = fileURLToPath(new URL("bounded.js", import.meta.url));

function resident(child: ChildProcess): number {
  return 4 * kib * Number(readFileSync(`/proc/${child.pid ?? 0}/statm`, "utf8").split(" ")[1]);
}

/** Members of a budget of 1 MiB that note what they are told. */
class Noted implements Member {
  woken = 0;
  pause = -1;
  ended = 0;
  crowded = 0;
  hungUp = 0;

  onBudget(pauseMs: number): void {
    this.woken++;
    this.pause = pauseMs;
  }

  onOverrun(): void {
    this.ended++;
  }

  onCrowded(): void {
    this.crowded++;
  }

  onHungUp(): void {
    this.hungUp++;
  }
}

function shared(): { all: Noted[]; weigh(i: number, held: number, after?: number, unsent?: number): boolean; budget: Budget; shares: Share[] } {
  const budget = new Budget(2 * mib);
  const all = [new Noted(), new Noted(), new Noted()];
  const shares = all.map((one) => budget.join(one));
  return { all, budget, shares, weigh: (i, held, after = 0, unsent = 0) => budget.weigh(shares[i] as Share, held * kib, unsent * kib, 100_000 + after) };
}

const ended = (all: Noted[]): number[] => all.map((one) => one.ended);
const woken = (all: Noted[]): number[] => all.map((one) => one.woken);

// [MXP-15.5]
test("connections that are gone leave a sixteenth, and those that leave most drop it", () => {
  const { all, budget, shares } = shared();
  const room = 64 * kib - 2 * connectionBytes;
  const leave = (i: number, bytes: number): void => budget.orphans(shares[i] as Share, bytes);
  const crowded = (): number[] => all.map((one) => one.crowded);
  leave(0, 30_000);
  leave(1, room - 30_000);
  assert.deepEqual(crowded(), [0, 0, 0]);
  leave(1, room - 30_000 + 1);
  assert.deepEqual(crowded(), [1, 0, 0]);
  leave(0, 30_000); // it drops them, and counts no more
  leave(2, 29_999);
  assert.deepEqual(crowded(), [1, 0, 0]);
  leave(2, 30_000);
  assert.deepEqual(crowded(), [1, 0, 1]);
  budget.leave(shares[1] as Share, 0);
  assert.deepEqual(ended(all), [0, 0, 0]);
});

// [MXP-15.3]
test("of those whose peers have hung up eight are read at once", () => {
  const budget = new Budget(2 * mib);
  const all = Array.from({ length: 10 }, () => new Noted());
  const shares = all.map((one) => budget.join(one));
  const read = (): number => all.reduce((n, { hungUp }) => n + hungUp, 0);
  for (const share of [...shares, ...shares]) {
    budget.hangsUp(share);
  }
  assert.equal(read(), 8);
  budget.ends(shares[9] as Share); // it was not read
  assert.equal(read(), 8);
  budget.ends(shares[0] as Share);
  assert.equal(read(), 9);
  assert.equal(all[8]?.hungUp, 1);
});

// [MXP-15.4]
test("one of many is ended that holds more than its even part", () => {
  const budget = new Budget(2 * mib);
  const all = Array.from({ length: 64 }, () => new Noted());
  const shares = all.map((one) => budget.join(one));
  for (const share of shares) {
    budget.weigh(share, 16 * kib, 0, 0);
  }
  assert.ok(all.every((one) => one.ended === 0));
  budget.weigh(shares[5] as Share, 16 * kib + 1, 0, 0);
  assert.deepEqual(all.map((one, i) => [i, one.ended]).filter(([, n]) => n !== 0), [[5, 1]]);
});

// [MXP-15.4]
test("that which holds most is ended, of those first that don't move", () => {
  const { all, weigh } = shared();
  weigh(0, 300);
  weigh(1, 400);
  weigh(2, 60);
  assert.equal(weigh(1, 700), false);
  assert.deepEqual(ended(all), [0, 1, 0]);
  const moving = shared();
  moving.weigh(0, 400);
  moving.weigh(1, 300);
  for (let i = 0; i < 12; i++) {
    moving.weigh(0, 0);
    moving.weigh(0, 400);
  }
  moving.weigh(2, 400, 900);
  assert.deepEqual(ended(moving.all), [0, 0, 1]);
  moving.weigh(1, 700, 1900);
  assert.deepEqual(ended(moving.all), [0, 1, 1]);
  moving.weigh(0, 1100, 2500);
  assert.deepEqual(ended(moving.all), [1, 1, 1]);
});

test("those that are not read are woken one after the other", () => {
  const { all, budget, shares, weigh } = shared();
  assert(weigh(0, 500));
  assert.equal(weigh(1, 350), false);
  assert.equal(weigh(2, 375), false);
  assert.deepEqual(ended(all), [1, 0, 0]);
  budget.leave(shares[0] as Share, 100_000);
  assert.deepEqual(woken(all), [0, 1, 0]);
  budget.awoke(shares[2] as Share, 100_000);
  assert.deepEqual(woken(all), [0, 1, 0]);
  budget.awoke(shares[1] as Share, 100_000);
  assert.deepEqual(woken(all), [0, 1, 1]);
  assert(weigh(1, 340));
});

// [MXP-15.2]
test("what waits for grants is a reason not to read only where none come", () => {
  const { weigh } = shared();
  assert.equal(weigh(0, 900, 0, 800), false);
  assert.equal(weigh(0, 890, 0, 800), true);
  assert.equal(weigh(0, 890, 3000, 800), false);
});

// A read brings many requests, each of which costs more than its bytes. [MXP-15.4]
test("requests of one read stay within the budget, and those that nobody has room for don't begin", async () => {
  let begun = 0;
  const server = new Server({ memoryBytes: mib });
  const stream = { service: "demo.Bounded", name: "unread", number: 3, idempotent: false };
  const echo = { ...stream, name: "echo", number: 1 };
  server.add("demo.Bounded", [{ ...echo, answer: async (value) => value }, { ...stream, stream: (_, __, { signal }) => {
    begun++;
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  } }], []);
  const listener = await listen("mxp+tcp://127.0.0.1:0", (wire) => server.accept(wire));
  const make = (): Client => new Client(listener.address, { transports: socketTransports() });
  const [other, greedy] = [make(), make()];
  await other.call(echo, new Uint8Array(1));
  await greedy.connected();
  const opened = await Promise.all(Array.from({ length: 900 }, () => greedy.open(stream, new Uint8Array(0), true)));
  const ends = await Promise.allSettled(opened.map((one) => one.next()));
  assert(ends.every((end) => end.status === "rejected" && (end.reason as MxpError).code === "limit_server_bytes"));
  assert(begun > 100 && begun < 600, `${begun} have begun`);
  await other.call(echo, new Uint8Array(1));
  await Promise.all([other.close(), greedy.close()]);
  listener.close();
  await server.close();
});

// [MXP-15.3] [MXP-15.4]
test("hostile peers make a server hold no more than its budget, and no other client wait for long", { skip: process.platform !== "linux" || "Deno" in globalThis || "Bun" in globalThis }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "mxp-"));
  const path = join(folder, "s.sock");
  const child = forkProgram(program, ["serve", path, String(budgetBytes)]);
  const client = new Client(`mxp+unix://${path}`, { transports: socketTransports() });
  let attackers: ChildProcess | undefined;
  try {
    await once(child, "message");
    const echo = { service: "demo.Bounded", name: "echo", number: 1, idempotent: false };
    await client.call(echo, new Uint8Array(64));
    const before = resident(child);
    attackers = forkProgram(program, ["attack", path, String(peers), String(lastsMs)]);
    const all = once(attackers, "message") as Promise<[string[]]>;
    let isOver = false;
    void all.then(() => {
      isOver = true;
    });
    let [most, calls, longest] = [0, 0, 0];
    while (!isOver) {
      const began = performance.now();
      await client.call(echo, new Uint8Array(64), { timeoutMs: lastsMs });
      longest = Math.max(longest, performance.now() - began);
      calls++;
      most = Math.max(most, resident(child));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const [ends] = await all;
    const refused = ends.filter((end) => end === "limit_server_bytes").length;
    const says = `${peers} peers, a budget of ${budgetBytes / mib} MiB: ${Math.round(before / mib)} MiB before, ${Math.round(most / mib)} at most; ${calls} calls, the longest of ${Math.round(longest)} ms; ${refused} of ${ends.length} ended by limit_server_bytes`;
    console.log(says);
    assert(most < before + budgetBytes * 1.25, says); // the rest waits for the collector
    assert(most > before + budgetBytes * 0.375, says); // scarce from there on: peers that leave more show nothing
    assert(ends.every((end) => end === "limit_server_bytes"), ends.join(" "));
  } finally {
    child.kill("SIGKILL");
    attackers?.kill("SIGKILL");
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
