import type { Budget } from "../engine/budget.js";
import type { Alarm, Driver, Wire } from "../engine/driver.js";
import { type MxpError, refusalError } from "../engine/failure.js";
import { type Act, Link, type LinkOptions } from "../engine/link.js";
import type { Stream } from "../engine/link/stream.js";
import type { PeerRequest } from "../engine/order.js";
import type { Pace } from "../engine/pace.js";
import { longestMs } from "../engine/retry.js";
import { windowBytes as usualBytes } from "../engine/window.js";
import type { Limits, SessionRequest, Role, Session, TypeInfo } from "../session/index.js";
import { onAbort, onDeadline } from "./abort.js";
import { type Notice, noticeDifferences, noticeDropped } from "./notice.js";
import { pace } from "./pace.js";
import type { Interceptor, Reply } from "./request.js";

/** The handlers of peers' requests. */
export interface RequestHandler {
  /** Begins one, and resolves when its handler has ended. */
  begin(connection: Connection, request: PeerRequest): Promise<void>;
}

/** The options that clients and servers share. */
export interface SharedOptions {
  /** Stand around all requests that are made, or that come. The first is the outermost. */
  readonly interceptors?: readonly Interceptor[];
  /** The longest payload that is taken; 16 MiB. */
  readonly payloadBytes?: number;
  /** How many bytes may be on their way to the reader of a stream; 2 MiB. The peer can send no chunk of more than half of it. */
  readonly windowBytes?: number;
  readonly limits?: Partial<Limits>;
  /** How much memory all connections may take together; a quarter of the machine's, or of the control group's. */
  readonly memoryBytes?: number;
  /** Told of methods that a peer's schema keeps from use, of types that could not be compared, and of events of lost connections that were dropped; `console.warn` where none is given. */
  readonly onNotice?: (line: string) => void;
}

/** The options of a link, out of the options that clients and servers share. */
export function linkOptions(
  role: Role, services: readonly string[], types: readonly TypeInfo[], budget: Budget, { payloadBytes, limits, windowBytes = usualBytes }: SharedOptions,
): LinkOptions {
  const config = { role, services: [...services], types: [...types], offerBatches: true, ...(payloadBytes === undefined ? {} : { payloadBytes }), ...(limits === undefined ? {} : { limits }) };
  return { config, windowBytes, budget };
}

/** The options of a connection. */
export interface ConnectionOptions extends LinkOptions {
  /** The address of the other side. */
  readonly peer: string;
  readonly handler?: RequestHandler;
  readonly onNotice?: Notice | undefined;
  /** Called once when either side takes no more requests, and when the connection is gone. */
  readonly onDraining?: () => void;
  readonly onClosed?: () => void;
}

const settled = Promise.resolve();

/** Drives a link with promises, timers and signals. */
export class Connection implements Driver {
  readonly peer: string;
  readonly pace: Pace = pace;
  readonly link: Link;
  /** Resolves when requests can be made; rejects where they never can. */
  readonly ready: Promise<void>;
  /** Resolves when the connection is gone. */
  readonly gone: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #timers: { [A in Alarm]?: ReturnType<typeof setTimeout> | undefined } = {};
  #draining: AbortController | undefined;
  #greet!: { resolve(): void; reject(error: MxpError): void };
  #leave!: () => void;

  constructor(wire: Wire, options: ConnectionOptions) {
    this.peer = options.peer;
    this.#options = options;
    this.ready = new Promise((resolve, reject) => {
      this.#greet = { resolve, reject };
    });
    this.ready.catch(() => undefined); // whoever waits is told
    this.gone = new Promise((resolve) => {
      this.#leave = resolve;
    });
    this.link = new Link(wire, this, options);
    this.link.start();
  }

  /** Aborts when it drains. */
  get draining(): AbortSignal {
    this.#draining ??= new AbortController();
    if (!this.link.usable) {
      this.#draining.abort();
    }
    return this.#draining.signal;
  }

  // Requests of the engine's.

  clock(): number {
    return performance.now();
  }

  soon(run: () => void): void {
    void settled.then(run); // queueMicrotask makes a resource in Node, each time
  }

  alarm(name: Alarm, ms: number | undefined): void {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = ms === undefined ? undefined : setTimeout(() => this.link.rings(name), Math.min(ms, longestMs));
  }

  opened(session: Session): void {
    this.#greet.resolve();
    noticeDifferences(session, this.peer, this.#options.onNotice);
  }

  failed(error: MxpError): void {
    this.#greet.reject(error);
  }

  drains(): void {
    this.#draining?.abort();
    this.#options.onDraining?.();
  }

  begin(request: PeerRequest): void {
    void this.#options.handler?.begin(this, request).finally(() => this.link.order.ended(request));
  }

  dropped(events: number): void {
    noticeDropped(events, this.peer, this.#options.onNotice);
  }

  closed(): void {
    this.#options.onClosed?.();
    this.#leave();
  }

  // Requests of this side's. They are given up if a signal aborts, or at a time on the clock of `performance`.

  /** Does something with the session, in line with others where it has too little room. */
  inLine<T>(run: Act<T>, signal?: AbortSignal, deadline?: number): Promise<T> {
    return new Promise((resolve, reject) => this.#enter((session, now) => resolve(run(session, now)), reject, signal, deadline));
  }

  #enter(run: Act<void>, reject: (error: MxpError) => void, signal: AbortSignal | undefined, deadline: number | undefined): void {
    const ticket = this.link.enter((session, now) => {
      if (signal?.aborted === true) {
        throw refusalError("cancelled");
      }
      run(session, now);
    }, reject);
    if (!ticket.isOver) {
      ticket.onOver = onDeadline(signal, deadline && deadline - performance.now(), (isLate) => ticket.leave(refusalError(isLate ? "deadline_exceeded" : "cancelled")));
    }
  }

  /** Asks for an answer, or sends an event that is acknowledged. */
  ask(make: Act<bigint>, signal?: AbortSignal, deadline?: number): Promise<Reply> {
    let id: bigint | undefined;
    const answered = new Promise<Reply>((resolve, reject) => {
      this.#enter((session, now) => {
        id = make(session, now);
        this.link.calls.set(id, { resolve, reject });
      }, reject, signal, deadline);
    });
    return signal === undefined ? answered : answered.finally(onAbort(signal, () => id === undefined || this.link.cancel(id)));
  }

  /** Opens a stream, of which so many chunks may be on their way, or opens one again that another connection had. */
  open(request: SessionRequest, messages: number, value: Uint8Array, final: boolean, signal?: AbortSignal, deadline?: number, former?: Stream): Promise<Stream> {
    return this.inLine(() => this.link.open(request, messages, value, final, former), signal, deadline);
  }
}
