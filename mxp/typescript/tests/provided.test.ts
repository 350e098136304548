// Tests of health and reflection: what a client is told of a server that serves them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf } from "../src/control/runtime.js";
import { Client, Health, type HealthMethods, HealthState, listen, MethodKind, Reflection, type ReflectionMethods, serveHealth, serveReflection, Server, socketTransports, stub, type Stub } from "../src/node.js";

async function served(): Promise<{ server: Server; health: Stub<HealthMethods>; reflection: Stub<ReflectionMethods>; client: Client; set(service: string, state: number): void; stop(): Promise<void> }> {
  const server = new Server();
  server.add("demo.Echo", [{ service: "demo.Echo", name: "", number: 7, idempotent: false, answer: async (value) => value }], []);
  const reporter = serveHealth(server);
  serveReflection(server);
  const listener = await listen("mxp+tcp://127.0.0.1:0", (wire) => server.accept(wire));
  const client = new Client(listener.address, { transports: socketTransports() });
  return {
    server, client, health: stub(Health, client), reflection: stub(Reflection, client), set: (service, state) => reporter.set(service, state),
    stop: async () => {
      await client.close();
      listener.close();
      await server.close();
    },
  };
}

// [MXP-13.8]
test("a service is serving until its server says otherwise, and unknown where there is none", async () => {
  const { health, set, stop } = await served();
  assert.deepEqual(await health.check({ service: "" }), { state: HealthState.Serving });
  assert.deepEqual(await health.check({ service: "demo.None" }), { state: HealthState.Unknown });
  const watched = health.watch({ service: "demo.Echo" });
  assert.deepEqual(await watched.next(), { state: HealthState.Serving });
  set("demo.Echo", HealthState.NotServing);
  assert.deepEqual(await watched.next(), { state: HealthState.NotServing });
  assert.deepEqual(await health.check({ service: "demo.Echo" }), { state: HealthState.NotServing });
  assert.deepEqual(await health.check({ service: "" }), { state: HealthState.Serving });
  watched.cancel();
  await stop();
});

// [MXP-13.9]
test("a server that drains says that it is not serving, and ends those who watch", async () => {
  const { server, health, stop } = await served();
  const watched = health.watch({ service: "" });
  assert.deepEqual(await watched.next(), { state: HealthState.Serving });
  const began = performance.now();
  const closed = server.close();
  assert.deepEqual(await watched.next(), { state: HealthState.NotServing });
  assert.equal(await watched.next(), undefined);
  await closed;
  assert(performance.now() - began < 5000);
  await stop();
});

// [MXP-13.10]
test("a server describes what it serves, by the schema or by number", async () => {
  const { reflection, stop } = await served();
  assert.deepEqual(await reflection.list({}), { names: ["demo.Echo", "mxp.health.Health", "mxp.reflection.Reflection"] });
  assert.deepEqual(await reflection.describe({ service: "demo.Echo" }), {
    name: "demo.Echo", types: [],
    methods: [{ name: "", number: 7, kind: MethodKind.Call, idempotent: false, request: { type: "", flows: false }, response: { type: "", flows: false } }],
  });
  const { methods, types } = await reflection.describe({ service: "mxp.health.Health" });
  assert.deepEqual(methods.map(({ name, kind, response }) => [name, kind, response]), [
    ["check", MethodKind.Call, { type: "mxp.health.Report", flows: false }],
    ["watch", MethodKind.Stream, { type: "mxp.health.Report", flows: true }],
  ]);
  const report = Health.methods.check.response;
  assert.deepEqual(types.map(({ name }) => name), ["mxp.health.Report", "mxp.health.Request"]);
  assert.deepEqual(types[0], { name: "mxp.health.Report", fingerprints: BigUint64Array.from(report.fingerprints.cumulative), layout: layoutOf(report.type) });
  await assert.rejects(reflection.describe({ service: "demo.None" }), { code: "service_unknown", status: 12, acted: false });
  await stop();
});

// [MXP-13.7]
test("a request that is no value is not sent, and the failure says what was expected", async () => {
  const { health, stop } = await served();
  await assert.rejects(health.check({ service: 7 } as never), { status: 3, code: "value_invalid", acted: false, text: /service: expected a string, got number 7$/ });
  await stop();
});
