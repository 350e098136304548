import { type Config, type Failure, type Incoming, type Request, Session } from "../session/index.js";
import { connectionBytes, lingerUs, stallUs } from "../session/spec_gen.js";
import type { Gauges, Stats } from "../session/stats.js";
import { min } from "../session/exchange.js";
import { giveUp, onAbort } from "./abort.js";
import type { Budget } from "../engine/budget.js";
import { kept, own } from "../engine/bytes.js";
import { errorOf, type MxpError, refusalError } from "../engine/failure.js";
import { beforeHello, isRefusal } from "../engine/outage.js";
import { Calls } from "../engine/link/call.js";
import { Holding } from "./holding.js";
import { Inlet } from "./inlet.js";
import { Line } from "../engine/line.js";
import { type Notice, noticeDifferences, noticeDropped } from "./notice.js";
import { Outlet } from "./outlet.js";
import { Outlier } from "../engine/outlier.js";
import type { Reply } from "./request.js";
import { RawStream } from "./streams.js";
import type { Wire, WireOwner } from "./wire.js";

/** Requests of the peer's, as a connection hands them on. */
export interface RequestHandler {
  handle(connection: Connection, request: Extract<Incoming, { kind: "call" | "open" | "event" | "events" }>): void;
  /** A request of the peer's has ended, and nothing is to be done for it any more. */
  cancelled(connection: Connection, id: bigint): void;
  /** Nothing is to be begun any more that the peer has asked for: its connection has held too much. Gives how many events are dropped. */
  dropped(connection: Connection): number;
  /** Either side takes no more requests. */
  drains(connection: Connection): void;
}

/** What a connection is made with. */
export interface ConnectionOptions {
  readonly config: Config;
  /** The address of the other side. */
  readonly peer: string;
  readonly handler?: RequestHandler;
  /** How many bytes may be on their way to the reader of a stream. */
  readonly windowBytes: number;
  /** What all connections of the server or the client hold. */
  readonly budget: Budget;
  readonly onNotice?: Notice | undefined;
  /** Called once when either side takes no more requests, and when the connection is gone. */
  readonly onDraining?: () => void;
  readonly onClosed?: () => void;
}

/** How long after a session was ready a refusal ends an attempt, too. */
const soonMs = 10;

const nothing = new Uint8Array(0);

const settled = Promise.resolve();

/** Drives a session with the bytes of a wire, and a clock. */
export class Connection implements WireOwner {
  readonly peer: string;
  readonly windowBytes: number;
  /** Resolves when requests can be made; rejects where they never can. */
  readonly ready: Promise<void>;
  /** Resolves when the connection is gone. */
  readonly gone: Promise<void>;
  readonly #session: Session;
  readonly #wire: Wire;
  readonly #outlet: Outlet;
  readonly #inlet: Inlet;
  readonly #options: ConnectionOptions;
  readonly #calls = new Calls();
  readonly #streams = new Map<bigint, RawStream>();
  /** Streams with chunks that wait for room. */
  readonly #blocked = new Set<RawStream>();
  readonly #line = new Line();
  readonly #born = performance.now();
  #readyAt = 0;
  #isRejected = false;
  #last = 0n;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt: bigint | undefined;
  #scheduled = false;
  #draining = false;
  #ending = false;
  #end: Failure | undefined;
  #isGone = false;
  /** The error of all streams of the peer's that have ended early. */
  #cancelled: MxpError | undefined;
  #leave: () => void = () => undefined;
  #lingers: ReturnType<typeof setTimeout> | undefined;
  /** What it holds, and whether it is read. */
  readonly holding: Holding;
  /** How its requests have ended. */
  readonly outlier: Outlier = new Outlier(() => performance.now());
  #greet: { resolve(): void; reject(error: MxpError): void } | undefined;

  constructor(wire: Wire, options: ConnectionOptions) {
    this.peer = options.peer;
    this.windowBytes = options.windowBytes;
    this.#options = options;
    this.#wire = wire;
    this.#session = new Session({ ...options.config, offerChecksumOff: wire.protects }, 0n);
    const { limits } = options.config;
    this.#outlet = new Outlet(this.#session, wire, limits?.stall ?? BigInt(stallUs));
    this.#inlet = new Inlet(this.#session, {
      now: () => this.now(),
      handle: (one) => this.#handle(one),
      bound: (left) => this.holding.bound(left),
      wentOn: () => this.update(),
    });
    this.holding = new Holding(options.budget, this.#session, limits?.connectionBytes ?? connectionBytes, wire, {
      streams: this.#streams,
      now: () => this.now(),
      read: () => this.#inlet.take(nothing),
      overrun: () => this.#overrun(),
      crowded: () => noticeDropped(this.#options.handler?.dropped(this) ?? 0, this.peer, this.#options.onNotice),
    });
    this.ready = new Promise((resolve, reject) => {
      this.#greet = { resolve, reject };
    });
    this.ready.catch(() => undefined); // whoever waits is told
    this.gone = new Promise((resolve) => {
      this.#leave = resolve;
    });
    wire.start(this);
    this.update();
  }

  /** Microseconds since the connection was made. */
  now(): bigint {
    const now = BigInt(Math.floor((performance.now() - this.#born) * 1000));
    this.#last = now > this.#last ? now : this.#last;
    return this.#last;
  }

  /** Whether requests can be made on it. */
  get usable(): boolean {
    return this.#session.ready && !this.#draining && this.#end === undefined;
  }

  /** Why it has ended; undefined while it has not. */
  get end(): Failure | undefined {
    return this.#end;
  }

  /** Why the peer lets this side not in, where that is all that it has said [MXP-14.2]. */
  get rejection(): MxpError | undefined {
    return this.#isRejected && this.#end !== undefined && this.#end.status !== 14 ? errorOf(this.#end) : undefined;
  }

  /** Whether a side has ended its session in about the moment in which it was ready [MXP-14.3]. */
  get refusedSoon(): boolean {
    return this.#end !== undefined && isRefusal(this.#end) && performance.now() - this.#readyAt < soonMs;
  }

  /** How many requests of this side's have a place. */
  get inFlight(): number {
    return this.#session.places.mine;
  }

  /** The position of a service at the peer. */
  service(name: string): number | undefined {
    const at = this.#session.services.indexOf(name);
    return at < 0 ? undefined : at;
  }

  /** Adds its counters to those of others, and its gauges but for what is held. */
  count(all: Stats, now: Gauges): void {
    all.add(this.#session.stats);
    all.outliers += this.outlier.times;
    const { inFlightHere, inFlightPeer, queueBytes, queueFrames } = this.#session.gauges;
    now.inFlightHere += inFlightHere;
    now.inFlightPeer += inFlightPeer;
    now.queueBytes += queueBytes;
    now.queueFrames += queueFrames;
  }

  // News from the wire.

  bytes(piece: Uint8Array): void {
    this.holding.took();
    this.#inlet.take(piece);
    this.update();
  }

  moved(): void {
    this.#outlet.moved(this.now());
  }

  drained(): void {
    this.holding.drained();
    if (!this.#isGone) {
      this.#outlet.drained(this.now());
      this.update();
    }
  }

  ended(): void {
    if (this.#ending) {
      this.#wire.destroy();
      return;
    }
    if (this.#inlet.after(() => this.ended())) {
      return;
    }
    this.#ending = true; // nothing more comes, so that nothing is waited for
    this.#session.lost();
    this.update();
    this.#wire.end();
  }

  closed(cause: string, status: number = 14): void {
    if (this.#isGone) {
      return;
    }
    this.#isGone = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#lingers);
    this.#inlet.close();
    this.#session.lost();
    this.#tellAll();
    this.#line.go(); // answers that waited for room are let go of
    const end = this.#end as Failure;
    this.#greet?.reject(errorOf(beforeHello(end, cause, status)));
    this.holding.gone();
    this.#options.onClosed?.();
    this.#leave();
  }

  /** Ends the session, since all connections hold too much and this one most [MXP-15.4]. */
  #overrun(): void {
    this.#options.handler?.dropped(this);
    this.do((session, now) => session.overrun(now));
  }

  // News from the session.

  #tellAll(): void {
    for (let one = this.#session.next(); one !== undefined; one = this.#session.next()) {
      this.#handle(one);
    }
  }

  #handle(one: Incoming): void {
    switch (one.kind) {
      case "ready":
        this.#readyAt = performance.now();
        this.#greet?.resolve();
        this.#greet = undefined;
        noticeDifferences(this.#session, this.peer, this.#options.onNotice);
        return;
      case "response":
        this.outlier.ended();
        this.#calls.take(one.id)?.resolve({ value: own(one.value), metadata: one.metadata.map(({ key, value }) => ({ key, value: value.slice() })) });
        return;
      case "acked":
        this.outlier.ended();
        this.#calls.take(one.id)?.resolve({ value: nothing, metadata: [] });
        return;
      case "ended": {
        const error = errorOf(one.failure);
        this.outlier.ended(error);
        this.#calls.take(one.id)?.reject(error);
        const stream = this.#streams.get(one.id);
        this.#streams.delete(one.id);
        stream?.lost(error);
        return;
      }
      case "chunks":
        this.#streams.get(one.id)?.push(one.values, one.ack ? one.number + BigInt(one.values.length - 1) : undefined);
        if (one.final) {
          this.#peerEnded(one.id);
        }
        return;
      case "finished":
        this.#peerEnded(one.id);
        return;
      case "granted":
        this.#streams.get(one.id)?.granted();
        return;
      case "cancelled":
        this.#streams.get(one.id)?.fail(one.why === "deadline" ? refusalError("deadline_exceeded") : (this.#cancelled ??= refusalError("cancelled")));
        this.#streams.delete(one.id);
        this.#options.handler?.cancelled(this, one.id);
        return;
      case "draining":
        this.#drains();
        return;
      case "call":
      case "open":
      case "event":
      case "events":
        if (this.holding.isHungUp && (one.kind === "call" || one.kind === "open")) {
          return;
        }
        this.#options.handler?.handle(this, one.kind === "events" ? one : kept(one));
        if (!this.holding.weigh() && this.holding.overruns) {
          this.holding.overrun(); // what else was read does not begin
        }
        return;
      case "end":
        this.#end = one.failure;
        this.#isRejected = one.remote && one.refused && this.#session.stats.isSilent;
        if (!this.#isGone) { // who waits for the session need not wait for the connection's end
          this.#greet?.reject(errorOf(beforeHello(one.failure, "the peer has closed the connection", 14)));
          this.#greet = undefined;
        }
        this.#drains();
        return;
      default: // agent requests are refused by the session
    }
  }

  /** The peer's direction of a stream has ended. */
  #peerEnded(id: bigint): void {
    const stream = this.#streams.get(id);
    if (stream?.mine === true) {
      this.outlier.ended();
    }
    stream?.peerEnded();
  }

  #drains(): void {
    if (!this.#draining) {
      this.#draining = true;
      this.#options.handler?.drains(this);
      this.#options.onDraining?.();
    }
  }

  // Consequences of what is done with the session.

  /** Handles what the session tells, lets those in line try again, and sends what there is at the end of the task. */
  update(): void {
    this.#tellAll();
    this.#line.go();
    if (this.#blocked.size > 0) {
      for (const stream of [...this.#blocked]) {
        stream.flush();
      }
      this.#tellAll();
    }
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#scheduled && !this.#isGone) {
      this.#scheduled = true;
      void settled.then(this.#send); // queueMicrotask makes a resource in Node, each time
    }
  }

  readonly #send = (): void => {
    this.#scheduled = false;
    if (this.#isGone) {
      return;
    }
    const sent = this.#outlet.send(this.now(), this.#end !== undefined, (bytes) => this.holding.gave(bytes));
    this.holding.weigh();
    if (this.#session.finished && !this.#ending) {
      this.#depart();
    }
    if (sent > 0 && (this.#inlet.left > 0 || !this.#line.isEmpty || this.#blocked.size > 0)) {
      this.#inlet.take(nothing);
      this.update();
    }
    this.#setTimer();
  };

  /** Ends this side's direction; the peer's is waited for [MXP-11.5]. */
  #depart(): void {
    this.#ending = true;
    this.#tellAll();
    this.#wire.end();
    this.#lingers = setTimeout(() => this.#wire.destroy(), lingerUs / 1000);
  }

  /** Sets the timer, unless it is one that comes first: that looks again, since most timeouts only move on. */
  #setTimer(): void {
    const [timeout, due] = [this.#session.nextTimeout, this.#end === undefined ? this.#outlet.due : undefined];
    const at = timeout !== undefined && due !== undefined ? min(timeout, due) : timeout ?? due;
    if (at !== undefined && this.#timerAt !== undefined && this.#timerAt <= at) {
      return;
    }
    clearTimeout(this.#timer);
    this.#timerAt = at;
    if (at !== undefined) {
      const ms = Math.min(Number(at - this.now()) / 1000, 2 ** 31 - 1);
      this.#timer = setTimeout(() => {
        this.#timerAt = undefined;
        this.#session.tick(this.now());
        this.#outlet.tick(this.now());
        this.#inlet.take(nothing);
        this.update();
      }, Math.max(0, Math.ceil(ms)));
    }
  }

  // Requests of this side's.

  /** Does something with the session, in line with others where it has too little room. */
  inLine<T>(run: (session: Session, now: bigint) => T, signal?: AbortSignal, until?: number): Promise<T> {
    return new Promise((resolve, reject) => this.#enter((session, now) => resolve(run(session, now)), reject, signal, until));
  }

  #enter(run: (session: Session, now: bigint) => void, reject: (error: MxpError) => void, signal: AbortSignal | undefined, until: number | undefined): void {
    const ticket = this.#line.enter(() => {
      if (signal?.aborted === true) {
        throw refusalError("cancelled");
      }
      run(this.#session, this.now());
    }, reject);
    this.update();
    if (!ticket.isOver) {
      giveUp(ticket, signal, until);
    }
  }

  /** Does something with the session at once. */
  do<T>(run: (session: Session, now: bigint) => T): T {
    try {
      return run(this.#session, this.now());
    } finally {
      this.update();
    }
  }

  /** Does something with the session for a stream, which says whether more of it waits for room. */
  sendOn(stream: RawStream, run: (session: Session, now: bigint) => boolean): void {
    this.#blocked.delete(stream);
    if (run(this.#session, this.now())) {
      this.#blocked.add(stream);
    }
    this.#schedule();
  }

  /** Asks for an answer, or sends an event that is acknowledged. */
  ask(make: (session: Session, now: bigint) => bigint, signal?: AbortSignal, until?: number): Promise<Reply> {
    let id: bigint | undefined;
    const answered = new Promise<Reply>((resolve, reject) => {
      this.#enter((session, now) => {
        id = make(session, now);
        this.#calls.add(id, { resolve, reject });
      }, reject, signal, until);
    });
    if (signal === undefined) {
      return answered;
    }
    const abort = (): void => {
      if (id !== undefined && this.#calls.has(id)) {
        const taken = id;
        this.do((session, now) => session.cancel(taken, now));
      }
    };
    return answered.finally(onAbort(signal, abort));
  }

  /** Opens a stream, of which so many chunks may be on their way, or opens one again that another connection had. */
  open(r: Request, messages: number, value: Uint8Array, final: boolean, signal?: AbortSignal, until?: number, lost?: RawStream): Promise<RawStream> {
    return this.inLine((session, now) => {
      const id = session.open(r, messages, BigInt(this.windowBytes), value, final, now);
      const stream = lost ?? new RawStream(this, id, true, final, messages);
      this.#streams.set(id, stream);
      lost?.move(this, id);
      return stream;
    }, signal, until);
  }

  /** The stream of a request of the peer's, and what may be sent on it. */
  adopt(id: bigint, final: boolean): RawStream {
    const stream = new RawStream(this, id, false, false);
    this.#streams.set(id, stream);
    if (final) {
      stream.peerEnded();
    } else {
      this.do((session, now) => session.grant(id, stream.messages, BigInt(this.windowBytes), now));
    }
    return stream;
  }

  /** Lets go of a stream that is over. */
  forget(stream: RawStream): void {
    this.#streams.delete(stream.id);
    this.#blocked.delete(stream);
  }

  /** Takes no more requests, and closes when those that are in flight have ended. */
  drain(reason: string): void {
    if (this.#end === undefined && !this.#isGone && !this.#session.finished) {
      this.do((session, now) => session.drain(reason, now));
    }
    this.#drains();
  }

  /** Closes at once. */
  destroy(): void {
    this.#wire.destroy();
    this.closed("the connection was closed");
  }
}
