// Tests of a client's account of its connection, and of the times of its attempts [MXP-14.3].
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientState, DialError, portWire, Server, type Transports } from "../src/index.js";

const echo = { service: "demo.Echo", name: "echo", number: 1, idempotent: true };
const nothing = new Uint8Array(0);

/** A server at the other end of ports, which may be down, and the attempts to connect to it. */
class Far {
  server: Server | undefined;
  attempts = 0;
  readonly transports: Transports = {
    far: {
      dial: async () => {
        this.attempts++;
        const { server } = this;
        if (server === undefined) {
          throw new DialError(14, "there is nobody");
        }
        const { port1, port2 } = new MessageChannel();
        server.accept(portWire(port1));
        return portWire(port2);
      },
    },
  };

  up(): void {
    this.server = new Server();
    this.server.add("demo.Echo", [{ ...echo, answer: async (value) => value }], []);
  }

  async down(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    await server?.close();
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (const late = performance.now() + 5000; !holds(); await sleep(2)) {
    assert(performance.now() < late, `it never comes: ${holds}`);
  }
}

test("a client says where it stands, since when, and why", async () => {
  const far = new Far();
  const client = new Client("mxp+far://there", { transports: far.transports });
  const told: ClientState[] = [];
  const forget = client.onState((state) => told.push(state));
  assert.equal(client.state.kind, "looking");
  await until(() => client.state.why !== undefined);
  assert.match(client.state.why?.text ?? "", /there is nobody/);
  const began = client.state.since;
  far.up();
  await client.call(echo, nothing);
  assert.equal(client.state.kind, "connected");
  assert.equal(client.state.why, undefined);
  assert(client.state.since >= began);
  await far.down();
  await until(() => client.state.kind === "looking" && /there is nobody/.test(client.state.why?.text ?? ""));
  far.up();
  await client.connected();
  forget();
  await client.close();
  assert.equal(client.state.kind, "closed");
  const kinds = told.map(({ kind }) => kind).filter((kind, i, all) => kind !== all[i - 1]);
  assert.deepEqual(kinds, ["looking", "connected", "looking", "connected"]);
  assert(told.some(({ why }) => /there: the peer takes no more requests/.test(why?.text ?? "")), told.map(({ why }) => why?.text).join("; "));
  await far.down();
});

test("pauses grow while nothing waits, and a request begins an attempt", async (t) => {
  t.mock.method(Math, "random", () => 0.99);
  const far = new Far();
  const client = new Client("mxp+far://there", { transports: far.transports, connectTimeoutMs: 1200 });
  await sleep(2400); // of pauses of 5 ms to 640 ms, which end after 1.3 s, and of 1.3 s
  const alone = far.attempts;
  assert(alone >= 8 && alone <= 9, `${alone} attempts`);
  await assert.rejects(client.call(echo, nothing, { timeoutMs: 100 }), { status: 14 });
  assert.equal(far.attempts, alone + 1);
  far.up();
  await client.call(echo, nothing); // whose attempt begins within a second of the last one
  await client.close();
  await far.down();
});

test("in a page that is hidden or has no network a client rests, until that changes or something is asked", async () => {
  const page = globalThis as { document?: unknown };
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const see = (state: string): void => {
    document.visibilityState = state;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  page.document = document;
  try {
    const far = new Far();
    const client = new Client("mxp+far://there", { transports: far.transports, connectTimeoutMs: 50 });
    await until(() => far.attempts > 2);
    see("hidden");
    await until(() => client.state.kind === "resting");
    const before = far.attempts;
    await sleep(200);
    assert.equal(far.attempts, before);
    await assert.rejects(client.call(echo, nothing), { code: "not_connected" });
    await assert.rejects(client.call(echo, nothing), { code: "not_connected" });
    assert(far.attempts > before && far.attempts <= before + 2, `${far.attempts - before} attempts`);
    far.up();
    see("visible");
    await until(() => client.state.kind === "connected");
    see("hidden"); // a connection that is there stays
    assert.equal((await client.call(echo, nothing)).value.length, 0);
    assert.equal(client.state.kind, "connected");
    await client.close();
    await far.down();
  } finally {
    delete page.document;
  }
});
