// Times calls of 64 bytes over a unix socket, alone and 256 in flight, in rounds in which a bare echo of the
// same bytes takes turns; and values of a stream. Server and client are in one process.
import { mkdtempSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import { join } from "node:path";
import { Client, listen, Server, socketTransports } from "./out/mxp/typescript/src/node.js";

const rounds = Number(process.argv[2] ?? 15);
const folder = mkdtempSync(join(os.tmpdir(), "mxp-"));
const value = new Uint8Array(64).fill(7);
const method = (name, number) => ({ service: "demo.Echo", name, number, idempotent: true });

const server = new Server();
server.add("demo.Echo", [
  { ...method("echo", 1), answer: async (bytes) => bytes },
  { ...method("count", 2), stream: async (bytes, stream) => {
    for (let n = 0; n < 20_000; n++) {
      await stream.send(value);
    }
  } },
], []);
const listener = await listen(`mxp+unix://${join(folder, "mxp.sock")}`, (wire) => server.accept(wire));
const client = new Client(listener.address, { transports: socketTransports() });
await client.connected();

const echo = net.createServer((socket) => socket.pipe(socket)).listen(join(folder, "echo.sock"));
const bare = net.connect(join(folder, "echo.sock"));
let answered = () => undefined;
bare.on("data", () => answered());
const ask = () => new Promise((resolve) => {
  answered = resolve;
  bare.write(value);
});

const sorted = (list) => [...list].sort((a, b) => a - b);
const median = (list) => sorted(list)[list.length >> 1];

/** The median of the time of one, in microseconds. */
async function alone(run, n) {
  const times = [];
  for (let i = 0; i < n; i++) {
    const begun = performance.now();
    await run();
    times.push((performance.now() - begun) * 1000);
  }
  return median(times);
}

/** How many a second, with so many in flight. */
async function together(run, flights, n) {
  let left = n;
  const begun = performance.now();
  await Promise.all(Array.from({ length: flights }, async () => {
    while (left-- > 0) {
      await run();
    }
  }));
  return n / (performance.now() - begun) * 1000;
}

async function stream() {
  const begun = performance.now();
  const values = await client.open(method("count", 2), value, true);
  let n = 0;
  while ((await values.next()) !== undefined) {
    n++;
  }
  return n / (performance.now() - begun) * 1000;
}

const call = () => client.call(method("echo", 1), value);
const seen = { call: [], echo: [], ratio: [], flight: [], stream: [] };
for (let round = -2; round < rounds; round++) {
  const one = { call: await alone(call, 400), echo: await alone(ask, 400), flight: await together(call, 256, 4000), stream: await stream() };
  if (round >= 0) {
    for (const key of Object.keys(one)) {
      seen[key].push(one[key]);
    }
    seen.ratio.push(one.call / one.echo);
  }
}
const short = (n) => Number(n.toPrecision(3));
const results = {
  machine: `${os.cpus()[0]?.model ?? "?"}, ${os.cpus().length} processors`, engine: `Node ${process.versions.node}`, rounds,
  call_p50_us: short(median(seen.call)), bare_echo_p50_us: short(median(seen.echo)), ratio: short(median(seen.ratio)),
  ratio_range: [short(Math.min(...seen.ratio)), short(Math.max(...seen.ratio))],
  calls_per_s_256_in_flight: short(median(seen.flight)), stream_values_per_s: short(median(seen.stream)),
};
console.log(results);
writeFileSync("../results/typescript_mxp.json", `${JSON.stringify(results, null, 2)}\n`);
await client.close();
listener.close();
await server.close();
bare.destroy();
echo.close();
