// Programs of the test of budgets: a server whose connections have one, and peers that fill it.
import net from "node:net";
import { listen, Server } from "../src/node.js";
import { encodeFrame, FrameType } from "../src/frame/index.js";
import { Session } from "../src/session/index.js";

const kib = 1024;
const mib = kib * kib;

/** Serves until its parent ends it: echoes, keeps calls and streams for long, and takes events slowly. */
async function serve(path: string, memoryBytes: number): Promise<void> {
  const server = new Server({ memoryBytes });
  const method = (name: string, number: number) => ({ service: "demo.Bounded", name, number, idempotent: false });
  const long = (signal: AbortSignal): Promise<void> => new Promise((resolve) => {
    const timer = setTimeout(resolve, 60_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
  server.add("demo.Bounded", [
    { ...method("echo", 1), answer: async (value) => value },
    { ...method("keep", 2), answer: async (value, { signal }) => {
      await long(signal);
      return value.subarray(0, 1);
    } },
    { ...method("unread", 3), stream: (_, __, { signal }) => long(signal) },
    { ...method("slow", 4), answer: async (value) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return value.subarray(0, 0);
    } },
  ], []);
  await listen(`mxp+unix://${path}`, (wire) => server.accept(wire));
  process.send?.("serving");
}

/** The message of a peer, which it repeats while there is room for it. */
type Says = (session: Session, now: bigint, streams: bigint[]) => void;

const request = (method: number) => ({ service: 0, method, deadline: 0n, trace: null, metadata: [] });
const value = new Uint8Array(900 * kib).fill(7);

const hostile: readonly Says[] = [
  (session, now) => session.call(request(1), value, now), // and does not read the answers
  (session, now) => session.call(request(2), value, now),
  (session, now, streams) => {
    streams.push(session.open(request(3), 0, 0n, new Uint8Array(0), false, now));
    for (const id of streams) {
      if (session.sendable(id, value.length)) {
        session.chunk(id, value, false, false, now);
      }
    }
  },
  (session, now) => session.event(request(4), value.subarray(0, 20 * kib), false, "refuse", now),
];

/** A Call of 16 MiB, but for its end. */
const begun = encodeFrame({ type: FrameType.Call, flags: 0, id: 1n, trace: 0n, payload: new Uint8Array(16 * mib) }, false).subarray(0, 15 * mib);

/** When the attack ends, in milliseconds: so long after all have been answered. */
let until = Infinity;
let answered = 0;

/**
 * A peer that goes on until then, and connects again each time it is cut off. A third of all never end the frame that
 * they send.
 */
async function attacks(path: string, kind: number, ready: () => void): Promise<string[]> {
  const ends: string[] = [];
  while (performance.now() < until) {
    const socket = net.connect(path);
    const session = new Session({ role: "opener", offerChecksumOff: true }, 0n);
    const now = (): bigint => BigInt(Math.floor(performance.now() * 1000));
    const streams: bigint[] = [];
    let isOver = false;
    let isReady = false;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      isOver = true;
    });
    socket.on("data", (piece: Buffer) => {
      const rest = { bytes: new Uint8Array(piece) };
      for (let one = session.receive(rest, now()); one !== undefined; one = session.receive(rest, now())) {
        if (one.kind === "end") {
          ends.push(one.failure.name);
          isOver = true;
        }
      }
      if (session.ready && !isReady) {
        isReady = true;
        ready();
      }
      if (session.ready && kind === 0) {
        socket.pause();
      }
    });
    while (!isOver && performance.now() < until) {
      const says = hostile[kind];
      if (says !== undefined && session.ready && socket.writableLength < mib) {
        try {
          says(session, now(), streams);
        } catch {
          // there is no room
        }
      }
      for (let bytes = session.poll(mib, now()); bytes !== undefined; bytes = session.poll(mib, now())) {
        socket.write(bytes);
      }
      if (says === undefined && session.ready) {
        socket.write(begun);
        while (!isOver && performance.now() < until) {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return ends;
}

const [, , role, path = "", number, lasts] = process.argv;
if (role === "serve") {
  await serve(path, Number(number));
} else {
  const ends = await Promise.all(Array.from({ length: Number(number) }, (_, i) => attacks(path, i % 6, () => {
    if (++answered === Number(number)) {
      until = performance.now() + Number(lasts);
    }
  })));
  process.send?.(ends.flat());
}
