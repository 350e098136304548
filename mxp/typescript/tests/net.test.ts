// Tests of clients and servers, over sockets of this machine and over ports.
import assert from "node:assert/strict";
import { type EventEmitter, once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, unlinkSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientOptions, listen, type Listener, MxpError, type PortLike, portWire, type ServerMethod, Server, type ServerOptions, socketTransports } from "../src/node.js";

const folder = mkdtempSync(join(tmpdir(), "mxp-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const transports = socketTransports();
const method = (name: string, number: number, idempotent = false) => ({ service: "demo.Echo", name, number, idempotent });
const echo = method("echo", 1, true);
const wait = method("wait", 2);
const count = method("count", 3);
const note = method("note", 4);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

interface Noted {
  readonly notes: string[];
  cancelled: number;
}

/** A server whose service echoes, waits until it is cancelled, counts down in a stream, and takes notes. */
function served(noted: Noted, options: ServerOptions = {}): Server {
  const server = new Server(options);
  const methods: ServerMethod[] = [
    { ...echo, answer: async (value) => value },
    { ...wait, answer: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => {
      noted.cancelled++;
      reject(new MxpError(1, "cancelled"));
    })) },
    { ...count, stream: async (value, stream) => {
      for (let n = Number(new TextDecoder().decode(value)); n > 0; n--) {
        await stream.send(new Uint8Array(n % 2000));
      }
    } },
    { ...note, isEvent: true, answer: async (value) => {
      await new Promise((resolve) => setTimeout(resolve, value.length % 5));
      noted.notes.push(new TextDecoder().decode(value));
      return new Uint8Array(0);
    } },
  ];
  server.add("demo.Echo", methods, []);
  return server;
}

let sockets = 0;

async function pair(options: Partial<ClientOptions> = {}, serverOptions: ServerOptions = {}): Promise<{
  client: Client; noted: Noted; address: string; server: Server; listener: Listener; stop(): Promise<void>;
}> {
  const noted = { notes: [], cancelled: 0 };
  const server = served(noted, serverOptions);
  const listener = await listen(`mxp+unix://${join(folder, `${sockets++}.sock`)}`, (wire) => server.accept(wire));
  const client = new Client(listener.address, { transports, ...options });
  return { client, noted, address: listener.address, server, listener, stop: async () => {
    await client.close();
    listener.close();
    await server.close();
  } };
}

test("calls are answered, a thousand at once, each with its own answer", async () => {
  const { client, stop } = await pair();
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, i) => client.call(echo, text(String(i)))));
  assert.deepEqual(answers.map(({ value }) => new TextDecoder().decode(value)), Array.from({ length: 1000 }, (_, i) => String(i)));
  await stop();
});

test("more calls than have places wait in line", async () => {
  const { client, stop } = await pair({ limits: { inFlight: 4, queueBytes: 2048 } }, { limits: { inFlight: 3 } });
  const answers = await Promise.all(Array.from({ length: 200 }, () => client.call(echo, new Uint8Array(300))));
  assert(answers.every(({ value }) => value.length === 300));
  await stop();
});

test("deadlines and signals end requests at both sides", async () => {
  const { client, noted, stop } = await pair();
  await client.connected();
  await assert.rejects(client.call(wait, text(""), { timeoutMs: 30 }), { code: "deadline_exceeded", status: 4, acted: true, method: "demo.Echo/wait" });
  await assert.rejects(client.call(wait, text(""), { signal: AbortSignal.timeout(30) }), { code: "cancelled", status: 1 });
  await assert.rejects(client.call(echo, text(""), { signal: AbortSignal.abort() }), { code: "cancelled", acted: false });
  await client.call(echo, text("")); // the cancel was before it
  assert.equal(noted.cancelled, 2);
  await stop();
});

test("a signal ends all requests that it is given to, and Node has nothing to warn of", async () => {
  const { client, stop } = await pair({ limits: { inFlight: 12 } });
  const warned: Error[] = [];
  const note = (warning: Error): unknown => warned.push(warning);
  process.on("warning", note);
  const over = new AbortController();
  const asked = (n: number): Promise<unknown>[] => Array.from({ length: n }, () => client.call(wait, text(""), { signal: over.signal }));
  const early = asked(12); // wait for the connection, and then have all places
  await client.connected();
  const late = asked(12); // wait in line,
  const streams = Array.from({ length: 12 }, () => client.open(count, text("0"), true, { signal: over.signal })); // as do these
  await new Promise((resolve) => setTimeout(resolve, 20));
  over.abort();
  for (const one of await Promise.allSettled([...early, ...late, ...streams])) {
    assert(one.status === "rejected" && (one.reason as MxpError).code === "cancelled");
  }
  process.removeListener("warning", note);
  assert.deepEqual(warned, []);
  await stop();
});

test("what is not there is refused by name, and nobody has acted", async () => {
  const { client, stop } = await pair();
  const has = "it has call echo = 1, call wait = 2, stream count = 3, event note = 4";
  await assert.rejects(client.call({ ...echo, number: 99 }, text("")), { code: "method_unknown", status: 12, acted: false, text: `demo.Echo has no call 99; ${has}` });
  await assert.rejects(client.call({ ...echo, service: "demo.None" }, text("")), { code: "service_unknown", acted: false });
  await assert.rejects(client.call(count, text("")), { code: "method_unknown" });
  await stop();
  assert.throws(() => new Client("mxp+smoke://x", { transports }), { code: "address_invalid" });
});

// [MESH-5.1]
test("few events of the mesh are on their way to a subscriber that takes none, and the node keeps the rest", async () => {
  const all = 20000;
  let sent = 0;
  const server = new Server();
  for (const service of ["mxp.mesh.Mesh", "demo.Echo"]) {
    server.add(service, [{ ...method("subscribe", 3), service, stream: async (_, stream) => {
      for (sent = 0; sent < all; sent++) {
        await stream.send(text(`${sent}`));
      }
    } }], []);
  }
  const listener = await listen(`mxp+unix://${join(folder, `${sockets++}.sock`)}`, (wire) => server.accept(wire));
  const client = new Client(listener.address, { transports });
  for (const [service, most] of [["mxp.mesh.Mesh", 256], ["demo.Echo", 16384]] as const) {
    sent = 0;
    const stream = await client.open({ ...method("subscribe", 3), service }, text(""), true);
    for (const end = Date.now() + 20_000; sent < most && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(sent, most);
    for (let n = 0; n < all; n++) {
      assert.equal(new TextDecoder().decode(await stream.next()), `${n}`);
    }
    assert.equal(await stream.next(), undefined);
  }
  await client.close();
  listener.close();
  await server.close();
});

test("a stream's sender waits for its reader, and memory stays bounded", async () => {
  const { client, stop } = await pair({ windowBytes: 64 << 10 });
  const stream = await client.open(count, text("50000"), true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert(stream.held <= (64 << 10) + 64 * 16384, `${stream.held} bytes are held`);
  let n = 0;
  for (let value = await stream.next(); value !== undefined; value = await stream.next()) {
    n++;
  }
  assert.equal(n, 50000);
  const left = await client.open(count, text("1000000"), true);
  await left.next();
  left.cancel();
  await assert.rejects(left.next(), { code: "cancelled" });
  assert.equal((await client.call(echo, text("on"))).value.length, 2);
  await stop();
});

test("events are taken one after the other, in their order, and before what comes after them", async () => {
  const { client, noted, stop } = await pair();
  const said = Array.from({ length: 60 }, (_, i) => "x".repeat((i * 7) % 5) + String(i));
  await Promise.all(said.map((one) => client.event(note, text(one))));
  await client.call(echo, text(""));
  assert.deepEqual(noted.notes, said);
  await client.event(note, text("last"), { ack: true });
  assert.equal(noted.notes.at(-1), "last");
  await stop();
});

test("what a handler throws that is no answer is told with the status Unknown, and to the server's own", async () => {
  const told: string[] = [];
  const server = new Server({ onError: (error, { name }) => told.push(`${name}: ${String(error)}`) });
  const fails = async (): Promise<Uint8Array> => {
    throw new TypeError("a fault");
  };
  server.add("demo.Echo", [{ ...echo, answer: fails }, { ...note, isEvent: true, answer: fails }], []);
  const listener = await listen(`mxp+unix://${join(folder, `${sockets++}.sock`)}`, (wire) => server.accept(wire));
  const client = new Client(listener.address, { transports });
  await client.event(note, text("x"));
  await assert.rejects(client.call(echo, text("x")), { status: 2, code: "unknown", text: "a fault", acted: true });
  assert.deepEqual(told, ["note: TypeError: a fault", "echo: TypeError: a fault"]);
  await client.close();
  listener.close();
  await server.close();
});

test("a handler that its signal ends is no error of the server's, whatever it throws for that", async () => {
  const told: unknown[] = [];
  const server = new Server({ onError: (error) => told.push(error) });
  const late = { ...method("late", 5) };
  const ends = { ...method("ends", 6) };
  const breaks = { ...method("breaks", 7) };
  const aborted = (signal: AbortSignal): Promise<void> => new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  let ended = 0;
  server.add("demo.Echo", [
    { ...late, answer: async (_, { signal }) => sleep(60_000, new Uint8Array(0), { signal }).finally(() => ended++) },
    { ...ends, stream: async (_, __, { signal }) => {
      await aborted(signal);
      ended++;
      signal.throwIfAborted();
    } },
    { ...breaks, answer: async (_, { signal }) => {
      await aborted(signal);
      ended++;
      throw new TypeError("a fault");
    } },
  ], []);
  const listener = await listen(`mxp+unix://${join(folder, `${sockets++}.sock`)}`, (wire) => server.accept(wire));
  const client = new Client(listener.address, { transports });
  await client.connected();
  await assert.rejects(client.call(late, text(""), { timeoutMs: 20 }), { code: "deadline_exceeded" });
  await assert.rejects(client.call(late, text(""), { signal: AbortSignal.timeout(20) }), { code: "cancelled" });
  const stream = await client.open(ends, text(""), true);
  stream.cancel();
  await assert.rejects(client.call(breaks, text(""), { timeoutMs: 20 }), { code: "deadline_exceeded" });
  while (ended < 4) {
    await sleep(5);
  }
  await sleep(20);
  assert.deepEqual(told.map(String), ["TypeError: a fault"]);
  await client.close();
  listener.close();
  await server.close();
});

test("a client outlives its server: what nobody has acted on is made again at the next one", async () => {
  const noted = { notes: [], cancelled: 0 };
  const address = `mxp+unix://${join(folder, "again.sock")}`;
  let server = served(noted);
  let listener = await listen(address, (wire) => server.accept(wire));
  const client = new Client(address, { transports, retry: { leastPauseMs: 1 } });
  let answered = 0;
  let stopping = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!stopping) {
      await client.call(echo, text("load"));
      answered++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const more = async (): Promise<void> => {
    for (const enough = answered + 20; answered < enough; ) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  for (let restart = 0; restart < 5; restart++) {
    await more();
    listener.close();
    await server.close();
    server = served(noted);
    listener = await listen(address, (wire) => server.accept(wire));
  }
  await more();
  stopping = true;
  await Promise.all(load); // none has failed
  await client.close();
  listener.close();
  await server.close();
});

test("requests wait for a server that comes late, but not for ever", async () => {
  const address = `mxp+unix://${join(folder, "late.sock")}`;
  const client = new Client(address, { transports, connectTimeoutMs: 60 });
  await assert.rejects(client.call(echo, text("")), { code: "not_connected", status: 14, acted: false });
  const patient = new Client(address, { transports });
  const asked = patient.call(echo, text("later"));
  const server = served({ notes: [], cancelled: 0 });
  const listener = await listen(address, (wire) => server.accept(wire));
  assert.equal((await asked).value.length, 5);
  await Promise.all([client.close(), patient.close()]);
  listener.close();
  await server.close();
});

// [MXP-14.2]
test("a client of TCP ends at once where the peer speaks TLS, or anything else", async () => {
  for (const said of [[21, 3, 1, 0, 2, 2, 70], [...text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")]]) {
    const listener = net.createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(Uint8Array.from(said));
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const client = new Client(`mxp+tcp://127.0.0.1:${(listener.address() as net.AddressInfo).port}`, { transports, connectTimeoutMs: 3_600_000 });
    await assert.rejects(client.call(echo, text("")), { code: "frame_magic", status: 9, acted: false });
    await client.close();
    listener.close();
  }
});

test("a peer that speaks something else is refused, and others are served on", async () => {
  const { client, address, server, stop } = await pair();
  const intruder = net.connect(address.replace("mxp+unix://", ""));
  const ended = new Promise((resolve) => intruder.once("close", resolve));
  intruder.resume();
  intruder.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n and so on, and so on");
  await ended;
  assert.equal((await client.call(echo, text("on"))).value.length, 2);
  assert.equal(server.services.length, 1);
  await stop();
});

test("a server leaves the socket's file of its successor alone, and takes its own away", async () => {
  const address = `mxp+unix://${join(folder, "successor.sock")}`;
  const path = address.replace("mxp+unix://", "");
  const before = readdirSync(folder);
  const first = await listen(address, (wire) => wire.destroy());
  assert.equal(statSync(path).mode & 0o777, 0o600);
  unlinkSync(path);
  const server = served({ notes: [], cancelled: 0 });
  const second = await listen(address, (wire) => server.accept(wire));
  first.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const client = new Client(address, { transports });
  assert.equal((await client.call(echo, text("on"))).value.length, 2);
  await client.close();
  second.close();
  await server.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(readdirSync(folder), before);
});

test("interceptors see requests and answers, at both sides, and refuse", async () => {
  const { client, stop } = await pair(
    { interceptors: [async (asked, next) => next({ ...asked, metadata: [...asked.metadata, { key: "k", value: text("v") }] })] },
    { interceptors: [async (asked, next) => {
      const reply = await next(asked);
      if (new TextDecoder().decode(asked.value) === "no") {
        throw new MxpError(7, "not_you", { acted: false });
      }
      return { ...reply, metadata: [...asked.metadata] };
    }] },
  );
  const { metadata } = await client.call(echo, text("x"));
  assert.deepEqual(metadata, [{ key: "k", value: text("v") }]);
  await assert.rejects(client.call(echo, text("no")), { code: "not_you", status: 7, acted: false });
  await stop();
});

// Deno's ports do not say that they were closed.
test("a port whose peer says more than it can have taken, or something else, is closed", { skip: "Deno" in globalThis }, async () => {
  for (const wrong of [-1, 0.5, 1e9, "bytes", {}]) {
    const { port1, port2 } = new MessageChannel();
    const server = served({ notes: [], cancelled: 0 });
    server.accept(portWire(port1 as unknown as PortLike));
    const closed = once(port2 as unknown as EventEmitter, "close", { signal: AbortSignal.timeout(3000) });
    port2.onmessage = (): void => undefined; // which begins to read
    port2.postMessage(wrong);
    await closed;
    await server.close();
  }
});

// [MXP-20.2] [MXP-20.3]
test("ports carry connections, with credit, and end on both sides", async () => {
  const { port1, port2 } = new MessageChannel();
  const noted = { notes: [], cancelled: 0 };
  const server = served(noted);
  server.accept(portWire(port1 as unknown as PortLike));
  const wire = portWire(port2 as unknown as PortLike);
  const client = new Client("mxp+port://panel", { transports: { port: { dial: async () => wire } } });
  assert.equal((await client.call(echo, new Uint8Array(100_000))).value.length, 100_000);
  const stream = await client.open(count, text("5000"), true);
  let bytes = 0;
  for (let value = await stream.next(); value !== undefined; value = await stream.next()) {
    bytes += value.length;
  }
  assert.equal(bytes, Array.from({ length: 5000 }, (_, i) => (i + 1) % 2000).reduce((a, b) => a + b));
  await client.close();
  await server.close();
});

test("methods that are refused, and types that were not compared, are a line of the log each [MXP-6.5] [MXP-6.8]", async () => {
  const info = (fingerprint: bigint, field: string, name = "demo.A") => ({
    name, fingerprints: [fingerprint], layout: field === "" ? "" : `0 struct ${name}\n x ${field}\n`, requests: [echo, note], responses: [],
  });
  const here: string[] = [];
  const there: string[] = [];
  const noted = { notes: [], cancelled: 0 };
  const server = served(noted, { onNotice: (line) => there.push(line) });
  server.add("demo.Other", [], [info(1n, "u8"), info(1n, "u8", "demo.B")]);
  const listener = await listen(`mxp+unix://${join(folder, `${sockets++}.sock`)}`, (wire) => server.accept(wire));
  const client = new Client(listener.address, { transports, types: [info(1n, "u16"), info(1n, "", "demo.B")], onNotice: (line) => here.push(line) });
  try {
    await assert.rejects(client.call(echo, text("x")), /session_schema/);
    const lines = (differing: string) => [`methods refused: 2, the first is demo.Echo/echo: demo.A.x: ${differing}`, "types compared by fingerprints alone: 1, the first is demo.B"];
    for (const [told, differing] of [[here, "here u16, there u8"], [there, "here u8, there u16"]] as const) {
      assert.deepEqual(told.map((line) => line.replace(/^\S*: /, "")), lines(differing));
    }
  } finally {
    await client.close();
    await listener.close();
    await server.close();
  }
});

test("a request that has waited for a connection for as long as it may is not made again [MXP-14.4] [MXP-14.8]", async () => {
  const client = new Client(`mxp+unix://${join(folder, "nowhere.sock")}`, { transports, connectTimeoutMs: 500, retry: { leastPauseMs: 1, greatestPauseMs: 1 } });
  const began = performance.now();
  await assert.rejects(client.call(echo, text("x")), { code: "not_connected", status: 14 });
  assert(performance.now() - began < 1000);
  await client.close();
});
