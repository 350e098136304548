// Tests of clients of several addresses [MXP-14.9] [MXP-14.10] [MXP-14.11].
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Candidate, lessBusy } from "../src/engine/balancer.js";
import { Outlier } from "../src/engine/outlier.js";
import { Client, type ClientOptions, type Context, listen, type Listener, MxpError, Server, socketTransports, type Wire } from "../src/node.js";

const folder = mkdtempSync(join(tmpdir(), "mxp-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const transports = socketTransports();
const find = { service: "demo.Shop", name: "find", number: 1, idempotent: true };
const sell = { service: "demo.Shop", name: "sell", number: 2, idempotent: false };
const nothing = new Uint8Array(0);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One of several servers of the same. */
class Replica {
  static #made = 0;
  readonly address: string;
  connections = 0;
  calls = 0;
  cancelled = 0;
  /** Calls whose handlers run, by the method's name. */
  readonly running: Record<string, number> = { find: 0, sell: 0 };
  /** The failure that ends its calls; "waits" answers none. */
  failure: MxpError | "waits" | undefined;
  /** The time that its answers take, in milliseconds. */
  delay = 0;
  #server = new Server();
  #listener: Listener | undefined;
  readonly #wires = new Set<Wire>();

  constructor(address = `mxp+unix://${join(folder, `${Replica.#made++}.sock`)}`) {
    this.address = address;
  }

  async start(): Promise<void> {
    this.#server = new Server();
    const answer = async (_: Uint8Array, { signal, asked: { name } }: Context): Promise<Uint8Array> => {
      this.calls++;
      if (this.delay > 0) {
        this.running[name] = (this.running[name] ?? 0) + 1;
        await pause(this.delay);
        this.running[name]--;
      }
      if (this.failure !== "waits") {
        return this.failure === undefined ? Promise.resolve(nothing) : Promise.reject(this.failure);
      }
      return new Promise((_, reject) => signal.addEventListener("abort", () => {
        this.cancelled++;
        reject(new MxpError(1, "cancelled"));
      }));
    };
    this.#server.add("demo.Shop", [{ ...find, answer }, { ...sell, answer }], []);
    this.#listener = await listen(this.address, (wire) => {
      this.connections++;
      this.#wires.add(wire);
      this.#server.accept(wire);
    });
  }

  prometheus(): string {
    return this.#server.prometheus();
  }

  /** Ends as a process does that is killed: nobody is told anything. */
  kill(): void {
    this.#listener?.close();
    for (const wire of this.#wires) {
      wire.destroy();
    }
    this.#wires.clear();
  }

  async stop(): Promise<void> {
    this.#listener?.close();
    await this.#server.close();
  }
}

async function replicated(n: number, options: Partial<ClientOptions> = {}): Promise<{ all: Replica[]; client: Client; stop(): Promise<void> }> {
  const all = Array.from({ length: n }, () => new Replica());
  await Promise.all(all.map((one) => one.start()));
  const client = new Client(all.map(({ address }) => address), { transports, ...options });
  await until(async () => {
    await client.call(find, nothing, { timeoutMs: 10_000 }); // the policy of a test has less, and no connection is there yet
    return all.every(({ calls }) => calls > 0);
  });
  for (const one of all) {
    one.calls = 0;
  }
  return { all, client, stop: async () => {
    await client.close();
    await Promise.all(all.map((one) => one.stop()));
  } };
}

/** Waits until something holds, and fails when it has not in 10 s. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const late = performance.now() + 10_000;
  while (!(await holds())) {
    assert(performance.now() < late, "it has not come in 10 s");
    await pause(1);
  }
}

/** A number of Prometheus' text. */
function counted(of: Client | Server, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(of.prometheus())?.[1]);
}

/** How many of some calls fail, one after the other. */
async function failures(client: Client, n: number): Promise<number> {
  let failed = 0;
  for (; n > 0; n--) {
    await client.call(find, nothing).catch(() => failed++);
  }
  return failed;
}

test("requests go to all addresses, and to the less busy of them", async () => {
  const { all, client, stop } = await replicated(3);
  assert.equal(client.address, "");
  await Promise.all(Array.from({ length: 300 }, () => client.call(find, nothing)));
  assert(all.every(({ calls }) => calls > 60), all.map(({ calls }) => calls).join());
  const busy = all[0] as Replica;
  busy.calls = 0;
  busy.failure = "waits";
  const signal = new AbortController();
  const waiting = Array.from({ length: 30 }, () => client.call(find, nothing, { signal: signal.signal }).catch(() => undefined));
  await until(() => busy.calls > 0);
  await pause(20);
  const before = busy.calls;
  busy.failure = undefined;
  for (let n = 0; n < 90; n++) {
    await client.call(find, nothing); // on an idle one: one of the two that are drawn is
  }
  assert.equal(busy.calls, before);
  signal.abort();
  await Promise.all(waiting);
  await stop();
});

test("the less busy of two is chosen, whichever comes first, and any of more", () => {
  const make = (inFlight: number): Candidate => ({ link: { inFlight, outlier: new Outlier(() => 1) } });
  const [idle, busy, busier] = [make(0), make(5), make(9)];
  const chosen = new Set(Array.from({ length: 200 }, () => lessBusy([busier, idle, busy], false, Math.random)));
  assert.deepEqual(chosen, new Set([idle, busy])); // the busiest is never of fewer than another
  assert.equal(lessBusy([busy], false, Math.random), busy);
  assert.equal(lessBusy([], false, Math.random), undefined);
});

test("an address that is lost is left out until it is back, and no call fails", async () => {
  const { all, client, stop } = await replicated(3, { retry: { leastPauseMs: 1, budget: 1 } });
  let stopping = false;
  let answered = 0;
  const load = Array.from({ length: 8 }, async () => {
    while (!stopping) {
      await client.call(find, nothing);
      answered++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  for (const one of all) {
    await one.stop();
    const enough = answered + 200;
    const before = one.calls;
    await until(() => answered > enough);
    assert.equal(one.calls, before);
    await one.start();
    await until(() => one.calls > before);
  }
  stopping = true;
  await Promise.all(load); // none has failed
  await stop();
});

test("servers that are killed one after the other under load lose no call of an idempotent method", async () => {
  const { all, client, stop } = await replicated(3, { retry: { leastPauseMs: 1, budget: 1 } });
  for (const one of all) {
    one.delay = 5;
  }
  let stopping = false;
  let answered = 0;
  const lost: MxpError[] = [];
  const load = Array.from({ length: 12 }, async (_, n) => {
    while (!stopping) {
      await (n < 8 ? client.call(find, nothing) : client.call(sell, nothing).catch((error: MxpError) => lost.push(error)));
      answered++;
    }
  });
  for (const [n, one] of all.entries()) {
    await until(() => Object.values(one.running).every((running) => running > 0));
    const before = lost.length;
    one.kill();
    await until(() => lost.length > before); // those that are not idempotent are told
    assert(lost.length - before <= 4, `kill ${n + 1} has lost ${lost.length - before} calls of 4 callers`);
    const enough = answered + 50;
    await until(() => answered > enough);
    await one.start();
    const { calls } = one;
    await until(() => one.calls > calls);
  }
  stopping = true;
  await Promise.all(load); // none of the idempotent ones has failed
  assert(lost.every(({ status, acted }) => status === 14 && acted), lost.map(String).join());
  assert(counted(client, "mxp_retries_total") >= 3);
  await stop();
});

test("options that can't be are refused by their names", () => {
  const wrong: [Partial<ClientOptions>, RegExp][] = [
    [{ retry: { budget: -1 } }, /retry.budget is -1/], [{ retry: { hedgeMs: NaN } }, /retry.hedgeMs is NaN/], [{ retry: { attempts: -2 } }, /retry.attempts is -2/], [{ retry: { hedgeMs: Infinity } }, /retry.hedgeMs is Infinity/],
    [{ connections: -1 }, /connections is -1/], [{ connections: 1.5 }, /connections is 1.5/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(() => new Client("mxp+unix:///a", { transports, ...options }), { name: "RangeError", message });
  }
});

test("times may be longer than a timer's, and endless", async () => {
  const one = new Replica();
  const client = new Client(one.address, { transports, connectTimeoutMs: Infinity });
  const calls = [2 ** 40, Infinity].map((timeoutMs) => client.call(find, nothing, { timeoutMs }));
  await pause(20);
  one.delay = 20;
  await one.start();
  await Promise.all(calls);
  await client.close();
  await one.stop();
});

test("a pause before a repetition ends with its call's signal, and a policy's timeout is not that of `connected`", async () => {
  const { all, client, stop } = await replicated(1, { retry: { leastPauseMs: 60_000, greatestPauseMs: 60_000, timeoutMs: 100_000 } });
  (all[0] as Replica).failure = new MxpError(14, "sick");
  const over = new AbortController();
  const call = client.call(find, nothing, { signal: over.signal });
  await until(() => counted(client, "mxp_retries_total") === 1);
  const begun = performance.now();
  over.abort();
  await assert.rejects(call, { code: "cancelled" });
  assert(performance.now() - begun < 10_000);
  await stop();
  const late = new Replica();
  const waits = new Client(late.address, { transports, retry: { timeoutMs: 1 } });
  const connected = waits.connected();
  await pause(20);
  await late.start();
  await connected;
  await waits.close();
  await late.stop();
});

test("several connections to one address", async () => {
  const one = new Replica();
  await one.start();
  const client = new Client(one.address, { transports, connections: 3 });
  await Promise.all(Array.from({ length: 50 }, () => client.call(find, nothing)));
  assert.equal(client.address, one.address);
  await client.close();
  await one.stop();
});

test("a failure to connect tells each address with its cause, at once if none may heal", async () => {
  assert.throws(() => new Client([], { transports }), { code: "address_invalid" });
  assert.throws(() => new Client(["mxp+unix:///a", "nowhere"], { transports }), { code: "address_invalid" });
  const gone = [1, 2].map((n) => `mxp+unix://${join(folder, `gone${n}`)}`);
  const client = new Client(gone, { transports, connectTimeoutMs: 50 });
  await assert.rejects(client.call(find, nothing), (error: MxpError) => error.code === "not_connected" && error.status === 14 && gone.every((address) => error.text.includes(address)));
  await client.close();
  const wrong = new Client(["mxp+unix://relative", "mxp+unix://too"], { transports });
  await assert.rejects(wrong.call(find, nothing), (error: MxpError) => error.code === "address_invalid" && error.text.includes("relative") && error.text.includes("; "));
  await wrong.close();
  const half = new Client(["mxp+unix://relative", gone[0] as string], { transports, connectTimeoutMs: 50 });
  await assert.rejects(half.call(find, nothing), { code: "not_connected", status: 14 });
  await half.close();
});

test("requests are made on other connections than an outlier, and on it again later", async () => {
  for (const keepOutliers of [false, true]) {
    const { all, client, stop } = await replicated(3, { keepOutliers });
    const sick = all[0] as Replica;
    sick.failure = new MxpError(14, "sick");
    const failed = await failures(client, 200);
    assert(keepOutliers ? failed > 30 : failed >= 5 && failed <= 10, `${failed} of 200 failed`);
    assert(counted(client, "mxp_outliers_total") > 0);
    if (!keepOutliers) {
      sick.failure = undefined;
      const before = sick.calls;
      await until(async () => (await failures(client, 1)) === 0 && sick.calls > before);
      for (const one of all.slice(1)) {
        one.failure = new MxpError(13, "sick");
      }
      const most = await failures(client, 200);
      assert(most > 30, `${most} of 200 failed, where two of three fail`);
    }
    await stop();
  }
});

test("a row of failures that speak of the peer makes an outlier, and nothing else does", () => {
  const failed = (status: number, acted: boolean) => ({ status, acted });
  const ends: [string, { status: number; acted: boolean } | undefined, boolean][] = [
    ["unknown", failed(2, false), true], ["internal", failed(13, true), true], ["unavailable", failed(14, false), true],
    ["data loss", failed(15, false), true], ["too late, sent", failed(4, true), true], ["too late, not sent", failed(4, false), false],
    ["cancelled", failed(1, true), false], ["not found", failed(5, true), false], ["no room", failed(8, false), false], ["well", undefined, false],
  ];
  for (const [name, end, out] of ends) {
    const one = new Outlier(() => 1);
    for (let n = 0; n < 5; n++) {
      assert(!one.leftOut, name);
      one.ended(end);
    }
    assert.equal(one.leftOut, out, name);
  }
});

test("an outlier is left out for twice the time each time, up to 30 s, until a request ends well", () => {
  let now = 1000;
  const one = new Outlier(() => now);
  const sick = { status: 14, acted: false };
  for (let n = 0; n < 4; n++) {
    one.ended(sick);
  }
  one.ended({ status: 1, acted: true }); // which ends no row
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    one.ended(sick);
    one.ended(sick); // made before, and not counted
    now += seconds * 1000 - 1;
    assert(one.leftOut, `after ${seconds} s less 1 ms`);
    now += 1;
    assert(!one.leftOut, `after ${seconds} s`);
  }
  one.ended();
  one.ended(sick);
  assert(!one.leftOut);
});

test("a call without an answer is made on another connection, too, and the first answer counts", async () => {
  const { all, client, stop } = await replicated(2, { retry: { hedgeMs: 20, budget: 1 }, keepOutliers: true });
  const [slow, quick] = all as [Replica, Replica];
  slow.failure = "waits";
  for (let n = 0; n < 20; n++) {
    await client.call(find, nothing);
  }
  await until(() => slow.cancelled === slow.calls);
  assert(slow.calls > 0);
  assert.equal(quick.calls, 20);
  // There are no more connections than two.
  quick.failure = "waits";
  const before = slow.calls;
  await assert.rejects(client.call(find, nothing, { timeoutMs: 400 }), { code: "deadline_exceeded" });
  assert.equal(slow.calls - before + quick.calls - 20, 2);
  // A call that is not idempotent is made once.
  await assert.rejects(client.call(sell, nothing, { timeoutMs: 80 }), { code: "deadline_exceeded" });
  assert.equal(slow.calls - before + quick.calls - 20, 3);
  await stop();
});

test("hedges make a slow server's calls quick, for as much as the budget has", async () => {
  const slowMs = 800;
  const calls = 100;
  const timed = async (client: Client): Promise<number> => {
    const begun = performance.now();
    await client.call(find, nothing);
    return performance.now() - begun;
  };
  const plain = await replicated(3);
  (plain.all[0] as Replica).delay = slowMs;
  await until(async () => (await timed(plain.client)) >= slowMs - 5);
  await plain.stop();
  // As much as is asked for: the 99th of a hundred takes no longer than a hedge and a call.
  const { all, client, stop } = await replicated(3, { retry: { hedgeMs: 5, budget: 1 } });
  const slow = all[0] as Replica;
  slow.delay = slowMs;
  const took: number[] = [];
  for (let n = 0; n < calls; n++) {
    took.push(await timed(client));
  }
  const p99 = took.sort((a, b) => a - b)[Math.ceil(0.99 * calls) - 1] as number;
  assert(p99 < slowMs * 0.75, `p99 is ${p99} ms`);
  assert(slow.calls > 0);
  await stop();
  // A tenth: some of the slow replica's requests wait.
  const scarce = await replicated(2, { retry: { hedgeMs: 5 } });
  (scarce.all[0] as Replica).delay = 25;
  const before = counted(scarce.client, "mxp_retries_total");
  await until(async () => {
    await scarce.client.call(find, nothing);
    return counted(scarce.client, "mxp_retries_over_budget_total") > 5;
  });
  const made = scarce.all.reduce((sum, one) => sum + one.calls, 0);
  const hedges = counted(scarce.client, "mxp_retries_total") - before;
  assert(hedges >= 9 && hedges <= 10 + 0.1 * (made - hedges), `${hedges} hedges of ${made - hedges} calls`);
  await scarce.stop();
});

test("a call is made as often as the policy says, hedges included", async () => {
  const { all, client, stop } = await replicated(4, { retry: { hedgeMs: 10, attempts: 3, budget: 1 } });
  for (const one of all) {
    one.failure = "waits";
  }
  await assert.rejects(client.call(find, nothing, { timeoutMs: 500 }), { code: "deadline_exceeded", acted: true });
  assert.equal(all.reduce((sum, { calls }) => sum + calls, 0), 3);
  await until(() => all.reduce((sum, { cancelled }) => sum + cancelled, 0) === 3);
  await stop();
});

test("while one is in flight, a failure that speaks of the peer is waited out", async () => {
  const { all, client, stop } = await replicated(2, { retry: { hedgeMs: 10, attempts: 2, budget: 1 }, keepOutliers: true });
  const [sick, slow] = all as [Replica, Replica];
  sick.failure = new MxpError(14, "sick");
  sick.delay = 30;
  slow.delay = 60;
  for (let n = 0; n < 6; n++) {
    await client.call(find, nothing);
  }
  assert.equal(sick.calls, 6);
  assert.equal(slow.calls, 6);
  await stop();
});

test("a client whose server drains connects anew at once, while what is in flight goes on", async () => {
  const one = new Replica();
  await one.start();
  const client = new Client(one.address, { transports });
  await client.connected();
  one.failure = "waits";
  const over = new AbortController();
  const waiting = client.call(find, nothing, { signal: over.signal }).catch(({ code }: MxpError) => code);
  await until(() => one.calls === 1);
  const next = new Replica(one.address);
  const stopped = one.stop();
  await next.start();
  await until(() => next.connections === 1); // nothing was asked
  over.abort();
  assert.equal(await waiting, "cancelled");
  await stopped;
  await client.close();
  await next.stop();
});

test("hedges are paid for, and a failure that speaks of the call ends it", async () => {
  const { all, client, stop } = await replicated(2, { retry: { hedgeMs: 5, budget: 0 }, keepOutliers: true });
  const [slow, quick] = all as [Replica, Replica];
  slow.failure = "waits";
  let late = 0;
  for (let n = 0; n < 60; n++) {
    await client.call(find, nothing, { timeoutMs: 200 }).catch((error: MxpError) => {
      assert.equal(error.code, "deadline_exceeded");
      late++;
    });
  }
  assert.equal(slow.calls - late, 10); // of those that waited, as many were made again as the budget had
  quick.failure = new MxpError(5, "none");
  slow.failure = undefined;
  const ends = await Promise.all(Array.from({ length: 20 }, () => client.call(find, nothing).then(() => 0, ({ status }: MxpError) => status)));
  assert.deepEqual(new Set(ends), new Set([0, 5]));
  await stop();
});

test("requests that are told no timeout have that of the policy", async () => {
  const { all, client, stop } = await replicated(1, { retry: { timeoutMs: 50 } });
  (all[0] as Replica).failure = "waits";
  await assert.rejects(client.call(find, nothing), { code: "deadline_exceeded" });
  const begun = performance.now();
  await assert.rejects(client.call(sell, nothing, { timeoutMs: 150 }), { code: "deadline_exceeded" });
  assert(performance.now() - begun > 120);
  await stop();
});

test("counters are those of all connections, of those that are gone, too", async () => {
  const { all, client, stop } = await replicated(2);
  const answered = (text: string): number => Number(/^mxp_call_seconds_count (\d+)$/m.exec(text)?.[1]);
  const before = answered(client.prometheus());
  const [one, other] = all as [Replica, Replica];
  await one.stop();
  await failures(client, 10);
  assert.equal(answered(client.prometheus()), before + 10);
  assert.match(client.prometheus(), /^mxp_in_flight\{side="here"\} 0$/m);
  other.failure = "waits";
  const over = new AbortController();
  const waiting = Array.from({ length: 3 }, () => client.call(find, nothing, { signal: over.signal }).catch(() => undefined));
  await until(() => other.cancelled + other.calls === 13);
  assert.match(client.prometheus(), /^mxp_in_flight\{side="here"\} 3$/m);
  assert.match(other.prometheus(), /^mxp_in_flight\{side="peer"\} 3$/m);
  assert(counted(client, "mxp_held_bytes") >= 3 * 1024);
  over.abort();
  await Promise.all(waiting);
  await stop();
  assert.match(other.prometheus(), /^mxp_frames_total\{direction="in",type="Call"\} \d+$/m);
});
