import { type Client, MxpError } from "mesh-exchange-protocol/node";
import { echo, ended, nothing, upper } from "./demo.js";

/** The outcomes of calls. */
class Tally {
  made = 0;
  refused = 0; // nobody has acted on them
  lost = 0;
  readonly names = new Map<string, number>();
  readonly took: number[] = []; // of those that were answered, in milliseconds

  failed(error: MxpError): void {
    if (error.acted) {
      this.lost++;
    } else {
      this.refused++;
    }
    this.names.set(error.code, (this.names.get(error.code) ?? 0) + 1);
  }

  toString(): string {
    const took = Float64Array.from(this.took).sort();
    const at = (permille: number): number => Math.floor((took[Math.min(Math.floor((took.length * permille) / 1000), took.length - 1)] ?? 0) * 1000);
    const names = [...this.names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${name}:${n}`);
    return `calls=${this.made} answered=${took.length} refused=${this.refused} lost=${this.lost} p50_us=${at(500)} p99_us=${at(990)} max_us=${at(1000)} failures=${names.join() || "-"}`;
  }
}

/**
 * Calls echo from several callers at once until the program is told to end, and prints what became of
 * the calls. With chunks, a stream of them goes beside the calls, and each caller calls once in a
 * millisecond.
 */
export async function load(client: Client, callers: number, size: number, chunk: number): Promise<void> {
  const tally = new Tally();
  const streamed = chunk > 0 ? echoes(client, chunk) : undefined;
  const value = new Uint8Array(size);
  const caller = async (): Promise<void> => {
    while (!ended.aborted) {
      tally.made++;
      const began = performance.now();
      try {
        await client.call(echo, value, { timeoutMs: 10_000 });
        tally.took.push(performance.now() - began);
      } catch (error) {
        if (!(error instanceof MxpError)) {
          throw error;
        }
        tally.failed(error);
      }
      if (chunk > 0) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  console.log(String(tally));
  if (streamed !== undefined) {
    console.log(`streamed=${await streamed}`);
  }
}

/** Sends chunks until the program is told to end, and gives how many bytes came back. */
async function echoes(client: Client, chunk: number): Promise<number> {
  let back = 0;
  try {
    const stream = await client.open(upper, nothing, false, { signal: ended });
    const send = async (): Promise<void> => {
      for (const value = new Uint8Array(chunk); ; ) {
        await stream.send(value);
      }
    };
    send().catch(() => undefined); // the reader is told why
    for (let value = await stream.next(); value !== undefined; value = await stream.next()) {
      back += value.length;
    }
  } catch {
    // it has ended
  }
  return back;
}
