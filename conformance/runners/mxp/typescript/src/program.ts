// A server or a client that does what lines say. It is the same in every language;
// conformance/README.md describes it.
import { Client, type MethodName } from "../../../../../mxp/typescript/src/net/client.js";
import { MxpError } from "../../../../../mxp/typescript/src/engine/failure.js";
import type { CallOptions } from "../../../../../mxp/typescript/src/net/request.js";
import { Status } from "../../../../../mxp/typescript/src/session/index.js";
import { Server } from "../../../../../mxp/typescript/src/net/server.js";
import type { RawStream } from "../../../../../mxp/typescript/src/net/streams.js";
import type { Transport, Wire } from "../../../../../mxp/typescript/src/net/wire.js";

/** The words of a line, key=value. */
export type Options = ReadonlyMap<string, string>;

/** The listener of the program's lines, and the transport of its clients. */
export interface Around {
  say(line: string): void;
  readonly transport: Transport;
}

const service = "sim.Load";
const headBytes = 32;

function method(number: number, idempotent = false): MethodName {
  return { service, name: "", number, idempotent };
}

function number(options: Options, key: string): number {
  return Number(options.get(key) ?? 0);
}

/** The milliseconds of a line's microseconds; undefined where it has none. */
function time(options: Options, key: string): number | undefined {
  const us = options.get(key);
  return us === undefined ? undefined : Number(us) / 1000;
}

/** Members without the undefined ones. */
function given<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** The start of each value: which request it is, how long its handler works, and the bytes, or the number of chunks, that are answered. */
interface Head {
  readonly id: number;
  readonly workMs: number;
  readonly reply: number;
  readonly chunks: number;
}

function headOf(value: Uint8Array): Head {
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  const field = (n: number): number => Number(view.getBigUint64(8 * n, true));
  return { id: field(0), workMs: field(1) / 1000, reply: field(2), chunks: field(3) };
}

function valueOf(options: Options, bytes: number): Uint8Array {
  const value = new Uint8Array(headBytes + bytes);
  const view = new DataView(value.buffer);
  for (const [n, key] of ["id", "work", "reply", "chunks"].entries()) {
    view.setBigUint64(8 * n, BigInt(number(options, key)), true);
  }
  return value;
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) {
    await new Promise<void>((resolve) => setTimeout(resolve, ms));
  }
}

export class Program {
  readonly #around: Around;
  readonly #servers = new Map<string, Server>();
  /** Controllers that take a request back, by its id. */
  readonly #cancels = new Map<string, AbortController>();
  #client: Client | undefined;
  /** Why there is none. */
  #failure: unknown;

  constructor(around: Around) {
    this.#around = around;
  }

  command(verb: string, options: Options): void {
    switch (verb) {
      case "draw":
        Math.random = () => number(options, "part") / 1e6;
        return;
      case "serve":
        this.#serve(options);
        return;
      case "client":
        try {
          this.#client = this.#connect(options);
        } catch (error) {
          this.#failure = error;
        }
        return;
      case "shutdown": {
        const name = options.get("server") ?? "";
        void this.#within(number(options, "us"), `shut ${name}`, this.#servers.get(name)?.close(number(options, "us") / 1000));
        return;
      }
      case "leave":
        void this.#within(number(options, "us"), "left", this.#client?.close());
        return;
      case "cancel":
        this.#cancels.get(options.get("id") ?? "")?.abort();
        return;
      case "call":
      case "event":
        void this.#ask(verb, options);
        return;
      case "open":
        void this.#open(options);
        return;
      default:
        throw new Error(`no command ${verb}`);
    }
  }

  accept(server: string, wire: Wire): void {
    this.#servers.get(server)?.accept(wire);
  }

  /** Says whether something has ended in time. */
  async #within(us: number, what: string, end: Promise<void> | undefined): Promise<void> {
    const begun = performance.now();
    const late = pause(us / 1000);
    await Promise.race([end, late]);
    this.#around.say(`${what} ${performance.now() - begun < us / 1000 ? "ok" : "deadline_exceeded"} 1`);
  }

  // A server.

  #serve(options: Options): void {
    const server = new Server({
      onError: () => undefined,
      onNotice: () => undefined,
      limits: given({
        connectionBytes: options.has("connection_bytes") ? number(options, "connection_bytes") : undefined,
        inFlight: options.has("in_flight") ? number(options, "in_flight") : undefined,
      }),
      ...given({
        memoryBytes: options.has("memory_bytes") ? number(options, "memory_bytes") : undefined,
        windowBytes: options.has("window_bytes") ? number(options, "window_bytes") : undefined,
      }),
    });
    const begins = (kind: string, value: Uint8Array): Head => {
      const head = headOf(value);
      this.#around.say(`begun ${kind} ${head.id} ${value.length - headBytes}`);
      return head;
    };
    const works = async (kind: string, value: Uint8Array): Promise<Head> => {
      const head = begins(kind, value);
      await pause(head.workMs);
      this.#around.say(`done ${kind} ${head.id}`);
      return head;
    };
    server.add(service, [
      {
        ...method(1),
        answer: async (value) => {
          const { reply, chunks } = await works("call", value);
          if (chunks > 0) {
            throw new MxpError(Status.InvalidArgument, "asked", { details: new Uint8Array(reply) });
          }
          const answer = new Uint8Array(headBytes + reply);
          answer.set(value.subarray(0, headBytes));
          return answer;
        },
      },
      {
        ...method(2),
        isEvent: true,
        answer: async (value) => {
          await works("event", value);
          return new Uint8Array(0);
        },
      },
      {
        ...method(3),
        stream: async (value, stream) => {
          const head = begins("stream", value);
          try {
            await serveStream(head, stream);
          } finally {
            this.#around.say(`done stream ${head.id}`);
          }
        },
      },
    ], []);
    this.#servers.set(options.get("server") ?? "", server);
  }

  // A client.

  #connect(options: Options): Client {
    const count = Math.max(1, number(options, "addresses"));
    const addresses = Array.from({ length: count }, (_, n) => `mxp+trace://${n + 1}`);
    const retry = options.has("attempts") ? {
      attempts: number(options, "attempts"), leastPauseMs: number(options, "least_us") / 1000,
      greatestPauseMs: number(options, "greatest_us") / 1000, budget: number(options, "budget") / 1e6,
      ...given({ timeoutMs: time(options, "timeout_us"), hedgeMs: time(options, "hedge_us") }),
    } : undefined;
    const at = options.get("address");
    if (at !== undefined) {
      addresses.splice(0, count, at);
    }
    return new Client(count === 1 ? addresses[0] as string : addresses, {
      transports: { trace: this.#around.transport },
      onNotice: () => undefined,
      keepOutliers: number(options, "keep_outliers") === 1,
      limits: given({
        connectionBytes: options.has("connection_bytes") ? number(options, "connection_bytes") : undefined,
        inFlight: options.has("in_flight") ? number(options, "in_flight") : undefined,
        inFlightBytes: options.has("in_flight_bytes") ? number(options, "in_flight_bytes") : undefined,
      }),
      ...given({
        retry, connectTimeoutMs: time(options, "connect_us"), connections: options.has("connections") ? number(options, "connections") : undefined,
        memoryBytes: options.has("memory_bytes") ? number(options, "memory_bytes") : undefined,
        windowBytes: options.has("window_bytes") ? number(options, "window_bytes") : undefined,
      }),
    });
  }

  #options(options: Options): CallOptions {
    const cancel = new AbortController();
    this.#cancels.set(options.get("id") ?? "", cancel);
    return { signal: cancel.signal, ...given({ timeoutMs: time(options, "deadline") }) };
  }

  #ended(kind: string, options: Options, error: unknown, got: number): void {
    const id = options.get("id") ?? "";
    if (this.#cancels.get(id)?.signal.aborted === true) {
      return; // nobody asks any more
    }
    const end = error === undefined ? `ok 1 ${got} 0` : error instanceof MxpError ? `${error.code} ${error.acted ? 1 : 0} ${got} ${error.status}` : `unknown 1 ${got} 2`;
    this.#around.say(`ended ${kind} ${id} ${end}`);
  }

  async #ask(kind: "call" | "event", options: Options): Promise<void> {
    const client = this.#client;
    const value = valueOf(options, number(options, "bytes"));
    try {
      let got = 0;
      if (client === undefined) {
        throw this.#failure;
      }
      if (kind === "call") {
        const reply = await client.call(method(1, number(options, "idempotent") === 1), value, this.#options(options));
        if (headOf(reply.value).id !== number(options, "id")) {
          throw new Error("the answer is another's");
        }
        got = reply.value.length - headBytes;
      } else {
        await client.event(method(2), value, { ...this.#options(options), ack: number(options, "ack") === 1 });
      }
      this.#ended(kind, options, undefined, got);
    } catch (error) {
      this.#ended(kind, options, error, 0);
    }
  }

  /** Opens a stream, sends its chunks with pauses, and reads the peer's, with pauses. */
  async #open(options: Options): Promise<void> {
    let got = 0;
    let stream: RawStream | undefined;
    const pauseMs = number(options, "pause") / 1000;
    try {
      stream = await (this.#client as Client).open({ ...method(3), service: options.get("service") ?? service }, valueOf(options, number(options, "bytes")), false, this.#options(options));
      for (let n = number(options, "send"); n > 0; n--) {
        await stream.send(new Uint8Array(number(options, "size")));
        await pause(pauseMs);
      }
      stream.end();
      while (await stream.next() !== undefined) {
        got++;
        await pause(pauseMs);
      }
      this.#ended("stream", options, undefined, got);
    } catch (error) {
      stream?.cancel(); // the user lets go of it
      this.#ended("stream", options, error, got);
    }
  }
}

/** Reads all chunks, works after each, and sends its own. */
async function serveStream(head: Head, stream: RawStream): Promise<void> {
  while (await stream.next() !== undefined) {
    await pause(head.workMs);
  }
  for (let n = head.chunks; n > 0; n--) {
    await stream.send(new Uint8Array(head.reply));
    await pause(head.workMs);
  }
}
