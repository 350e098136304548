// Does at a host, from Node, what two panels do, and prints what they are told:
// `node --experimental-websocket ask.mjs HOST:PORT`.
import { Client, MxpError, stub, webSocketTransports } from "mesh-exchange-protocol";
import { type Change, Rack } from "../out/rack.js";

const client = new Client(`mxp+ws://${process.argv[2]}/mxp`, { transports: webSocketTransports() });
const rack = stub(Rack, client);
const { plugins } = await rack.plugins({});
console.log(`${plugins.length} plug-ins with ${plugins.reduce((n, plugin) => n + plugin.parameters.length, 0)} parameters`);

const at = plugins.findIndex(({ name }) => name === "Calf Compressor");
const parameters = plugins[at]?.parameters ?? [];
const input = parameters.findIndex(({ name }) => name === "Input");
const names = (change: Change | undefined): string => change?.moves.map(({ parameter, value }) => `${parameters[parameter]?.name} ${value}`).join(", ") ?? "nothing";

async function open(): Promise<ReturnType<typeof rack.panel>> {
  const panel = rack.panel();
  await panel.send({ kind: "Show", value: { plugin: at } });
  console.log(`a panel is told ${(await panel.next())?.moves.length} values`);
  return panel;
}
const left = await open();
const right = await open();
await left.send({ kind: "Turn", value: { parameter: input, value: 2 } });
console.log(`left turns Input; left is told: ${names(await left.next())}; right: ${names(await right.next())}`);

await right.send({ kind: "Automate", value: { on: true } });
const moved = new Set<number>();
for await (const { automated, moves } of right) {
  if (automated) {
    moves.forEach(({ parameter }) => moved.add(parameter));
  }
  if (moved.size >= 8) {
    break;
  }
}
console.log(`automation moves parameters, and Input, which left has its hand on: ${moved.has(input)}`);
await left.send({ kind: "LetGo", value: { parameter: input } });
for await (const { moves } of left) {
  if (moves.some(({ parameter }) => parameter === input)) {
    console.log("left lets go, and Input moves");
    break;
  }
}

const wrong = await open();
await wrong.send({ kind: "Turn", value: { parameter: input, value: 1e6 } });
try {
  for await (const _ of wrong); // changes that were under way
} catch (error) {
  console.log(error instanceof MxpError ? `a value that is none: ${error.status} ${error.code}: ${error.text}` : error);
}
const again = await open();
await again.send({ kind: "Automate", value: { on: false } });
for await (const { automated } of again) {
  if (!automated) {
    break;
  }
}
await client.close();
