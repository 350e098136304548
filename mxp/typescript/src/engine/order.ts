import type { Incoming } from "../session/index.js";
import { own } from "./bytes.js";

/** A request of the peer's. */
export type PeerRequest = Extract<Incoming, { kind: "call" | "open" | "event" | "events" }>;

/** The bytes that requests are counted as whose handlers run, beside their values: the objects that keep them. The session counts the exchanges of calls and streams. */
const callBytes = 1088;
const streamBytes = 1856;
/** The same of an event that waits. */
export const eventBytes = 416;

function isEvent(request: PeerRequest): boolean {
  return request.kind === "event" || request.kind === "events";
}

/** The bytes that a request is counted as, beside its payload, which the session counts but for Events without Ack. */
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

/** The bytes of a request's value while its handler runs, which the session counts while it goes on. */
function handledBytes(request: PeerRequest): number {
  return request.kind === "call" || request.kind === "open" ? request.value.length : 0;
}

/** A request that waits, without the buffer that it came in. */
function compactAll(request: PeerRequest): PeerRequest {
  return request.kind === "events" ? { ...request, values: request.values.in(own(request.values.data)) } : request;
}

/** The account of a connection's bytes, in which its requests count. */
export interface RequestCount {
  holds(bytes: number): void;
  holdsEvents(bytes: number): void;
  handles(bytes: number): void;
}

/** The driver of handlers. */
export interface RequestDriver {
  /** Lets the handler of a request begin: `ended` follows. */
  begin(request: PeerRequest): void;
}

/** The requests of a connection, which begin in their order, each behind the events before it [MXP-7.10]. */
export class Order {
  readonly #count: RequestCount;
  readonly #driver: RequestDriver;
  readonly #waiting: PeerRequest[] = [];
  /** Whether the handler of an event runs. */
  #isBlocked = false;

  constructor(count: RequestCount, driver: RequestDriver) {
    this.#count = count;
    this.#driver = driver;
  }

  add(request: PeerRequest): void {
    this.#waiting.push(this.#isBlocked ? compactAll(request) : request);
    this.#weigh(request, 1);
    this.#go();
  }

  #weigh(request: PeerRequest, sign: 1 | -1): void {
    const bytes = sign * costOf(request);
    if (isEvent(request)) {
      this.#count.holdsEvents(bytes);
    } else {
      this.#count.holds(bytes);
    }
  }

  #go(): void {
    while (!this.#isBlocked) {
      const request = this.#waiting.shift();
      if (request === undefined) {
        return;
      }
      this.#count.handles(handledBytes(request));
      this.#isBlocked = isEvent(request);
      this.#driver.begin(request);
    }
  }

  /** The handler of a request has ended. */
  ended(request: PeerRequest): void {
    this.#count.handles(-handledBytes(request));
    this.#weigh(request, -1);
    if (isEvent(request)) {
      this.#isBlocked = false;
      this.#go();
    }
  }

  /** Takes a request out that waits, by its id. */
  remove(id: bigint): boolean {
    const at = this.#waiting.findIndex((request) => request.id === id);
    if (at >= 0) {
      this.#waiting.splice(at, 1).forEach((request) => this.#weigh(request, -1));
    }
    return at >= 0;
  }

  /** Drops the requests that wait. Gives how many events that were. */
  drop(): number {
    let events = 0;
    for (const request of this.#waiting.splice(0)) {
      this.#weigh(request, -1);
      events += request.kind === "events" ? request.values.length : request.kind === "event" ? 1 : 0;
    }
    return events;
  }
}
