// Lists the tools of sdp-mcp by the official SDK of the Model Context Protocol, and calls each
// method of the example host, for `go run ./conformance/agents/host`.
//
//     node client.mjs SDP-MCP ADDRESS SCHEMA
import assert from "node:assert/strict";
import Ajv2020 from "ajv/dist/2020.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [program, address, schema] = process.argv.slice(2);
const client = new Client({ name: "conformance", version: "1" });
client.setNotificationHandler(ToolListChangedNotificationSchema, () => assert.fail("the tools do not change"));
await client.connect(
  new StdioClientTransport({ command: program, args: [address, "--schema", schema, "--metadata", "user=agent", "--quiet"] }),
);

const { tools } = await client.listTools();
const ajv = new Ajv2020({ strict: true, ownProperties: true });
const input = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.inputSchema)]));
const output = new Map(tools.filter((tool) => tool.outputSchema).map((tool) => [tool.name, ajv.compile(tool.outputSchema)]));

const called = new Set();
async function call(name, args, want) {
  assert.ok(input.get(name)(args), `${name} does not take ${JSON.stringify(args)}`);
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result));
  assert.deepEqual(result.structuredContent, want);
  if (want !== undefined) assert.ok(output.get(name)(want), JSON.stringify(output.get(name).errors));
  called.add(name);
}

await call("Mixer-fade", { requests: [{ channel: 3, decibels: -1 }, { channel: 3, decibels: -6 }] }, { channel: 3, decibels: -6 });
await call("Mixer-gain", { channel: 3, decibels: 0 }, { channel: 3, decibels: -6 });
const gains = [{ channel: 1, decibels: 2 }, { channel: 2, decibels: "-Infinity" }];
await call("Mixer-ride", { requests: gains }, { responses: gains });
await call("Mixer-muted", { channel: 3, decibels: 0 }, undefined);
const listed = { responses: [{ channel: 2, decibels: "-Infinity" }, { channel: 3, decibels: -96 }] };
await call("Mixer-list", { first: 2, last: 3 }, listed);
// A text is taken, too, where the schema has only the number.
const text = await client.callTool({ name: "Mixer-list", arguments: { first: "2", last: "3" } });
assert.deepEqual(text.structuredContent, listed);
assert.deepEqual(tools.map((tool) => tool.name).sort(), [...called].sort());

assert.ok(!input.get("Mixer-gain")({ channel: "three", decibels: 0 }));
const wrong = await client.callTool({ name: "Mixer-gain", arguments: { channel: "three", decibels: 0 } });
assert.ok(wrong.isError);
assert.match(wrong.content[0].text, /in channel: expected a u32/);
const unknown = await client.callTool({ name: "Mixer-gain", arguments: { channel: 99, decibels: 0 } });
assert.ok(unknown.isError);
assert.match(unknown.content[0].text, /NotFound \(5\) no_such_channel\nnobody has acted on the request/);

await client.close();
console.log(`${tools.length} tools listed, ${called.size} called`);
