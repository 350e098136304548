import { type Config, type Failure, type Incoming, type SessionRequest, Session, Status } from "../session/index.js";
import { min } from "../session/exchange.js";
import { connectionBytes, lingerUs, stallUs } from "../session/spec_gen.js";
import type { Gauges, Stats } from "../session/stats.js";
import type { Budget } from "./budget.js";
import { nothing } from "./bytes.js";
import type { Alarm, Driver, Wire, WireOwner } from "./driver.js";
import { attempt, errorOf, failureFrom, MxpError, tell } from "./failure.js";
import { Line, type Ticket } from "./line.js";
import { Calls } from "./link/call.js";
import { dispatch, drain, type Parts } from "./link/dispatch.js";
import { Ending } from "./link/ending.js";
import { Inlet, type InletOwner } from "./link/inlet.js";
import { Load, type LoadLink } from "./link/load.js";
import { Outlet } from "./link/outlet.js";
import type { Places, Task } from "./link/place.js";
import { Stream, type StreamLink } from "./link/stream.js";
import { Order } from "./order.js";
import { beforeHello } from "./outage.js";
import { Outlier } from "./outlier.js";
import type { Reply } from "./request.js";

/** The options of a link. */
export interface LinkOptions {
  readonly config: Config;
  /** How many bytes may be on their way to the reader of a stream. */
  readonly windowBytes: number;
  /** The memory of all connections of the server or the client. */
  readonly budget: Budget;
}

/** Something that is done with a session at a time. */
export type Act<T> = (session: Session, now: bigint) => T;

/**
 * A connection: its session, and its waiting callers. Each part owns its state, and knows the link by an interface of
 * its own.
 */
export class Link implements WireOwner, InletOwner, LoadLink, StreamLink, Parts {
  readonly session: Session;
  readonly wire: Wire;
  readonly driver: Driver;
  readonly windowBytes: number;
  readonly calls: Calls = new Calls();
  readonly streams: Map<bigint, Stream> = new Map();
  readonly order: Order;
  /** The memory that it holds, and whether it is read. */
  readonly load: Load;
  /** The record of its requests. */
  readonly outlier: Outlier;
  readonly ending: Ending = new Ending();
  readonly #outlet: Outlet;
  readonly #inlet: Inlet;
  readonly #line: Line = new Line();
  /** Streams with chunks that wait for room. */
  readonly #blocked = new Set<Stream>();
  #places: Places | undefined;
  /** When it was made, in milliseconds; and the latest time that the session was told. */
  readonly #born: number;
  #last = 0n;
  #alarmAt: bigint | undefined;
  #isScheduled = false;

  constructor(wire: Wire, driver: Driver, { config, windowBytes, budget }: LinkOptions) {
    this.wire = wire;
    this.driver = driver;
    this.windowBytes = windowBytes;
    this.#born = driver.clock();
    this.session = new Session({ ...config, offerChecksumOff: wire.protects }, 0n);
    this.#outlet = new Outlet(this.session, wire, config.limits?.stall ?? BigInt(stallUs));
    this.#inlet = new Inlet(this);
    this.load = new Load(budget, config.limits?.connectionBytes ?? connectionBytes, this);
    this.order = new Order(this.load, driver);
    this.outlier = new Outlier(() => driver.clock());
  }

  /** Begins, once the driver is there that it calls. */
  start(): void {
    this.wire.start(this);
    this.update();
  }

  /** Microseconds since the connection was made. */
  now(): bigint {
    const now = BigInt(Math.floor((this.driver.clock() - this.#born) * 1000));
    this.#last = now > this.#last ? now : this.#last;
    return this.#last;
  }

  /** Whether requests can be made on it. */
  get usable(): boolean {
    return this.session.ready && !this.ending.isDraining && this.end === undefined;
  }

  /** Why it has ended; undefined while it has not. */
  get end(): Failure | undefined {
    return this.ending.failure;
  }

  /** How many requests of this side's have a place. */
  get inFlight(): number {
    return this.session.places.mine;
  }

  /** The handlers that run. Many connections never have one. */
  get places(): Places {
    return (this.#places ??= new Map());
  }

  /** The position of a service at the peer. */
  service(name: string): number | undefined {
    const at = this.session.services.indexOf(name);
    return at < 0 ? undefined : at;
  }

  /** Adds its counters to other counters, and its gauges except the held bytes. */
  count(stats: Stats, now: Gauges): void {
    stats.add(this.session.stats);
    stats.outliers += this.outlier.times;
    const { inFlightHere, inFlightPeer, queueBytes, queueFrames } = this.session.gauges;
    now.inFlightHere += inFlightHere;
    now.inFlightPeer += inFlightPeer;
    now.queueBytes += queueBytes;
    now.queueFrames += queueFrames;
  }

  // News from the wire.

  bytes(piece: Uint8Array): void {
    this.load.took();
    this.#inlet.take(piece);
    this.update();
  }

  moved(): void {
    this.#outlet.moved(this.now());
  }

  drained(): void {
    this.load.drained();
    if (!this.ending.isGone) {
      this.#outlet.drained(this.now());
      this.update();
    }
  }

  ended(): void {
    if (this.ending.isDeparting) {
      this.wire.destroy();
      return;
    }
    if (this.#inlet.after(() => this.ended())) {
      return;
    }
    this.ending.isDeparting = true; // nothing more comes, so that nothing is waited for
    this.session.lost();
    this.update();
    this.wire.end();
  }

  closed(cause: string, status: number = Status.Unavailable): void {
    if (this.ending.isGone) {
      return;
    }
    this.ending.isGone = true;
    this.driver.alarm("tick", undefined);
    this.driver.alarm("linger", undefined);
    this.#inlet.close();
    this.session.lost();
    this.#dispatchAll();
    this.#line.go(); // answers that waited for room are let go of
    this.driver.failed(errorOf(beforeHello(this.end as Failure, cause, status)));
    this.load.gone();
    this.driver.closed();
  }

  // News from its parts.

  handle(incoming: Incoming): void {
    dispatch(this, incoming);
  }

  bound(rest: number): void {
    this.load.bound(rest);
  }

  read(): void {
    this.#inlet.take(nothing);
  }

  overrun(): void {
    this.order.drop();
    this.do((session, now) => session.overrun(now));
  }

  crowded(): void {
    this.driver.dropped(this.order.drop());
  }

  // News from the driver.

  /** An alarm rings. */
  rings(alarm: Alarm): void {
    if (alarm === "linger") {
      this.wire.destroy();
    } else if (alarm === "tick") {
      this.#alarmAt = undefined;
      this.session.tick(this.now());
      this.#outlet.tick(this.now());
      this.read();
      this.update();
    } else {
      this.load.rings(alarm);
    }
  }

  // Consequences of calls of the session.

  #dispatchAll(): void {
    for (let incoming = this.session.next(); incoming !== undefined; incoming = this.session.next()) {
      dispatch(this, incoming);
    }
  }

  /** Handles the session's events, lets waiting requests try again, and sends the frames at the end of the task. */
  update(): void {
    this.#dispatchAll();
    this.#line.go();
    if (this.#blocked.size > 0) {
      for (const stream of [...this.#blocked]) {
        stream.flush();
      }
      this.#dispatchAll();
    }
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#isScheduled && !this.ending.isGone) {
      this.#isScheduled = true;
      this.driver.soon(this.#send);
    }
  }

  readonly #send = (): void => {
    this.#isScheduled = false;
    if (this.ending.isGone) {
      return;
    }
    const sent = this.#outlet.send(this.now(), this.end !== undefined, (bytes) => this.load.gave(bytes));
    this.load.weigh();
    if (this.session.finished && !this.ending.isDeparting) {
      this.#depart();
    }
    if (sent > 0 && (this.#inlet.left > 0 || !this.#line.isEmpty || this.#blocked.size > 0)) {
      this.read();
      this.update();
    }
    this.#setAlarm();
  };

  /** Ends this side's direction; the peer's is waited for [MXP-11.5]. */
  #depart(): void {
    this.ending.isDeparting = true;
    this.#dispatchAll();
    this.wire.end();
    this.driver.alarm("linger", lingerUs / 1000);
  }

  /** Sets the alarm of the session, unless it is one that comes first: that looks again, since most timeouts only move on. */
  #setAlarm(): void {
    const [timeout, due] = [this.session.nextTimeout, this.end === undefined ? this.#outlet.due : undefined];
    const at = timeout !== undefined && due !== undefined ? min(timeout, due) : timeout ?? due;
    if (at !== undefined && this.#alarmAt !== undefined && this.#alarmAt <= at) {
      return;
    }
    this.#alarmAt = at;
    this.driver.alarm("tick", at === undefined ? undefined : Math.max(0, Math.ceil(Number(at - this.now()) / 1000)));
  }

  // Requests of this side's.

  /** Does something with the session, in line with others where it has too little room. */
  enter(run: Act<void>, reject: (error: MxpError) => void): Ticket {
    const ticket = this.#line.enter(() => run(this.session, this.now()), reject);
    this.update();
    return ticket;
  }

  /** Does something with the session at once. */
  do<T>(run: Act<T>): T {
    try {
      return run(this.session, this.now());
    } finally {
      this.update();
    }
  }

  /** Does something with the session for a stream, which says whether more of it waits for room. */
  sendOn(stream: Stream, run: Act<boolean>): void {
    this.#blocked.delete(stream);
    if (run(this.session, this.now())) {
      this.#blocked.add(stream);
    }
    this.#schedule();
  }

  /** Takes a request back, unless it has ended. */
  cancel(id: bigint): void {
    if (this.calls.has(id)) {
      this.do((session, now) => session.cancel(id, now));
    }
  }

  /** Opens a stream, of which so many chunks may be on their way, or opens one again that another connection had. */
  open(request: SessionRequest, messages: number, value: Uint8Array, final: boolean, former?: Stream): Stream {
    const id = this.session.open(request, messages, BigInt(this.windowBytes), value, final, this.now());
    const stream = former ?? new Stream(this, id, true, final, messages);
    this.streams.set(id, stream);
    former?.move(this, id);
    return stream;
  }

  /** Lets go of a stream that is over. */
  forget(stream: Stream): void {
    this.streams.delete(stream.id);
    this.#blocked.delete(stream);
  }

  /** Takes no more requests, and closes when the requests in flight have ended. */
  drain(reason: string): void {
    if (this.end === undefined && !this.ending.isGone && !this.session.finished) {
      this.do((session, now) => session.drain(reason, now));
    }
    drain(this);
  }

  /** Closes at once. */
  destroy(): void {
    this.wire.destroy();
    this.closed("the connection was closed");
  }

  // Requests of the peer's.

  /** The stream of a request, with its first grant unless the peer sends nothing on it. */
  adopt(id: bigint, final: boolean): Stream {
    const stream = new Stream(this, id, false, false);
    this.streams.set(id, stream);
    if (final) {
      stream.peerEnded();
    } else {
      this.do((session, now) => session.grant(id, stream.messages, BigInt(this.windowBytes), now));
    }
    return stream;
  }

  /** The handler of a request has ended. The place of a request that was taken back is given away. */
  stops(id: bigint, task: Task): void {
    this.places.delete(id);
    if (task.aborted && this.end === undefined) {
      attempt(() => this.do((session, now) => session.release(id, now)));
    }
  }

  /** Answers a call, in line where there is too little room. A call that has ended needs no answer. */
  respond(id: bigint, { metadata, value }: Reply, resolve: () => void, reject: (error: MxpError) => void): void {
    this.enter((session, now) => {
      session.respond(id, metadata, value, now);
      resolve();
    }, (error) => {
      if (error.code === "exchange_ended") {
        resolve();
      } else {
        reject(new MxpError(error.status, error.code, { text: error.text, acted: true }));
      }
    });
  }

  /** Answers a request with a failure. */
  fail(id: bigint, error: MxpError): void {
    attempt(() => this.do((session, now) => tell(failureFrom(error), (failure) => session.fail(id, failure, now))));
  }

  /** Says that an event was taken. */
  ack(id: bigint): void {
    attempt(() => this.do((session, now) => session.ack(id, 0n, now)));
  }
}
