// Tests of WebSockets [MXP-19]: handshakes, what comes in pieces, and how they end.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DialError, listen, type Listener, type ListenOptions, type ServerMethod, Server, socketTransports, SocketWire, type WebSocketLike, webSocketHandshakes, type Wire } from "../src/node.js";
import { Cut } from "../src/net/web/cut.js";
import { engine, engineArguments } from "./program.js";

const repository = ["../../../../../..", ".."].map((up) => join(import.meta.dirname, up)).find((folder) => existsSync(join(folder, "VERSION"))) ?? "";
const method = (name: string, number: number) => ({ service: "demo.Echo", name, number, idempotent: true });
const echo = method("echo", 1);
const count = method("count", 2);
const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const protocol = "Sec-WebSocket-Protocol: mxp.1\r\n";

const methods: readonly ServerMethod[] = [
  { ...echo, answer: async (value) => value },
  { ...count, flows: { requests: false, responses: true }, stream: async (value, stream) => {
    for (let n = Number(new TextDecoder().decode(value)); n > 0; n--) {
      await stream.send(new Uint8Array(60_000).fill(n));
    }
  } },
];

function served(): Server {
  const server = new Server();
  server.add("demo.Echo", methods, []);
  return server;
}

async function listening(address: string, options: ListenOptions = {}): Promise<{ listener: Listener; server: Server; stop(): Promise<void> }> {
  const server = served();
  const listener = await listen(address, (wire) => server.accept(wire), { webSocket: { onNotice: () => undefined, ...options.webSocket }, ...(options.tls === undefined ? {} : { tls: options.tls }) });
  return { listener, server, stop: async () => {
    listener.close();
    await server.close();
  } };
}

/** The answer of a server to a handshake: the status, and the socket. */
async function shake(address: string, lines: string, behind = ""): Promise<{ status: number; socket: net.Socket; head: string }> {
  const { host, port, pathname } = new URL(address.replace("mxp+ws:", "ws:"));
  const socket = net.connect(Number(port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`GET ${pathname} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n${/^Host:/m.test(lines) ? "" : `Host: ${host}\r\n`}${lines}\r\n${behind}`);
  let head = "";
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    head += (piece as Buffer).toString("latin1");
    if (head.includes("\r\n\r\n")) {
      break;
    }
  }
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), socket, head };
}

/** The time for which a connection stays that asks for nothing, in milliseconds: the other tests run meanwhile. */
async function idle(): Promise<number> {
  const { listener, stop } = await listening("mxp+ws://127.0.0.1:0/");
  const socket = net.connect(Number(new URL(listener.address.replace("mxp+ws:", "ws:")).port), "127.0.0.1");
  const began = performance.now();
  await once(socket.resume(), "close");
  await stop();
  return performance.now() - began;
}

const idled = idle();

const header = (name: string, value: string): string => (value === "." ? "" : `${name}: ${value.replace(/^-/, "")}\r\n`);

test("handshakes are judged as in the other languages [MXP-19.2] [MXP-19.5]", async () => {
  const servers: Record<string, Awaited<ReturnType<typeof listening>>> = {
    usual: await listening("mxp+ws://127.0.0.1:0"),
    listed: await listening("mxp+ws://127.0.0.1:0/", { webSocket: { hosts: ["studio.example"], origins: ["https://studio.example"], token: "abc-1" } }),
  };
  let cases = 0;
  for (const line of readFileSync(join(repository, "mxp/testdata/handshakes.txt"), "utf8").split("\n")) {
    const [name = "", host = "", origin = "", asked = "", want] = line.trim().split(/\s+/);
    const server = servers[name];
    if (server === undefined || want === undefined) {
      continue;
    }
    cases++;
    const { status, socket } = await shake(server.listener.address, key + header("Host", host) + header("Origin", origin) + header("Sec-WebSocket-Protocol", asked));
    assert.equal(status, Number(want), line);
    socket.destroy();
  }
  assert(cases >= 50);
  await Promise.all(Object.values(servers).map(({ stop }) => stop()));
});

test("handshakes that are none are refused, and their connections end [MXP-19.2] [MXP-19.5]", async () => {
  const { listener, stop } = await listening("mxp+ws://127.0.0.1:0/mxp");
  assert(listener.address.endsWith("/mxp"));
  for (const [what, lines, behind, want] of [
    ["two Origins", `${key + protocol}Origin: http://127.0.0.1\r\nOrigin: https://evil.example\r\n`, "", 403],
    ["two Hosts", `${key + protocol}Host: 127.0.0.1\r\nHost: localhost\r\n`, "", 403],
    ["a body of nothing", `${key + protocol}Content-Length: 0\r\n`, "", 101],
    ["a body", `${key + protocol}Content-Length: 10\r\n`, "", 400],
    ["a body in chunks", `${key + protocol}Transfer-Encoding: chunked\r\n`, "", 400],
    ["a body that is there", `${key + protocol}Content-Length: 2\r\n`, "ab", 400],
    ["no key", protocol, "", 400],
    ["two keys", key + key + protocol, "", 400],
    ["a key that is no base64", `${protocol}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ!!\r\n`, "", 400],
    ["a key of 15 bytes", `${protocol}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j\r\n`, "", 400],
    ["a key that has bits left", `${protocol}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZR==\r\n`, "", 400],
  ] as const) {
    const { status, socket } = await shake(listener.address, lines, behind);
    assert.equal(status, want, what);
    if (want !== 101) {
      await once(socket.resume(), "end");
    }
    socket.destroy();
  }
  assert.equal((await shake(listener.address.replace("/mxp", "/other"), key + protocol)).status, 404);
  assert.equal((await fetch(listener.address.replace("mxp+ws:", "http:"))).status, 426);
  await stop();
});

test("pages of an origin have few connections, and programs any number [MXP-19.6]", async () => {
  const { listener, stop } = await listening("mxp+ws://127.0.0.1:0/", { webSocket: { originConnections: 2 } });
  const page = `${key + protocol}Origin: http://127.0.0.1\r\n`;
  const all = [await shake(listener.address, page), await shake(listener.address, page), await shake(listener.address, page), await shake(listener.address, `${key + protocol}Origin: http://127.0.0.1:1\r\n`)];
  for (let i = 0; i < 3; i++) {
    all.push(await shake(listener.address, key + protocol));
  }
  assert.deepEqual(all.map(({ status }) => status), [101, 101, 429, 101, 101, 101, 101]);
  all[0]?.socket.destroy();
  for (const late = performance.now() + 5000; ; await sleep(5)) {
    const again = await shake(listener.address, page);
    again.socket.destroy();
    if (again.status === 101) {
      break;
    }
    assert(performance.now() < late, "its place is never free again");
  }
  all.forEach(({ socket }) => socket.destroy());
  await stop();
});

test("the first refusal of each host and origin is told", async () => {
  const told: string[] = [];
  const { listener, stop } = await listening("mxp+ws://127.0.0.1:0/", { webSocket: { onNotice: (line) => told.push(line) } });
  for (let i = 0; i < 100; i++) {
    (await shake(listener.address, `${key + protocol}Origin: https://${i}.example\r\n`)).socket.destroy();
    (await shake(listener.address, `${key + protocol}Origin: https://0.example\r\n`)).socket.destroy();
  }
  assert.equal(told.length, 64);
  assert.match(told[0] ?? "", /origin "https:\/\/0\.example".*webSocket\.origins/);
  (await shake(listener.address, `${key + protocol}Host: evil.example\r\n`)).socket.destroy();
  assert.match(told[64] ?? "", /host "evil\.example".*webSocket\.hosts/);
  await stop();
});

test("options that can't be meant are refused", async () => {
  for (const webSocket of [{ hosts: ["studio.example:80"] }, { hosts: ["[::1]"] }, { hosts: [""] }, { token: "" }, { token: "a b" }, { token: "x".repeat(257) }]) {
    await assert.rejects(listening("mxp+ws://127.0.0.1:0/", { webSocket }), (error) => error instanceof DialError && error.status === 3, JSON.stringify(webSocket));
  }
  await assert.rejects(listening("mxp+ws://127.0.0.1/"), { name: "DialError" });
  await assert.rejects(listening("mxp+ws://127.0.0.1:0/?a"), { name: "DialError" });
  await assert.rejects(listening("mxp+wss://127.0.0.1:0/"), /TLS is not configured/);
});

test("calls, streams and large values go over ws and wss", async () => {
  const certificates = join(repository, "mxp/rust/tests/net/certificates");
  const [cert, tlsKey] = [readFileSync(join(certificates, "server.pem")), readFileSync(join(certificates, "server.key"))];
  for (const scheme of ["ws", "wss"]) {
    const { listener, stop } = await listening(`mxp+${scheme}://127.0.0.1:0/a/b`, { tls: { cert, key: tlsKey }, webSocket: { token: "t-1" } });
    const client = new Client(listener.address, { transports: socketTransports({ tls: { rejectUnauthorized: false }, webSocket: { token: "t-1" } }) });
    const large = new Uint8Array(5 << 20).map((_, i) => i);
    assert.deepEqual((await client.call(echo, large)).value, large);
    await Promise.all(Array.from({ length: 300 }, (_, i) => client.call(echo, new Uint8Array(i)).then(({ value }) => assert.equal(value.length, i))));
    const stream = await client.open(count, new TextEncoder().encode("200"), true);
    await sleep(50); // more is sent than there is credit for
    let chunks = 0;
    for (let value = await stream.next(); value !== undefined; value = await stream.next()) {
      assert.equal(value[0], 200 - chunks++);
    }
    assert.equal(chunks, 200);
    await client.close();
    await stop();
  }
});

test("a client is told why its handshake is refused [MXP-19.2]", async () => {
  const { listener, stop } = await listening("mxp+ws://127.0.0.1:0/mxp", { webSocket: { token: "abc" } });
  for (const [address, token, status, text] of [
    [listener.address, "other", 16, /401 Unauthorized: the token is missing, or another/],
    [listener.address.replace("/mxp", "/"), "abc", 9, /404/],
    ["mxp+ws://127.0.0.1:1/", "abc", 14, /ECONNREFUSED/],
    ["mxp+ws://127.0.0.1:1/?a", "abc", 3, /no place/],
  ] as const) {
    const client = new Client(address, { transports: socketTransports({ webSocket: { token } }), connectTimeoutMs: 300 });
    await assert.rejects(client.call(echo, new Uint8Array(0)), (error: { status: number; text: string }) => error.status === status && text.test(error.text), String(text));
    await client.close();
  }
  await stop();
});

test("a program without the package ws is told to install it", { skip: "Bun" in globalThis }, () => { // Bun has it
  const folder = mkdtempSync(join(tmpdir(), "mxp-"));
  for (const part of ["mxp/typescript/src", "runtime"]) {
    cpSync(join(import.meta.dirname, "../../..", part), join(folder, part), { recursive: true });
  }
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const program = join(folder, "program.js");
  writeFileSync(program, 'import { listen } from "./mxp/typescript/src/node.js"; await listen("mxp+ws://127.0.0.1:0/", () => undefined).catch((error) => console.log(error.status, error.message));');
  const said = execFileSync(engine, [engineArguments, "Deno" in globalThis ? ["run", "-A"] : [], program].flat(), { cwd: folder, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  assert.equal(said, "9 WebSockets need the package ws here: npm install ws\n");
});

test("handshakes come by the HTTP server that a program has", async () => {
  const server = served();
  const web = http.createServer((_, response) => response.end("a page"));
  web.on("upgrade", await webSocketHandshakes((wire) => server.accept(wire)));
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const { port } = web.address() as net.AddressInfo;
  const client = new Client(`mxp+ws://127.0.0.1:${port}/anything`, { transports: socketTransports() });
  assert.equal((await client.call(echo, new Uint8Array(7))).value.length, 7);
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "a page");
  await client.close();
  await server.close();
  web.close();
});

/** A class WebSocket of which a test says what happens. */
class Fake implements WebSocketLike {
  static readonly made: Fake[] = [];
  binaryType = "blob";
  readonly protocol = "mxp.1";
  readonly bufferedAmount = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  readonly closed: (number | undefined)[] = [];
  readonly began = performance.now();

  constructor() {
    Fake.made.push(this);
  }

  send(): void {}

  close(code?: number): void {
    if (code !== undefined && code !== 1000) {
      throw new Error("the code is none that a page may give");
    }
    this.closed.push(code);
  }
}

test("a wire sets what its WebSocket gives, and a text message ends it in a page, too [MXP-19.3]", async () => {
  const socket = new Fake();
  const wire: Wire = new SocketWire(socket, false);
  assert.equal(socket.binaryType, "arraybuffer");
  const causes: string[] = [];
  wire.start({ bytes: () => assert.fail(), moved: () => undefined, drained: () => undefined, ended: () => undefined, closed: (cause) => causes.push(cause) });
  await undefined; // the owner is not called from within its own call
  (socket.onmessage as unknown as (event: { data: string }) => void)({ data: "text" });
  assert.deepEqual([socket.closed, causes], [[undefined], ["the peer has sent a text message"]]);
});

test("an attempt ends with its error, behind which Node 22 says nothing, and one that hangs after 2 s", async () => {
  Fake.made.length = 0;
  const client = new Client("mxp+ws://127.0.0.1:1/", { transports: socketTransports({ webSocket: { WebSocket: Fake } }) });
  await client.connected({ timeoutMs: 20 }).catch(() => undefined);
  assert.equal(Fake.made.length, 1);
  (Fake.made[0]?.onerror as unknown as () => void)();
  await client.connected({ timeoutMs: 100 }).catch(() => undefined);
  assert.equal(Fake.made.length, 2, "another begins at once");
  await client.connected({ timeoutMs: 2500 }).catch(() => undefined);
  const [, second, third] = Fake.made;
  const hung = (third?.began ?? Infinity) - (second?.began ?? 0);
  assert(hung > 1900 && hung < 2400, `another begins after ${hung} ms`);
  assert.equal(second?.closed.length, 1);
  const closed = client.close();
  (third?.onerror as unknown as () => void)();
  await closed;
});

/** The frame of a client: its first byte, and a payload under a mask. */
function frame(first: number, payload: Uint8Array, length = payload.length): Buffer {
  const head = length < 126 ? Buffer.of(first, 0x80 | length) : Buffer.concat([Buffer.of(first, 0xff), Buffer.alloc(8)]);
  if (length >= 126) {
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, Buffer.of(1, 2, 3, 4), Buffer.from(payload.map((byte, i) => byte ^ ((i % 4) + 1)))]);
}

/** The payloads of whole messages, and what else there is as it is. */
function messages(frames: Buffer): { data: number[]; rest: Buffer } {
  const data: number[] = [];
  while (frames.length >= 6 && frames[0] === 0x82) {
    const short = (frames[1] as number) & 0x7f;
    const long = short === 126 ? 2 : short === 127 ? 8 : 0;
    const length = long === 0 ? short : long === 2 ? frames.readUInt16BE(2) : Number(frames.readBigUInt64BE(2));
    const [mask, payload] = [frames.subarray(2 + long, 6 + long), frames.subarray(6 + long, 6 + long + length)];
    payload.forEach((byte, i) => data.push(byte ^ (mask[i % 4] as number)));
    frames = frames.subarray(6 + long + length);
  }
  return { data, rest: frames };
}

test("messages are cut where they come in pieces, and every cut gives the same bytes", () => {
  const bytes = Uint8Array.from({ length: 700 }, (_, i) => i);
  const sent = Buffer.concat([
    frame(0x82, bytes.subarray(0, 100)), frame(0x02, bytes.subarray(100, 103)), frame(0, bytes.subarray(103, 400)), frame(0, bytes.subarray(0, 0)), frame(0x80, bytes.subarray(400, 500)), frame(0x82, bytes.subarray(500)),
  ]);
  for (let size = 1; size < sent.length; size++) {
    const came: Buffer[] = [];
    const cut = new Cut((frames) => came.push(Buffer.from(frames)), () => assert.fail());
    for (let at = 0; at < sent.length; at += size) {
      cut.take(sent.subarray(at, at + size));
    }
    const { data, rest } = messages(Buffer.concat(came));
    assert.deepEqual([Uint8Array.from(data), rest.length], [bytes, 0], `pieces of ${size}`);
  }
});

test("a message that is never whole is handed on as it comes, and a Close waits", () => {
  const came: Buffer[] = [];
  let closings = 0;
  const cut = new Cut((frames) => came.push(frames), () => closings++);
  cut.take(frame(0x82, Uint8Array.of(1, 2, 3, 4, 5), 1 << 30));
  assert.deepEqual(messages(Buffer.concat(came)).data, [1, 2, 3, 4, 5]);
  const other = new Cut((frames) => came.push(frames), () => closings++);
  came.length = 0;
  const close = frame(0x88, Uint8Array.of(3, 0xe8));
  const ping = frame(0x89, Uint8Array.of(7));
  other.take(Buffer.concat([ping, close.subarray(0, 3)]));
  other.take(close.subarray(3));
  assert.deepEqual([Buffer.concat(came), closings], [ping, 1]);
  other.release();
  assert.deepEqual(Buffer.concat(came), Buffer.concat([ping, close]));
});

test("a connection that asks for nothing does not stay", async () => {
  const ms = await idled;
  assert(ms < 13_000, `it stays for ${ms} ms`);
});
