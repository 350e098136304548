// Tests of peers that mean no good: the limit is named, and the connection ends.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client, listen, Server, type ServerOptions, socketTransports, type Wire } from "../src/node.js";
import { connectionBytes } from "../src/engine/budget.js";
import { eventBytes } from "../src/engine/order.js";
import { Raw, request } from "./raw.js";

const folder = mkdtempSync(join(tmpdir(), "mxp-hostile-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const echo = { service: "demo.Echo", name: "echo", number: 1, idempotent: true };

let sockets = 0;

/**
 * A server that echoes, the raw peer of it, and the cause that it tells when the peer's connection
 * is gone.
 */
async function attacked(limits: NonNullable<ServerOptions["limits"]>): Promise<{ raw: Raw; server: Server; gone: Promise<string>; stop(): Promise<void> }> {
  const server = new Server({ limits });
  server.add("demo.Echo", [{ ...echo, answer: async (value) => value }], []);
  const path = join(folder, `${sockets++}.sock`);
  let leave: (cause: string) => void;
  const gone = new Promise<string>((resolve) => {
    leave = resolve;
  });
  const listener = await listen(`mxp+unix://${path}`, (wire) => server.accept(watched(wire, (cause) => leave(cause))));
  const raw = Raw.dial(listener.address);
  await raw.until(() => raw.session.ready);
  return { raw, server, gone, stop: async () => {
    raw.socket.destroy();
    listener.close();
    await server.close();
  } };
}

/** A wire whose end is told. */
function watched(wire: Wire, leave: (cause: string) => void): Wire {
  return {
    protects: wire.protects,
    start: (owner) => wire.start({
      bytes: (piece) => owner.bytes(piece), moved: () => owner.moved(), drained: () => owner.drained(), ended: () => owner.ended(),
      closed: (cause) => {
        owner.closed(cause);
        leave(cause);
      },
    }),
    write: (bytes) => wire.write(bytes), pause: () => wire.pause(), resume: () => wire.resume(), end: () => wire.end(), destroy: () => wire.destroy(),
  };
}

const within = (ms: number, what: Promise<unknown>): Promise<unknown> => Promise.race([what, new Promise((_, reject) => setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms))]);

// [MXP-10.5] [MXP-11.2]
test("a peer that never reads is cut off, whatever waits for it", async () => {
  for (const [calls, bytes] of [[200, 64 << 10], [1, 3 << 20]] as const) { // the queue is full, or the socket has all
    const { raw, server, gone, stop } = await attacked({ stall: 300_000n, linger: 100_000n, ping: 0n });
    for (let n = 0; n < calls; n++) {
      raw.session.call(request(1), new Uint8Array(bytes), 0n);
    }
    raw.socket.pause();
    raw.flush();
    await within(5000, gone);
    assert.match(server.prometheus(), /mxp_refusals_total\{name="session_stalled"\} 1/);
    await stop();
  }
});

// [MXP-15.2]
test("answers that wait for a peer that never reads are let go of with its connection", async () => {
  const { raw, server, gone, stop } = await attacked({});
  const held = (): number => Number(/^mxp_held_bytes (\d+)$/m.exec(server.prometheus())?.[1]);
  for (let n = 0; n < 400; n++) {
    raw.session.call(request(1), new Uint8Array(64 << 10), 0n);
  }
  raw.socket.pause();
  raw.flush();
  await within(5000, (async () => {
    while (held() < 8 << 20) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })());
  raw.socket.destroy();
  await within(5000, gone);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(held(), 0);
  await stop();
});

test("a peer that reads slowly keeps its connection, also within one large value", async () => {
  const { raw, server, stop } = await attacked({ stall: 300_000n });
  raw.session.call(request(1), new Uint8Array(4 << 20), 0n);
  raw.flush();
  const began = performance.now();
  raw.socket.on("data", () => {
    raw.socket.pause();
    setTimeout(() => raw.socket.resume(), 20);
  });
  await raw.until(() => raw.has("response"));
  assert(performance.now() - began > 600, "it was not slow");
  assert.doesNotMatch(server.prometheus(), /session_stalled/);
  await stop();
});

test("a client lets go of a server that does not read", async () => {
  const path = join(folder, "deaf.sock");
  const server = new Server();
  server.add("demo.Echo", [{ ...echo, answer: async (value) => value }], []);
  let deaf: Wire | undefined;
  const listener = await listen(`mxp+unix://${path}`, (wire) => {
    deaf ??= wire;
    server.accept(wire);
  });
  const client = new Client(`mxp+unix://${path}`, { transports: socketTransports(), limits: { stall: 200_000n, linger: 100_000n } });
  await client.call(echo, new Uint8Array(0));
  deaf?.pause();
  await assert.rejects(client.call({ ...echo, idempotent: false }, new Uint8Array(8 << 20)), { code: "session_stalled", acted: true });
  assert.equal((await client.call(echo, new Uint8Array(3))).value.length, 3); // on the next connection
  await client.close();
  listener.close();
  await server.close(0);
});

// [MXP-15.3]
test("peers that have hung up are found out while they are not read, however scarce memory is", async () => {
  const server = new Server({ memoryBytes: 16 << 20 });
  server.add("demo.Echo", [{ ...echo, answer: async (value) => value }], []);
  const held = (): number => Number(/^mxp_held_bytes (\d+)$/m.exec(server.prometheus())?.[1]);
  const listener = await listen(`mxp+unix://${join(folder, `${sockets++}.sock`)}`, (wire) => server.accept(wire));
  const all = Array.from({ length: 120 }, () => Raw.dial(listener.address));
  await Promise.all(all.map((raw) => raw.until(() => raw.session.ready)));
  for (const raw of all) {
    raw.session.call(request(1), new Uint8Array(8 << 20), 0n);
    raw.flush();
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert(held() > 4 << 20, `only ${held()} are held`);
  for (const raw of all) {
    raw.socket.destroy();
  }
  const began = performance.now();
  while (held() > 0) {
    assert(performance.now() - began < 3000, `${held()} are held for long`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  listener.close();
  await server.close();
});

// [MXP-15.5]
test("events of peers that have hung up hold a sixteenth of the budget, and no byte more", async () => {
  const sixteenth = 24 << 10;
  for (const over of [0, 1]) {
    const told: string[] = [];
    const server = new Server({ memoryBytes: 2 * 16 * sixteenth, onNotice: (line) => told.push(line) });
    let begun = 0;
    let goOn: (() => void) | undefined;
    const waits = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const answer = async (): Promise<Uint8Array> => {
      begun++;
      await waits;
      return new Uint8Array(0);
    };
    server.add("demo.Echo", [{ ...echo, name: "note", isEvent: true, answer }], []);
    const listener = await listen(`mxp+unix://${join(folder, `left-${over}.sock`)}`, (wire) => server.accept(wire));
    for (const lengths of [[3000, 3000, 3000], [sixteenth - 2 * connectionBytes - 3 * (3000 + eventBytes) - eventBytes + over]]) {
      const raw = Raw.dial(listener.address);
      await raw.until(() => raw.session.ready);
      for (const n of lengths) {
        raw.session.event(request(1), new Uint8Array(n), false, "refuse", 0n);
      }
      const before = begun;
      raw.flush();
      await raw.until(() => begun > before);
      raw.socket.end();
      raw.socket.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, 200)); // they are gone
    goOn?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(begun, over === 0 ? 4 : 2);
    assert.deepEqual(told.map((line) => line.replace(/^.*?: /, "")), over === 0 ? [] : ["events of a lost connection dropped: 2, limit_server_bytes"]);
    listener.close();
    await server.close();
  }
});
