// The program of the test of costs: a server that counts what peers let it hold, and whose heap is looked at. It is
// a process of its own, since objects cost more beside the hooks of tests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { listen, MxpError, Server } from "../src/node.js";
import { Raw, request } from "./raw.js";

const many = 4_000;
/** How many events: not many more wait before nothing more is read. */
const events = 1_000;
const [hangs, opens, tells, echoes] = [1, 2, 3, 4];
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const rest = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The bytes of the heap, and of the buffers beside it, once nothing waits for the collector. */
async function taken(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    await rest(10);
    collect();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A server that holds what its peers send it, and answers nothing but echoes. */
class Holding {
  readonly #folder = mkdtempSync(join(tmpdir(), "mxp-"));
  readonly address = `mxp+unix://${join(this.#folder, "s.sock")}`;
  readonly #server = new Server({ onError: () => undefined, memoryBytes: 2 ** 31, limits: { connectionBytes: 2 ** 30, inFlight: 1 << 20, refusals: 1 << 20 } });
  /** The functions that end the handlers. Without them the collector takes promises that nobody can wait for any more. */
  readonly #waiting: ((error: Error) => void)[] = [];
  #close: () => void = () => undefined;

  async listens(): Promise<void> {
    const method = (number: number) => ({ service: "demo.Costs", name: "", number, idempotent: false });
    const never = <T>(): Promise<T> => new Promise((_, reject) => this.#waiting.push(reject));
    this.#server.add("demo.Costs", [
      { ...method(hangs), answer: never },
      { ...method(opens), stream: never },
      { ...method(tells), isEvent: true, answer: never },
      { ...method(echoes), answer: async (value) => value },
    ], []);
    const listener = await listen(this.address, (wire) => this.#server.accept(wire));
    this.#close = () => listener.close();
  }

  get held(): number {
    return Number(/^mxp_held_bytes (\d+)$/m.exec(this.#server.prometheus())?.[1]);
  }

  async peer(offerBatches: boolean): Promise<Raw> {
    const peer = Raw.dial(this.address, { offerBatches });
    await peer.until(() => peer.has("ready"));
    return peer;
  }

  /** The bytes counted and the bytes taken while a peer sends the frames of its session. */
  async sent(peer: Raw, things: number): Promise<{ counted: number; taken: number }> {
    const frames = peer.session.poll(Number.MAX_SAFE_INTEGER, 0n) as Uint8Array;
    const [counted, before] = [this.held, await taken()];
    for (let at = 0; at < frames.length; at += 1 << 16) {
      await new Promise((resolve) => peer.socket.write(frames.slice(at, at + (1 << 16)), resolve));
    }
    for (let held = -1; held !== this.held; ) {
      held = this.held;
      await rest(50);
    }
    return { counted: (this.held - counted) / things, taken: ((await taken()) - before) / things };
  }

  async close(): Promise<void> {
    this.#close();
    this.#waiting.forEach((end) => end(new MxpError(1, "ended")));
    await this.#server.close(100);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The bytes counted and taken for each thing, and the least that must be counted for it. */
export interface Cost {
  readonly what: string;
  readonly things: number;
  readonly least: number;
  readonly counted: number;
  readonly taken: number;
  /** Whether it is counted as more or less than it costs, by a fifth. */
  readonly wrong?: boolean;
}

/** A kind of things that a peer lets a server hold. */
interface Kind {
  readonly what: string;
  readonly things: number;
  readonly least: number;
  readonly batches?: boolean;
  ask(peer: Raw, stream: bigint): void;
}

/** Lets a peer ask for a few things, whose memory is kept for more, and then for many. */
async function costOf({ what, things, least, batches = false, ask }: Kind): Promise<Cost> {
  const holding = new Holding();
  await holding.listens();
  const peer = await holding.peer(batches);
  const stream = peer.session.open(request(opens), 0, 0n, new Uint8Array(0), false, 0n);
  peer.flush();
  await peer.until(() => peer.has("granted"));
  for (let i = 0; i < things / 8; i++) {
    ask(peer, stream);
  }
  await holding.sent(peer, 1);
  for (let i = 0; i < things; i++) {
    ask(peer, stream);
  }
  const cost = await holding.sent(peer, things);
  peer.socket.destroy();
  await holding.close();
  return { what, things, least, ...cost };
}

const kinds = [0, 100, 2_000].flatMap((size): Kind[] => {
  const value = new Uint8Array(size).fill(7);
  return [
    { what: `a call of ${size}`, things: many, least: 1024 + size, ask: (peer) => void peer.session.call(request(hangs), value, 0n) },
    { what: `a chunk of ${size}`, things: size === 2_000 ? 800 : many, least: 64 + size, ask: (peer, stream) => void peer.session.chunk(stream, value, false, false, 0n) },
    { what: `an event of ${size}`, things: events, least: 64 + size, ask: (peer) => void peer.session.event(request(tells), value, false, "refuse", 0n) },
  ];
});
kinds.push({ what: "a stream", things: many, least: 1024, ask: (peer) => void peer.session.open(request(opens), 0, 0n, new Uint8Array(0), false, 0n) });
/** As many events, and chunks, as one frame has. */
const inBatch = 16;
kinds.push({ what: "a batch of events", things: events, least: 64, batches: true, ask: (peer) => {
  for (let i = 0; i < inBatch; i++) {
    peer.session.event(request(tells), new Uint8Array(4), false, "refuse", 0n);
  }
  peer.session.cancel(peer.session.call(request(hangs), new Uint8Array(0), 0n), 0n); // no more join them
} });

/** The bytes that a connection keeps for later use, or has given back. */
const spareBytes = 80 << 10;

function isWrong({ things, least, counted, taken }: Cost): boolean {
  const spare = spareBytes / things;
  return taken > counted * 1.2 + spare || counted > Math.max(taken, least) * 1.2 + spare;
}

/**
 * The most measurements of a kind whose count is wrong: an effect of the collector, or of another kind, shows once, and
 * a wrong count each time.
 */
const measuredMost = 3;

for (const kind of kinds) {
  let cost = await costOf(kind);
  for (let n = 1; n < measuredMost && isWrong(cost); n++) {
    cost = await costOf(kind);
  }
  process.send?.({ ...cost, wrong: isWrong(cost) });
}
process.exit();
