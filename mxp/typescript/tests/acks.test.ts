// Tests of streams whose peer marks the last chunk as final, and asks for Acks [MXP-8.1] [MXP-8.5].
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client, listen, type RawStream, type ServerMethod, Server, socketTransports } from "../src/node.js";
import { Raw, request } from "./raw.js";

const folder = mkdtempSync(join(tmpdir(), "mxp-acks-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const method = (name: string, number: number) => ({ service: "demo.Echo", name, number, idempotent: false });

async function readAll(stream: RawStream): Promise<number> {
  let read = 0;
  while (await stream.next() !== undefined) {
    read++;
  }
  return read;
}

/** Sends four chunks, of which all but the first ask for an Ack, and the last is final. */
function sends(raw: Raw, id: bigint): void {
  for (let n = 1; n <= 4; n++) {
    raw.session.chunk(id, new Uint8Array(n), n === 4, n > 1, 0n);
  }
  raw.flush();
}

const acked = (raw: Raw, id: bigint, chunk: bigint): Promise<void> => raw.until(() => raw.has("acked", (one) => one.kind === "acked" && one.id === id && one.chunk === chunk));

for (const offerBatches of [false, true]) {
  test(`a stream that a peer ends by a final chunk, and wants acknowledged, ends at a server${offerBatches ? ", also in a batch" : ""}`, async () => {
    const read: number[] = [];
    const methods: ServerMethod[] = [
      { ...method("reads", 1), stream: async (_, stream) => void read.push(await readAll(stream)) },
      { ...method("leaves", 2), stream: async (_, stream) => {
        await stream.next();
        await new Promise((resolve) => setTimeout(resolve, 20)); // the others have come, and are not read
      } },
    ];
    const server = new Server();
    server.add("demo.Echo", methods, []);
    const listener = await listen(`mxp+unix://${join(folder, `server-${offerBatches}.sock`)}`, (wire) => server.accept(wire));
    const raw = Raw.dial(listener.address, { offerBatches });
    await raw.until(() => raw.session.ready);
    for (const number of [1, 2]) {
      const id = raw.session.open(request(number), 9, 9n, new Uint8Array(0), false, 0n);
      raw.flush();
      await raw.until(() => raw.has("granted", (one) => one.kind === "granted" && one.id === id));
      sends(raw, id);
      await acked(raw, id, 4n);
      await raw.until(() => raw.has("finished", (one) => one.kind === "finished" && one.id === id));
    }
    assert.deepEqual(read, [4]);
    assert.match(server.prometheus(), /mxp_in_flight\{side="peer"\} 0/);
    listener.close();
    const closed = server.close();
    await raw.until(() => raw.has("draining"));
    await closed;
  });
}

test("a stream that a server ends by a final chunk, and wants acknowledged, ends at a client", async () => {
  const path = join(folder, "client.sock");
  let raw: Raw | undefined;
  const listener = net.createServer((socket) => {
    raw = new Raw(socket, "acceptor", { services: ["demo.Echo"] });
  });
  await new Promise<void>((resolve) => listener.listen(path, resolve));
  const client = new Client(`mxp+unix://${path}`, { transports: socketTransports() });
  const stream = await client.open(method("sends", 1), new Uint8Array(0), true);
  const peer = raw as unknown as Raw;
  await peer.until(() => peer.has("open"));
  sends(peer, 1n);
  assert.equal(await readAll(stream), 4);
  await acked(peer, 1n, 4n);
  listener.close();
  await client.close();
});
