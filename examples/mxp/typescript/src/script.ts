import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type CallOptions, Client, type ClientOptions, MxpError } from "mesh-exchange-protocol/node";
import { method, nothing, text, tick, upper } from "./demo.js";

/**
 * Runs the lines of the input, all at once. A line is a number, an address, and the actions of one
 * client there, in turn, with " ; " between:
 *
 *     call METHOD VALUE MS          a call whose deadline is MS
 *     calls COUNT METHOD VALUE MS   so many at once
 *     cancel METHOD VALUE MS        a call that is given up after MS
 *     stream MS VALUE...            sends values, and reads to the end
 *     read MS COUNT PAUSE_MS        reads COUNT chunks of a stream after a pause, and lets go of it
 *     event VALUE MS                an event that is acknowledged
 *     post VALUE                    one that is not
 *     wait MS
 *
 * `x*500` is a value of 500 bytes. Each result is a line: the number, and "answered", "chunk", "ended",
 * "acked" or "sent" with the length of a value and its first bytes, or "failed" with a name, whether the
 * server may have acted, and a text; "closed" is the last.
 */
export async function scripts(options: ClientOptions): Promise<void> {
  const all: Promise<void>[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    const [number = "", address = "", ...words] = line.split(" ");
    all.push(run(number, address, words.join(" "), options));
  }
  await Promise.all(all);
}

async function run(number: string, address: string, actions: string, options: ClientOptions): Promise<void> {
  const client = new Client(address, options);
  const script = new Script(number, client);
  for (const action of actions.split(" ; ")) {
    await script.act(action.split(" ").filter((word) => word !== ""));
  }
  await client.close();
  script.say("closed");
}

/** A client, whose actions are done one after the other. */
class Script {
  constructor(
    readonly number: string,
    readonly client: Client,
  ) {}

  say(result: string): void {
    console.log(`${this.number} ${result}`);
  }

  value(kind: string, value: Uint8Array): void {
    this.say(`${kind} ${value.length}:${text(value.subarray(0, 40))}`);
  }

  /** Does one thing, and prints its failure; missing words and wrong numbers are failures, too. */
  async act(words: readonly string[]): Promise<void> {
    try {
      await this.#act(words);
    } catch (error) {
      if (error instanceof MxpError) {
        this.say(`failed ${error.code} ${error.acted ? "acted" : "refused"} ${error.text}`);
      } else {
        this.say(`failed script refused ${error}`);
      }
    }
  }

  async #act([action, ...words]: readonly string[]): Promise<void> {
    const [first = "", second = "", third = "", fourth = ""] = words;
    switch (action) {
      case "call":
        return this.#call(first, second, { timeoutMs: numberOf(third) });
      case "calls":
        await Promise.all(Array.from({ length: numberOf(first) }, () => this.act(["call", second, third, fourth])));
        return;
      case "cancel":
        return this.#call(first, second, { signal: AbortSignal.timeout(numberOf(third)) });
      case "stream":
        return this.#stream(numberOf(first), words.slice(1).map(valueOf));
      case "read":
        return this.#read(numberOf(first), numberOf(second), numberOf(third));
      case "event":
        await this.client.event(tick, valueOf(first), { ack: true, timeoutMs: numberOf(second) });
        return this.say("acked");
      case "post":
        await this.client.event(tick, valueOf(first));
        return this.say("sent");
      case "wait":
        return sleep(numberOf(first));
      default:
        throw new Error(`there is no action ${action}`);
    }
  }

  async #call(number: string, value: string, options: CallOptions): Promise<void> {
    const reply = await this.client.call(method(numberOf(number)), valueOf(value), options);
    this.value("answered", reply.value);
  }

  async #stream(timeoutMs: number, values: readonly Uint8Array[]): Promise<void> {
    const opened = await this.client.open(upper, nothing, false, { timeoutMs });
    const send = async (): Promise<void> => {
      for (const value of values) {
        await opened.send(value);
      }
      opened.end();
    };
    const read = async (): Promise<void> => {
      for (let value = await opened.next(); value !== undefined; value = await opened.next()) {
        this.value("chunk", value);
      }
    };
    try {
      await Promise.all([send(), read()]);
    } finally {
      opened.cancel();
    }
    this.say("ended");
  }

  async #read(timeoutMs: number, count: number, pauseMs: number): Promise<void> {
    const opened = await this.client.open(upper, nothing, false, { timeoutMs });
    await sleep(pauseMs);
    for (let left = count; left > 0; left--) {
      const value = await opened.next();
      if (value === undefined) {
        break;
      }
      this.value("chunk", value);
    }
    opened.cancel();
    this.say("ended");
  }
}

function valueOf(value: string): Uint8Array {
  const [unit = "", count] = value.split("*");
  return new TextEncoder().encode(count === undefined ? unit : unit.repeat(numberOf(count)));
}

function numberOf(word: string): number {
  if (!/^\d+$/.test(word)) {
    throw new Error(`"${word}" is no number`);
  }
  return Number(word);
}
