// The bytes that a server counts for its peers, beside the bytes that its heap grows by [MXP-15.2].
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Cost } from "./costs.js";
import { forkProgram } from "./program.js";

// [MXP-15.2]
test("what a server holds for its peers counts as it costs", { skip: "Deno" in globalThis || "Bun" in globalThis }, async () => {
  const child = forkProgram(fileURLToPath(new URL("costs.js", import.meta.url)));
  const costs: Cost[] = [];
  child.on("message", (cost: Cost) => costs.push(cost));
  const [code] = await new Promise<[number | null]>((resolve) => child.once("exit", (ended) => resolve([ended])));
  assert.equal(code, 0);
  assert.equal(costs.length, 11);
  const wrong = costs.filter((cost) => cost.wrong !== false);
  const said = costs.map(({ what, counted, taken }) => `${what}: ${Math.round(counted)} are counted, ${Math.round(taken)} taken`);
  console.log(said.join("\n"));
  assert.deepEqual(wrong.map(({ what }) => what), []);
});
