import { type Limits, Refusal, type TypeInfo } from "../session/index.js";
import { connectUs, helloUs } from "../session/spec_gen.js";
import { Budget } from "./budget.js";
import { Connection, type RequestHandler } from "./connection.js";
import { MxpError, refusalError, toError } from "./failure.js";
import { type Asked, type CallOptions, type EventOptions, type Interceptor, intercepted, type Reply } from "./request.js";
import type { RawStream } from "./streams.js";
import { DialError, type Transports, transportOf, type Wire } from "./wire.js";

/** How requests are made again that have ended with Unavailable [MXP-14.8]. */
export interface RetryPolicy {
  /** How often a request is made at most, the first time included; 3. */
  readonly attempts?: number;
  /** The pauses before repetitions, in milliseconds: the first, which doubles, and the greatest; 10 and 1000. */
  readonly leastPauseMs?: number;
  readonly greatestPauseMs?: number;
  /** How much each request adds to what may be spent on repetitions, of which each costs 1; 0.1. */
  readonly budget?: number;
}

/** What a client is made with. */
export interface ClientOptions {
  readonly transports: Transports;
  /** The types that the services reach which are called; `use` of a stub adds them. */
  readonly types?: readonly TypeInfo[];
  /** Stand around all requests that are made. The first is the outermost. */
  readonly interceptors?: readonly Interceptor[];
  readonly retry?: RetryPolicy;
  /** How long a request waits for a connection, in milliseconds; 5000. */
  readonly connectTimeoutMs?: number;
  /** The longest payload that is taken; 16 MiB. */
  readonly payloadBytes?: number;
  /** How many bytes may be on their way to the reader of a stream; 2 MiB. The peer can send no chunk of more than half of it. */
  readonly windowBytes?: number;
  readonly limits?: Partial<Limits>;
  /** How much memory all connections may take together; a quarter of the machine's, or of the control group's. */
  readonly memoryBytes?: number;
  /** Answers requests of the peer's; and the names of the services that it may call. */
  readonly serves?: { readonly services: readonly string[]; readonly handler: RequestHandler };
}

/** A method, as a client needs it. */
export interface MethodName {
  readonly service: string;
  readonly name: string;
  readonly number: number;
  readonly idempotent: boolean;
}

const pauseMinMs = 5;
const pauseMaxMs = 1000;
const scarcePauseMs = 100;

/** What repetitions may cost, at first and at most [MXP-14.8]. */
const spendableMost = 10;

const empty = new Uint8Array(0);

/**
 * Asks the peer at one address, and connects again when a connection is lost. What needs the
 * connection waits for it. Requests that nobody has acted on are made again on the next one.
 */
export class Client {
  readonly address: string;
  readonly #options: ClientOptions;
  readonly #transport: { dial(place: string, signal: AbortSignal): Promise<Wire> };
  readonly #place: string;
  readonly #types: TypeInfo[];
  readonly #budget: Budget;
  readonly #make: (asked: Asked, use: Use) => Promise<Reply>;
  #connection: Connection | undefined;
  #connecting: Promise<void> | undefined;
  /** Why the last attempt has failed; undefined once one has not. */
  #failure: MxpError | undefined;
  readonly #waiting = new Set<Waiting>();
  readonly #drained = new Set<Connection>();
  #closed = false;
  #spendable: number = spendableMost;

  /** Begins to connect. Throws an MxpError for what is no address. */
  constructor(address: string, options: ClientOptions) {
    const found = transportOf(options.transports, address);
    if (found === undefined) {
      throw refusalError("address_invalid", `${address} is no address, or there is no transport for it`);
    }
    this.address = address;
    this.#options = options;
    this.#transport = found.transport;
    this.#place = found.place;
    this.#types = [...(options.types ?? [])];
    this.#budget = new Budget(options.memoryBytes);
    const interceptors = options.interceptors ?? [];
    this.#make = (asked, use) => intercepted(interceptors, use)(asked);
    queueMicrotask(() => this.#connect());
  }

  /** Adds types that services reach, for connections that are made from now on. */
  use(types: readonly TypeInfo[]): void {
    for (const type of types) {
      if (!this.#types.some(({ name }) => name === type.name)) {
        this.#types.push(type);
      }
    }
    this.#types.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Resolves when a connection is there that can be asked. */
  async connected(options: CallOptions = {}): Promise<void> {
    await this.#usable(this.#until(options), options.signal);
  }

  /** Takes no more requests, waits for those that are in flight, and closes. */
  async close(): Promise<void> {
    this.#closed = true;
    const error = refusalError("session_closed", "the client was closed");
    for (const waiting of this.#waiting) {
      waiting.reject(error);
    }
    this.#waiting.clear();
    const all = [...this.#drained, ...(this.#connection === undefined ? [] : [this.#connection])];
    this.#connection = undefined;
    for (const connection of all) {
      connection.drain("the client was closed");
    }
    await Promise.all(all.map((connection) => connection.gone));
  }

  // Connections.

  #connect(): void {
    if (!this.#closed && this.#connecting === undefined && this.#connection?.usable !== true) {
      this.#connecting = this.#attempts().finally(() => {
        this.#connecting = undefined;
      });
    }
  }

  /** Makes attempts, with pauses between them, until one succeeds [MXP-14.3]. */
  async #attempts(): Promise<void> {
    let pause = 0;
    while (!this.#closed) {
      try {
        this.#take(await this.#attempt());
        return;
      } catch (error) {
        this.#failure = error as MxpError;
        if (this.#failure.status !== 14) {
          this.#fail(this.#failure);
        }
      }
      pause = Math.min(Math.max(2 * pause, pauseMinMs), pauseMaxMs);
      await sleep(Math.random() * pause);
    }
  }

  /** Uses a connection that was made. */
  #take(connection: Connection): void {
    if (this.#closed) {
      connection.destroy();
      return;
    }
    this.#connection = connection;
    this.#failure = undefined;
    for (const waiting of this.#waiting) {
      waiting.resolve(connection);
    }
    this.#waiting.clear();
  }

  /** Ends what waits for a connection: an attempt has failed for good [MXP-14.4]. */
  #fail(error: MxpError): void {
    for (const waiting of this.#waiting) {
      waiting.reject(error);
    }
    this.#waiting.clear();
  }

  async #attempt(): Promise<Connection> {
    const late = AbortSignal.timeout(helloUs / 1000);
    let connection: Connection | undefined;
    try {
      const wire = await this.#transport.dial(this.#place, late);
      const { serves, payloadBytes, limits, windowBytes = 2 << 20 } = this.#options;
      const made: Connection = new Connection(wire, {
        peer: this.address,
        windowBytes,
        budget: this.#budget,
        config: {
          role: "opener", services: serves?.services ?? [], types: [...this.#types], offerBatches: true,
          ...(payloadBytes === undefined ? {} : { payloadBytes }), ...(limits === undefined ? {} : { limits }),
        },
        ...(serves === undefined ? {} : { handler: serves.handler }),
        onDraining: () => this.#draining(made),
        onClosed: () => this.#lost(made),
      });
      connection = made;
      await made.ready;
      return made;
    } catch (error) {
      connection?.destroy();
      if (error instanceof DialError) {
        throw new MxpError(error.status, error.status === 3 ? "address_invalid" : "not_connected", { text: `${this.address}: ${error.message}`, acted: false });
      }
      throw error instanceof MxpError ? new MxpError(error.status, error.code, { ...error, acted: false, text: `${this.address}: ${error.text}` }) : toError(error);
    }
  }

  #draining(connection: Connection): void {
    if (this.#connection === connection) {
      this.#connection = undefined;
      this.#drained.add(connection);
      this.#connect(); // what is in flight goes on [MXP-14.6]
    }
  }

  #lost(connection: Connection): void {
    this.#drained.delete(connection);
    if (this.#connection === connection) {
      this.#connection = undefined;
    }
    if (this.#connecting === undefined) {
      this.#connect();
    }
  }

  /** A connection that can be asked; waits for one until then. */
  #usable(until: number | undefined, signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#closed) {
      return Promise.reject(refusalError("session_closed", "the client was closed"));
    }
    if (this.#connection?.usable === true) {
      return Promise.resolve(this.#connection);
    }
    if (this.#failure !== undefined && this.#failure.status !== 14) {
      return Promise.reject(this.#failure);
    }
    this.#connect();
    return new Promise((resolve, reject) => {
      const { connectTimeoutMs = connectUs / 1000 } = this.#options;
      const wait = Math.min(connectTimeoutMs, until === undefined ? Infinity : until - performance.now());
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        resolve: (connection) => {
          leave();
          resolve(connection);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      const aborted = (): void => waiting.reject(refusalError("cancelled"));
      const timer = setTimeout(() => waiting.reject(this.#failure ?? refusalError("not_connected", `${this.address}: nothing has answered yet`)), Math.max(0, wait));
      this.#waiting.add(waiting);
      if (signal?.aborted === true) {
        aborted();
      }
      signal?.addEventListener("abort", aborted);
    });
  }

  #until(options: CallOptions): number | undefined {
    return options.timeoutMs === undefined ? undefined : performance.now() + options.timeoutMs;
  }

  // Requests.

  /** Asks for an answer. */
  call(method: MethodName, value: Uint8Array, options: CallOptions = {}): Promise<Reply> {
    return this.#request(asking("call", method, value, options), options, true, (connection, asked, deadline, signal) => {
      return connection.ask((session, now) => session.call(requestOf(connection, asked, deadline()), asked.value, now), signal);
    });
  }

  /** Sends an event; waits for its Ack, where it is asked for. */
  event(method: MethodName, value: Uint8Array, options: EventOptions = {}): Promise<Reply> {
    const ack = options.ack === true;
    return this.#request(asking("event", method, value, options), options, ack, async (connection, asked, _deadline, signal) => {
      if (ack) {
        return connection.ask((session, now) => session.event(requestOf(connection, asked, 0n), asked.value, true, "refuse", now) as bigint, signal);
      }
      await connection.inLine((session, now) => session.event(requestOf(connection, asked, 0n), asked.value, false, "refuse", now), signal);
      return { value: empty, metadata: [] };
    });
  }

  /** Opens a stream. A final one has no requests but the value. */
  async open(method: MethodName, value: Uint8Array, final: boolean, options: CallOptions = {}): Promise<RawStream> {
    let stream: RawStream | undefined;
    await this.#request(asking("stream", method, value, options), options, false, async (connection, asked, deadline, signal) => {
      stream = await connection.open(requestOf(connection, asked, deadline()), asked.value, final, signal);
      return { value: empty, metadata: [] };
    });
    if (stream === undefined) {
      throw new MxpError(13, "unknown", { text: "an interceptor has opened no stream" });
    }
    const { signal } = options;
    if (signal !== undefined) {
      const opened = stream;
      const cancel = (): void => opened.cancel();
      signal.addEventListener("abort", cancel);
      opened.onOver = (): void => signal.removeEventListener("abort", cancel);
    }
    return stream;
  }

  async #request(asked: Asked, options: CallOptions, retries: boolean, make: Make): Promise<Reply> {
    const until = this.#until(options);
    const deadline = (): bigint => (until === undefined ? 0n : BigInt(Math.max(1, Math.ceil((until - performance.now()) * 1000))));
    try {
      return await this.#make(asked, (given) => this.#repeat(given, options, until, retries, (connection, signal) => make(connection, given, deadline, signal)));
    } catch (error) {
      throw toError(error).of(`${asked.service}/${asked.name}`, this.address);
    }
  }

  /** Makes a request, again where nobody has acted on it [MXP-14.6], and by the policy [MXP-14.8]. */
  async #repeat(asked: Asked, options: CallOptions, until: number | undefined, retries: boolean, make: Attempt): Promise<Reply> {
    const { attempts = 3, leastPauseMs = 10, greatestPauseMs = 1000, budget = 0.1 } = this.#options.retry ?? {};
    const policy = retries && this.#options.retry !== undefined;
    this.#spendable = policy ? Math.min(this.#spendable + budget, spendableMost) : this.#spendable;
    let scarcePause = 1;
    const scarceUntil = until ?? performance.now() + (this.#options.connectTimeoutMs ?? connectUs / 1000);
    for (let n = 1; ; ) {
      let connection: Connection | undefined;
      try {
        connection = await this.#usable(until, options.signal);
        return await timed(connection, make, until, options.signal);
      } catch (thrown) {
        const error = toError(thrown);
        if (connection === undefined || this.#closed || (until !== undefined && performance.now() >= until)) {
          throw error;
        }
        if (!error.acted && (error.code === "session_draining" || (connection.end !== undefined && error.status === 14))) {
          continue;
        }
        if (!error.acted && (error.code === "limit_in_flight" || error.code === "limit_in_flight_bytes") && performance.now() < scarceUntil) {
          await sleep(Math.random() * scarcePause);
          scarcePause = Math.min(2 * scarcePause, scarcePauseMs);
          continue;
        }
        if (!policy || n >= attempts || error.status !== 14 || (error.acted && !asked.idempotent) || this.#spendable < 1) {
          throw error;
        }
        const longest = Math.min(leastPauseMs * 2 ** (n - 1), greatestPauseMs);
        const pause = longest / 2 + (Math.random() * longest) / 2;
        if (until !== undefined && performance.now() + pause >= until) {
          throw error;
        }
        this.#spendable--;
        n++;
        await sleep(pause);
      }
    }
  }
}

interface Waiting {
  resolve(connection: Connection): void;
  reject(error: MxpError): void;
}

type Use = (asked: Asked) => Promise<Reply>;

type Attempt = (connection: Connection, signal: AbortSignal | undefined) => Promise<Reply>;

type Make = (connection: Connection, asked: Asked, deadline: () => bigint, signal: AbortSignal | undefined) => Promise<Reply>;

function asking(kind: Asked["kind"], method: MethodName, value: Uint8Array, options: CallOptions): Asked {
  const { service, name, number, idempotent } = method;
  return { kind, service, name, number, idempotent, value, metadata: options.metadata ?? [], trace: options.trace };
}

/** What a session is asked. */
function requestOf(connection: Connection, asked: Asked, deadline: bigint): {
  service: number; method: number; deadline: bigint; trace: { id: Uint8Array; parent: bigint; flags: number } | null; metadata: Asked["metadata"];
} {
  const service = connection.service(asked.service);
  if (service === undefined) {
    throw new Refusal("service_unknown");
  }
  const { trace } = asked;
  const state = trace?.state === undefined || trace.state === "" ? [] : [{ key: "tracestate", value: new TextEncoder().encode(trace.state) }];
  return {
    service, method: asked.number, deadline, metadata: [...asked.metadata, ...state],
    trace: trace === undefined ? null : { id: trace.id, parent: trace.parent, flags: trace.flags },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What comes of a request, or the refusal of a deadline if that is first: what waits in line has none at the session yet. */
async function timed(connection: Connection, make: Attempt, until: number | undefined, signal: AbortSignal | undefined): Promise<Reply> {
  if (until === undefined) {
    return make(connection, signal);
  }
  const late = new AbortController();
  // The session's own deadline comes first, and knows whether the request was sent.
  const timer = setTimeout(() => late.abort(), Math.max(0, until - performance.now()) + 20);
  try {
    return await make(connection, signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]));
  } catch (error) {
    throw late.signal.aborted ? refusalError("deadline_exceeded") : error;
  } finally {
    clearTimeout(timer);
  }
}
