import type { Client } from "mesh-exchange-protocol/node";
import { bytes, count, method, nothing, text, tick, upper } from "./demo.js";

/** Calls a method by its number, and prints what it answers. */
export async function call(client: Client, number: number, value: string, timeoutMs: number): Promise<void> {
  const reply = await client.call(method(number), bytes(value), { timeoutMs });
  console.log(text(reply.value));
}

/** Sends words, and prints what comes back for each. */
export async function stream(client: Client, words: readonly string[], timeoutMs: number): Promise<void> {
  const opened = await client.open(upper, nothing, false, { timeoutMs });
  const sent = Promise.all(words.map((word) => opened.send(bytes(word)))).then(() => opened.end());
  for (let value = await opened.next(); value !== undefined; value = await opened.next()) {
    console.log(text(value));
  }
  await sent;
}

/** Sends an event, and prints how many there were. */
export async function event(client: Client, value: string, timeoutMs: number): Promise<void> {
  await client.event(tick, bytes(value), { ack: true, timeoutMs });
  const { value: total } = await client.call(count, nothing, { timeoutMs });
  console.log(String(new DataView(total.buffer, total.byteOffset, total.byteLength).getBigUint64(0, true)));
}
