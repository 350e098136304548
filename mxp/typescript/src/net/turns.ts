import { type Incoming, Refusal } from "../session/index.js";
import { own } from "../engine/bytes.js";
import type { Connection, RequestHandler } from "./connection.js";

/** A request of the peer's. */
export type PeerRequest = Extract<Incoming, { kind: "call" | "open" | "event" | "events" }>;

/** Does something about a request that may have ended. */
export function attempt(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
  }
}

/** A request whose handler runs. Its signal is made when the handler asks for it: most never do. */
export class Handling {
  readonly #connection: Connection;
  #controller: AbortController | undefined;
  aborted = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Aborts when its connection drains. */
  get draining(): AbortSignal {
    let one = draining.get(this.#connection);
    if (one === undefined) {
      one = new AbortController();
      draining.set(this.#connection, one);
    }
    if (!this.#connection.usable) {
      one.abort();
    }
    return one.signal;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) {
      this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.aborted = true;
    this.#controller?.abort();
  }

  /** Whether a handler has thrown this since its signal has aborted: the reason of that, or what functions throw that were given it. */
  explains(error: unknown): boolean {
    return this.aborted && (error === this.#controller?.signal.reason || (error instanceof Error && error.name === "AbortError"));
  }
}

/** What tells handlers of a connection that it drains, where one has asked. */
const draining = new WeakMap<Connection, AbortController>();

const handled = new WeakMap<Connection, Map<bigint, Handling>>();

/** Lets a request's end abort its handler. */
export function track(connection: Connection, id: bigint, handling: Handling): void {
  let all = handled.get(connection);
  if (all === undefined) {
    all = new Map();
    handled.set(connection, all);
  }
  all.set(id, handling);
}

/** Ends that, and gives the place of the request away. */
export function untrack(connection: Connection, id: bigint, handling: Handling): void {
  handled.get(connection)?.delete(id);
  if (handling.aborted && connection.end === undefined) {
    attempt(() => connection.do((session, now) => session.release(id, now)));
  }
}

/** What requests are counted as whose handlers run, beside their values: the objects that keep them. The session counts the exchanges of calls and streams. */
const callBytes = 1088;
const streamBytes = 1856;
/** The same of an event that waits. */
export const eventBytes = 416;

/** What a request of the peer's is counted as, beside its payload, which the session counts but for Events without Ack. */
function costOf(request: PeerRequest): number {
  switch (request.kind) {
    case "event":
      return eventBytes + (request.ack ? 0 : request.value.length);
    case "events":
      return eventBytes + request.values.data.length;
    case "open":
      return streamBytes;
    default:
      return callBytes;
  }
}

/** Counts a request that waits, or does so no more. */
function count(connection: Connection, request: PeerRequest, sign: 1 | -1): void {
  const isEvent = request.kind === "event" || request.kind === "events";
  connection.holding[isEvent ? "holdsEvents" : "holds"](sign * costOf(request));
}

/** A request that waits, without the buffer that it came in. */
function keptAll(request: PeerRequest): PeerRequest {
  return request.kind === "events" ? { ...request, values: request.values.in(own(request.values.data)) } : request;
}

/** The requests of a connection that have not begun. */
interface Turn {
  readonly waiting: PeerRequest[];
  /** Whether the handler of an event runs. */
  blocked: boolean;
}

/** Lets requests of a connection begin in their order, each behind the events before it [MXP-7.10]. */
export class Turns implements RequestHandler {
  readonly #begin: (connection: Connection, request: PeerRequest) => Promise<void>;
  readonly #turns = new WeakMap<Connection, Turn>();

  constructor(begin: (connection: Connection, request: PeerRequest) => Promise<void>) {
    this.#begin = begin;
  }

  handle(connection: Connection, request: PeerRequest): void {
    let turn = this.#turns.get(connection);
    if (turn === undefined) {
      turn = { waiting: [], blocked: false };
      this.#turns.set(connection, turn);
    }
    turn.waiting.push(turn.blocked ? keptAll(request) : request);
    count(connection, request, 1);
    this.#go(connection, turn);
  }

  #go(connection: Connection, turn: Turn): void {
    while (!turn.blocked) {
      const request = turn.waiting.shift();
      if (request === undefined) {
        return;
      }
      const { holding } = connection;
      const bytes = request.kind === "call" || request.kind === "open" ? request.value.length : 0;
      holding.handles(bytes);
      const isEvent = request.kind === "event" || request.kind === "events";
      turn.blocked = isEvent;
      void this.#begin(connection, request).finally(() => {
        holding.handles(-bytes);
        count(connection, request, -1);
        if (isEvent) {
          turn.blocked = false;
          this.#go(connection, turn);
        }
      });
    }
  }

  cancelled(connection: Connection, id: bigint): void {
    const waiting = this.#turns.get(connection)?.waiting ?? [];
    const at = waiting.findIndex((one) => one.id === id);
    if (at >= 0) {
      const [one] = waiting.splice(at, 1); // one that has ended while it waited is not begun
      count(connection, one as PeerRequest, -1);
      attempt(() => connection.do((session, now) => session.release(id, now)));
      return;
    }
    handled.get(connection)?.get(id)?.abort();
  }

  drains(connection: Connection): void {
    draining.get(connection)?.abort();
  }

  dropped(connection: Connection): number {
    let events = 0;
    for (const request of this.#turns.get(connection)?.waiting.splice(0) ?? []) {
      count(connection, request, -1);
      events += request.kind === "events" ? request.values.length : request.kind === "event" ? 1 : 0;
    }
    return events;
  }
}

