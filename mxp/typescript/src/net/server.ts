import { Budget } from "../engine/budget.js";
import { nothing } from "../engine/bytes.js";
import { MxpError, refusalError, toError } from "../engine/failure.js";
import type { Link } from "../engine/link.js";
import { Batch } from "../engine/link/batch.js";
import type { Stream } from "../engine/link/stream.js";
import { Methods } from "../engine/method.js";
import type { PeerRequest } from "../engine/order.js";
import { requestOf } from "../engine/request.js";
import type { TypeInfo } from "../session/index.js";
import { sleep } from "./abort.js";
import { Connection, linkOptions, type RequestHandler, type SharedOptions } from "./connection.js";
import { Counters } from "./counters.js";
import { type Context, HandlerContext, RunningRequest } from "./handler_context.js";
import { budgetBytes } from "./memory.js";
import { noticeDropped } from "./notice.js";
import { pace } from "./pace.js";
import { Kind, type Service as DescribedService } from "./provided/mxp_reflection.js";
import { type Request, intercepted, type Reply } from "./request.js";
import { RawStream } from "./streams.js";
import type { Wire } from "./wire.js";

/** A method that is served, of encoded values. */
export interface ServerMethod {
  readonly service: string;
  readonly name: string;
  readonly number: number;
  readonly idempotent: boolean;
  /**
   * Whether it is an event; and of which messages of a stream there are any number. Both are for peers that ask for the
   * served methods.
   */
  readonly isEvent?: boolean;
  readonly flows?: { readonly requests: boolean; readonly responses: boolean };
  /** Answers a call, or takes an event. */
  answer?(value: Uint8Array, context: Context): Promise<Uint8Array>;
  /** Serves a stream. */
  stream?(value: Uint8Array, stream: RawStream, context: Context): Promise<void>;
}

/** The options of a server. */
export interface ServerOptions extends SharedOptions {
  /**
   * Is told of errors of handlers that are no MxpError, and of all errors of handlers of events without an Ack;
   * `console.error` if it is absent. A handler that throws the reason of its aborted `signal` is not reported, since
   * nobody waits for it.
   */
  readonly onError?: (error: unknown, request: Request) => void;
}

type Events = Extract<PeerRequest, { kind: "events" }>;
type Single = Exclude<PeerRequest, Events>;

/** Serves services on given wires: wires of listeners, ports or tests. */
export class Server {
  readonly #options: ServerOptions;
  readonly #methods = new Methods<ServerMethod>();
  readonly #types: TypeInfo[] = [];
  readonly #handler: RequestHandler = {
    begin: (connection, request) => (request.kind === "events" ? this.#all(connection, request) : this.#one(connection, request)),
  };
  readonly #budget: Budget;
  readonly #counters: Counters;
  #closing = false;

  constructor(options: ServerOptions = {}) {
    this.#options = options;
    this.#budget = new Budget(options.memoryBytes ?? budgetBytes());
    this.#counters = new Counters(this.#budget);
  }

  /** The names of the services. */
  get services(): readonly string[] {
    return this.#methods.services;
  }

  /** The handler of requests, for a client that serves its peer. */
  get handler(): RequestHandler {
    return this.#handler;
  }

  /** Adds a service, before the first connection is made. */
  add(name: string, methods: readonly ServerMethod[], types: readonly TypeInfo[]): void {
    this.#methods.add(name, methods);
    for (const type of types) {
      const at = this.#types.findIndex((entry) => entry.name === type.name);
      const known = this.#types[at];
      if (known === undefined) {
        this.#types.push(type);
      } else {
        this.#types[at] = { ...known, requests: [...known.requests, ...type.requests], responses: [...known.responses, ...type.responses] };
      }
    }
    this.#types.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The methods of a service by their numbers, and the types of their requests and responses; undefined of one that is not served. */
  describe(service: string): DescribedService | undefined {
    if (!this.services.includes(service)) {
      return undefined;
    }
    const of = (list: TypeInfo["requests"], number: number): boolean => list.some((method) => method.service === service && method.number === number);
    const named = (pick: (type: TypeInfo) => TypeInfo["requests"], number: number): string => this.#types.find((type) => of(pick(type), number))?.name ?? "";
    const methods = this.#methods.list(service);
    return {
      name: service,
      methods: methods.map(({ name, number, idempotent, isEvent = false, flows, stream }) => ({
        name, number, idempotent, kind: stream !== undefined ? Kind.Stream : isEvent ? Kind.Event : Kind.Call,
        request: { type: named(({ requests }) => requests, number), flows: flows?.requests ?? false },
        response: isEvent ? null : { type: named(({ responses }) => responses, number), flows: flows?.responses ?? false },
      })),
      types: this.#types
        .filter(({ requests, responses }) => methods.some(({ number }) => of(requests, number) || of(responses, number)))
        .map(({ name, fingerprints, layout }) => ({ name, fingerprints: BigUint64Array.from(fingerprints), layout })),
    };
  }

  /** Serves the peer at the other end of a wire. */
  accept(wire: Wire, peer = ""): void {
    if (this.#closing) {
      wire.destroy();
      return;
    }
    const options = linkOptions("acceptor", this.services, this.#types, this.#budget, this.#options);
    this.#counters.add(new Connection(wire, { ...options, peer, handler: this.#handler, onNotice: this.#options.onNotice }));
  }

  /** Takes no more requests, waits for the requests in flight, for so many milliseconds at most, and closes. */
  async close(patienceMs = 10_000): Promise<void> {
    this.#closing = true;
    const { connections } = this.#counters;
    for (const connection of connections) {
      connection.link.drain("the server is closed");
    }
    const over = new AbortController();
    await Promise.race([Promise.all([...connections].map((connection) => connection.gone)), sleep(patienceMs, over.signal)]);
    over.abort();
    for (const connection of connections) {
      connection.link.destroy();
    }
  }

  /** The counters of all connections that there are and were, in the text format of Prometheus. */
  prometheus(): string {
    return this.#counters.prometheus();
  }

  /** Begins the events of a batch, one behind the other, in turns. */
  async #all(connection: Connection, request: Events): Promise<void> {
    const batch = new Batch(request, connection.link.load, pace);
    for (let event = batch.next(); event !== undefined; event = batch.next()) {
      if (batch.yields()) {
        await new Promise<void>((resolve) => pace.handleLater(resolve));
      }
      await this.#one(connection, event);
    }
    noticeDropped(batch.dropped, connection.peer, this.#options.onNotice);
  }

  /** Begins a request; what is given ends with its handler. */
  async #one(connection: Connection, request: Single): Promise<void> {
    const { link } = connection;
    const method = this.#methods.find(request);
    const answers = request.kind !== "event" || request.ack;
    if (method === undefined) {
      if (answers) {
        link.fail(request.id, refusalError("method_unknown", this.#methods.unknown(request)));
      }
      return;
    }
    const handling = new RunningRequest(connection);
    if (answers) {
      link.places.set(request.id, handling);
    }
    const stream = request.kind === "open" ? link.adopt(request.id, request.final) : undefined;
    const raw = stream && new RawStream(stream);
    const asked = requestOf(request, this.services[request.service] ?? "", method);
    try {
      const { interceptors = [] } = this.#options;
      const reply = await (interceptors.length === 0 ? start(method, handling, raw, asked) : intercepted(interceptors, async (call) => replyOf(await start(method, handling, raw, call)))(asked));
      await finish(link, request, stream, replyOf(reply));
    } catch (error) {
      if (!handling.explains(error) && (!answers || !(error instanceof MxpError))) {
        (this.#options.onError ?? console.error)(error, asked);
      }
      if (answers && link.end === undefined) { // else all of its requests have ended
        stream?.fail(refusalError("cancelled"));
        link.fail(request.id, toError(error));
      }
    } finally {
      if (stream !== undefined) {
        link.forget(stream);
      }
      if (answers) {
        link.stops(request.id, handling);
      }
    }
  }
}

/** Lets a handler begin; what it gives is the value of an answer, or nothing. */
function start(method: ServerMethod, handling: RunningRequest, stream: RawStream | undefined, request: Request): Promise<Uint8Array | void> {
  const context = new HandlerContext(handling, request);
  return stream === undefined ? (method.answer as NonNullable<ServerMethod["answer"]>)(request.value, context) : (method.stream as NonNullable<ServerMethod["stream"]>)(request.value, stream, context);
}

/** The answer that a handler has given, or an interceptor. */
function replyOf(answer: Uint8Array | Reply | void): Reply {
  return answer instanceof Uint8Array ? { value: answer, metadata: [] } : answer ?? { value: nothing, metadata: [] };
}

/** Answers a request whose handler has returned. */
async function finish(link: Link, request: Single, stream: Stream | undefined, reply: Reply): Promise<void> {
  if (link.end !== undefined) {
    return;
  }
  if (stream !== undefined) {
    stream.served();
  } else if (request.kind === "call") {
    link.load.holds(reply.value.length);
    try {
      await new Promise<void>((resolve, reject) => link.respond(request.id, reply, resolve, reject));
    } finally {
      link.load.holds(-reply.value.length);
    }
  } else if (request.kind === "event" && request.ack) {
    link.ack(request.id);
  }
}
