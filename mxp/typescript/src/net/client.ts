import { Balancer } from "../engine/balancer.js";
import { Budget } from "../engine/budget.js";
import { nothing } from "../engine/bytes.js";
import { MxpError, refusalError, toError } from "../engine/failure.js";
import type { Stream } from "../engine/link/stream.js";
import { Repeats } from "../engine/repeat.js";
import { headOf } from "../engine/request.js";
import { longestMs, Retries, Retry, type RetryPolicy } from "../engine/retry.js";
import { type ClientState, States } from "../engine/state.js";
import { messagesOf } from "../engine/window.js";
import { type SessionRequest, Status, type TypeInfo } from "../session/index.js";
import { connectUs } from "../session/spec_gen.js";
import { onAbort, onDeadline, sleep } from "./abort.js";
import { Connection, linkOptions, type RequestHandler, type SharedOptions } from "./connection.js";
import { Counters } from "./counters.js";
import { Dialer } from "./dialer.js";
import { hedged } from "./hedge.js";
import { budgetBytes } from "./memory.js";
import { type Request, type CallOptions, type EventOptions, intercepted, type Reply } from "./request.js";
import { RawStream } from "./streams.js";
import { type Transports, transportOf } from "./wire.js";

/** The options of a client. */
export interface ClientOptions extends SharedOptions {
  readonly transports: Transports;
  /** The types that the services reach which are called; `use` of a stub adds them. */
  readonly types?: readonly TypeInfo[];
  readonly retry?: RetryPolicy;
  /** How many connections there are to each address; 1. */
  readonly connections?: number;
  /** Asks a connection even while requests fail on it, where there are others [MXP-14.10]. */
  readonly keepOutliers?: boolean;
  /** The longest time that a request waits for a connection, in milliseconds; 5000. */
  readonly connectTimeoutMs?: number;
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

/**
 * Asks the peers at one or several addresses that serve the same, and connects again when a connection
 * is lost. A request waits for a connection if there is none. Requests that nobody has acted on are made again on the
 * next one.
 */
export class Client {
  /** The address; empty where there are several. */
  readonly address: string;
  readonly #options: ClientOptions;
  readonly #connectMs: number;
  readonly #types: TypeInfo[];
  readonly #budget: Budget;
  readonly #counters: Counters;
  readonly #retries: Retries | undefined;
  readonly #make: (request: Request, use: Use) => Promise<Reply>;
  readonly #dialers: readonly Dialer[];
  readonly #balancer: Balancer<Connection>;
  readonly #states = new States(Date.now());
  #closed = false;
  /** Aborts when it closes: pauses before repetitions end. */
  readonly #leaves = new AbortController();

  /**
   * Begins to connect to all addresses. Throws an MxpError for a text that is no address, and a RangeError for
   * impossible options.
   */
  constructor(addresses: string | readonly string[], options: ClientOptions) {
    const all = typeof addresses === "string" ? [addresses] : addresses;
    if (all.length === 0) {
      throw refusalError("address_invalid", "there is no address");
    }
    this.address = all.length === 1 ? (all[0] as string) : "";
    this.#options = options;
    this.#connectMs = options.connectTimeoutMs ?? connectUs / 1000;
    this.#types = [...(options.types ?? [])];
    this.#budget = new Budget(options.memoryBytes ?? budgetBytes());
    this.#counters = new Counters(this.#budget);
    this.#retries = options.retry === undefined ? undefined : new Retries(options.retry);
    const interceptors = options.interceptors ?? [];
    this.#make = (request, use) => intercepted(interceptors, use)(request);
    const { connections = 1 } = options;
    if (!Number.isInteger(connections) || connections < 0) {
      throw new RangeError(`connections is ${connections}, and has to be a whole number`);
    }
    this.#dialers = all.flatMap((address) => Array.from({ length: Math.max(connections, 1) }, () => this.#dialer(address)));
    this.#balancer = new Balancer(this.#dialers.map(({ endpoint }) => endpoint), options.keepOutliers === true, () => Math.random());
    queueMicrotask(() => this.#balancer.connect());
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
    await this.#usable(options.timeoutMs === undefined ? undefined : performance.now() + options.timeoutMs, options.signal);
  }

  /** Takes no more requests, waits for the requests in flight, and closes. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#leaves.abort();
    this.#states.set("closed", undefined, Date.now());
    this.#balancer.reject(refusalError("session_closed", "the client was closed"));
    await Promise.all(this.#dialers.map((dialer) => dialer.close()));
  }

  /** The state of its connections, for display. */
  get state(): ClientState {
    return this.#states.state;
  }

  /** Calls a function at each change of its state. The returned function removes the listener. */
  onState(listener: (state: ClientState) => void): () => void {
    return this.#states.listen(listener);
  }

  /** The counters of all connections that there are and were, in the text format of Prometheus. */
  prometheus(): string {
    return this.#counters.prometheus(this.#retries);
  }

  // Connections.

  #dialer(address: string): Dialer {
    const found = transportOf(this.#options.transports, address);
    if (found === undefined) {
      throw refusalError("address_invalid", `${address} is no address, or there is no transport for it`);
    }
    const { serves } = this.#options;
    return new Dialer(address, {
      dial: (signal) => found.transport.dial(found.place, signal),
      connect: (wire, onDraining, onClosed) => {
        const connection = new Connection(wire, {
          ...linkOptions("opener", serves?.services ?? [], this.#types, this.#budget, this.#options),
          peer: address,
          onNotice: this.#options.onNotice,
          ...(serves === undefined ? {} : { handler: serves.handler }),
          onDraining,
          onClosed,
        });
        this.#counters.add(connection);
        return connection;
      },
      changed: () => this.#changed(),
      isWaitedFor: () => this.#balancer.isWaitedFor,
    });
  }

  #changed(): void {
    const { kind } = this.#balancer;
    this.#states.set(kind, kind === "connected" ? undefined : this.#balancer.cause, Date.now());
    this.#balancer.changed();
  }

  /** A connection that can be asked; waits for one until then. */
  #usable(deadline: number | undefined, signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#closed) {
      return Promise.reject(refusalError("session_closed", "the client was closed"));
    }
    const ready = this.#balancer.choose();
    if (ready !== undefined) {
      return Promise.resolve(ready);
    }
    if (this.#balancer.isHopeless) {
      return Promise.reject(this.#balancer.cause);
    }
    let forget = (): void => undefined;
    return new Promise<Connection>((resolve, reject) => {
      const waiter = { resolve, reject };
      const over = (isLate: boolean): void => this.#balancer.leave(waiter, isLate ? this.#balancer.cause : refusalError("cancelled"));
      this.#balancer.wait(waiter);
      forget = onDeadline(signal, Math.min(this.#connectMs, (deadline ?? Infinity) - performance.now()), over);
      if (signal?.aborted === true) {
        over(false);
      }
    }).finally(forget);
  }

  /** When a request is to have ended, on the clock of `performance`. */
  #until({ timeoutMs = this.#retries?.timeoutMs }: CallOptions): number | undefined {
    return timeoutMs === undefined || timeoutMs === Infinity ? undefined : performance.now() + timeoutMs;
  }

  // Requests.

  /** Asks for an answer. */
  call(method: MethodName, value: Uint8Array, options: CallOptions = {}): Promise<Reply> {
    return this.#request(asking("call", method, value, options), options, true, (connection, request, signal, deadline) => {
      return connection.ask((session, now) => session.call(headOn(connection, request, deadline), request.value, now), signal, deadline);
    });
  }

  /** Sends an event; waits for its Ack, where it is asked for. */
  event(method: MethodName, value: Uint8Array, options: EventOptions = {}): Promise<Reply> {
    const ack = options.ack === true;
    return this.#request(asking("event", method, value, options), options, ack, async (connection, request, signal, deadline) => {
      if (ack) {
        return connection.ask((session, now) => session.event(headOn(connection, request), request.value, true, "refuse", now) as bigint, signal, deadline);
      }
      await connection.inLine((session, now) => session.event(headOn(connection, request), request.value, false, "refuse", now), signal, deadline);
      return { value: nothing, metadata: [] };
    });
  }

  /** Opens a stream. A final one has no requests but the value. */
  async open(method: MethodName, value: Uint8Array, final: boolean, options: CallOptions = {}): Promise<RawStream> {
    let stream: Stream | undefined;
    const until = this.#until(options);
    const name = `${method.service}/${method.name}`;
    const repeats = new Repeats(until, this.#connectMs);
    await this.#request(asking("stream", method, value, options), options, false, async (connection, request, signal) => {
      const open = async (peer: Connection, late: AbortSignal | undefined): Promise<Reply> => {
        connection = peer;
        stream = await peer.open(headOn(peer, request, until), messagesOf(request.service), request.value, stream?.hasEnded ?? final, late, until, stream);
        return { value: nothing, metadata: [] };
      };
      const reply = await open(connection, signal);
      const opened = stream as Stream;
      const again = async (error: MxpError): Promise<void> => {
        await undefined; // the end of the connection is told behind those of its streams
        await this.#again(error, connection, name, repeats, options.signal);
        await this.#once(undefined, name, until, options.signal, open);
      };
      opened.reopen = (error) => void again(error).catch((failure: unknown) => opened.fail(toError(failure)));
      return reply;
    });
    if (stream === undefined) {
      throw new MxpError(Status.Internal, "unknown", { text: "an interceptor has opened no stream" });
    }
    const opened: Stream = stream;
    if (options.signal !== undefined) {
      opened.onOver = onAbort(options.signal, () => opened.cancel());
    }
    return new RawStream(opened);
  }

  async #request(request: Request, options: CallOptions, retries: boolean, make: Make): Promise<Reply> {
    const until = this.#until(options);
    const method = `${request.service}/${request.name}`;
    try {
      return await this.#make(request, (call) => {
        const once: Once = (first, signal) => this.#once(first, method, until, signal, (connection, late) => make(connection, call, late, until));
        return retries && this.#retries !== undefined ? this.#repeat(new Retry(this.#retries, call.idempotent, call.kind === "call"), options.signal, until, once) : once(undefined, options.signal);
      });
    } catch (error) {
      throw toError(error).of(method, this.address);
    }
  }

  /** Makes a request, again where nobody has acted on it [MXP-14.6], and where the peer has no room for it [MXP-14.7]. */
  async #once(first: Connection | undefined, method: string, deadline: number | undefined, signal: AbortSignal | undefined, make: Attempt): Promise<Reply> {
    const repeats = new Repeats(deadline, this.#connectMs);
    for (let given = first; ; given = undefined) {
      const connection = given ?? (await this.#usable(deadline, signal));
      try {
        return await timed(connection, make, deadline, signal);
      } catch (thrown) {
        await this.#again(toError(thrown), connection, method, repeats, signal);
      }
    }
  }

  /** Waits until a request that has failed can be made again; throws where it can't be. */
  async #again(error: MxpError, connection: Connection, method: string, repeats: Repeats, signal: AbortSignal | undefined): Promise<void> {
    const pauseMs = this.#closed ? undefined : repeats.pause(error, connection.link.end !== undefined, performance.now(), Math.random);
    if (pauseMs === undefined) {
      throw error.of(method, connection.peer);
    }
    if (pauseMs > 0 && !(await this.#rests(pauseMs, signal))) {
      throw error.of(method, connection.peer);
    }
  }

  /** Waits before a repetition, unless the client closes meanwhile [MXP-14.8]. */
  async #rests(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    await sleep(ms, signal === undefined ? this.#leaves.signal : AbortSignal.any([signal, this.#leaves.signal]));
    return !this.#closed;
  }

  /** Makes a request as often as the policy says and pays for [MXP-14.8] [MXP-14.11]. */
  async #repeat(retry: Retry, signal: AbortSignal | undefined, deadline: number | undefined, once: Once): Promise<Reply> {
    const more = (but: readonly Connection[]): Connection | undefined => {
      const other = retry.mayHedge ? this.#balancer.choose(but) : undefined;
      return other !== undefined && retry.hedge() ? other : undefined;
    };
    for (;;) {
      try {
        const { hedgeMs } = retry;
        const first = hedgeMs === undefined ? undefined : this.#balancer.choose();
        if (hedgeMs === undefined || first === undefined) {
          return await once(undefined, signal);
        }
        return await hedged(first, hedgeMs, (connection, abort) => once(connection, signal === undefined ? abort : AbortSignal.any([abort, signal])), more);
      } catch (thrown) {
        const error = toError(thrown);
        const pause = this.#closed ? undefined : retry.pause(error, (deadline ?? Infinity) - performance.now(), Math.random);
        if (pause === undefined || !(await this.#rests(pause, signal))) {
          throw error;
        }
      }
    }
  }
}

type Use = (request: Request) => Promise<Reply>;

type Attempt = (connection: Connection, signal: AbortSignal | undefined) => Promise<Reply>;

/** Makes a request on a connection, or on any. */
type Once = (first: Connection | undefined, signal: AbortSignal | undefined) => Promise<Reply>;

type Make = (connection: Connection, request: Request, signal: AbortSignal | undefined, deadline: number | undefined) => Promise<Reply>;

function asking(kind: Request["kind"], { service, name, number, idempotent }: MethodName, value: Uint8Array, { metadata = [], trace }: CallOptions): Request {
  return { kind, service, name, number, idempotent, value, metadata, trace };
}

/** The head of a request on a connection. It has its deadline, if one is given. */
function headOn({ link }: Connection, request: Request, deadline?: number): SessionRequest {
  return headOf(request, link.service(request.service), deadline === undefined ? undefined : deadline - performance.now());
}

/** The reply to a request, or the refusal of its deadline if that is first. A request that waits in line has no deadline at the session yet. */
async function timed(connection: Connection, make: Attempt, deadline: number | undefined, signal: AbortSignal | undefined): Promise<Reply> {
  if (deadline === undefined) {
    return make(connection, signal);
  }
  const late = new AbortController();
  // The session's own deadline comes first, and knows whether the request was sent.
  const timer = setTimeout(() => late.abort(), Math.min(Math.max(0, deadline - performance.now()) + 20, longestMs));
  try {
    return await make(connection, signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]));
  } catch (error) {
    throw late.signal.aborted ? refusalError("deadline_exceeded", "", toError(error).acted) : error;
  } finally {
    clearTimeout(timer);
  }
}
