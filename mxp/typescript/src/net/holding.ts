import type { Session } from "../session/index.js";
import { lingerUs } from "../session/spec_gen.js";
import type { Budget, Member, Share } from "../engine/budget.js";
import { pace } from "./pace.js";
import type { RawStream } from "./streams.js";
import type { Wire } from "./wire.js";

/** How long what is passed over waits, in milliseconds, before more of it is read [MXP-11.5]. */
const passedOverMs = 10;

/** How often, in milliseconds, a connection that is not read looks whether its peer is there, and what the transport has. */
const looksMs = 250;

/** The connection of a holding, as that knows it. */
export interface Holder {
  readonly streams: ReadonlyMap<bigint, RawStream>;
  /** Microseconds of the session's clock. */
  now(): bigint;
  /** Tries again what was left, and looks whether more may be read. */
  read(): void;
  /** Ends the session, since all connections hold too much [MXP-15.4]. */
  overrun(): void;
  /** Drops the events that wait, since the connection is gone and such have too many [MXP-15.5]. */
  crowded(): void;
}

/** What a connection holds [MXP-15.2], and whether it is read. */
export class Holding implements Member {
  readonly #session: Session;
  readonly #wire: Wire;
  readonly #holder: Holder;
  readonly #budget: Budget;
  readonly #share: Share;
  readonly #most: number;
  /** Chunks that nobody has taken, requests that wait or whose handlers run, and answers that wait for room. */
  #unread = 0;
  /** What senders wait with. */
  #unsent = 0;
  /** Of what nobody has taken, events, and those of a batch whose handlers run. */
  #events = 0;
  /** Values of requests whose handlers run, which the session counts while it goes on. */
  #handled = 0;
  /** What was given to a wire that is full. */
  #given = 0;
  #left = 0;
  #paused = false;
  /** Whether it is read although memory is scarce. */
  #hasTurn = false;
  #turn: ReturnType<typeof setTimeout> | undefined;
  #looks: ReturnType<typeof setInterval> | undefined;
  /** Whether the peer is gone: what it has left is read, however much is held [MXP-15.3]. */
  #isHungUp = false;
  #last: ReturnType<typeof setTimeout> | undefined;
  #overruns = false;
  #isCrowded = false;
  #isGone = false;

  constructor(budget: Budget, session: Session, most: number, wire: Wire, holder: Holder) {
    this.#budget = budget;
    this.#session = session;
    this.#most = most;
    this.#wire = wire;
    this.#holder = holder;
    this.#share = budget.join(this);
  }

  /** Whether the session is to end, or has, since all hold too much. */
  get overruns(): boolean {
    return this.#overruns;
  }

  /** Whether events that wait are to be dropped. */
  get drops(): boolean {
    return this.#overruns || this.#isCrowded;
  }

  /** Whether the peer is known to be gone, so that nothing is begun for which it waits. */
  get isHungUp(): boolean {
    return this.#isHungUp;
  }

  /** Counts events that wait, or don't any more. */
  holdsEvents(bytes: number): void {
    this.#events += bytes;
    this.holds(bytes);
  }

  /** Counts what is held that nobody has taken, or has. */
  holds(bytes: number): void {
    this.#unread += bytes;
    if (bytes < 0) {
      this.#less();
    }
  }

  /** Counts what a sender waits with, or does not any more. */
  waits(bytes: number): void {
    this.#unsent += bytes;
  }

  /** Counts the value of a request whose handler begins, or has ended. */
  handles(bytes: number): void {
    this.#handled += bytes;
    if (bytes < 0) {
      this.#less();
    }
  }

  #less(): void {
    if (this.#isGone) {
      this.#weigh();
    } else if (this.#paused && !this.#overruns) {
      this.#holder.read();
    }
  }

  /** Notes what a wire was given that is full, and that it has room. */
  gave(bytes: number): void {
    this.#given += bytes;
  }

  drained(): void {
    this.#given = 0;
  }

  /** Notes that a piece was read. One that is passed over is not followed at once. */
  took(): void {
    this.#hasTurn = false;
    if (this.#overruns && !this.#paused) {
      this.#paused = true;
      this.#wire.pause();
      this.#turn = setTimeout(() => {
        this.#paused = false;
        this.#wire.resume();
      }, passedOverMs);
    }
  }

  /** Weighs what the connection holds, and reads no more while that is more than it may be. So much is left of what was read. */
  bound(left: number): void {
    this.#left = left;
    const mayRead = this.#weigh();
    const now = this.#holder.now();
    const holds = this.#session.held + this.#unread + this.#given + left > this.#most;
    if (holds) {
      const streams = [...this.#holder.streams].sort(([, a], [, b]) => b.held - a.held);
      const largest = streams[0];
      if (largest !== undefined && streams.reduce((n, [, stream]) => n + stream.held, 0) > this.#most / 2) {
        this.#session.overrun(now, largest[0]);
      }
    }
    const pauses = left > 0 || (!this.#isHungUp && (holds || !(mayRead || this.#hasTurn)));
    if (pauses !== this.#paused && !this.#overruns) {
      this.#paused = pauses;
      if (pauses) {
        this.#wire.pause();
        this.#looks = setInterval(() => this.#look(), looksMs);
        this.#session.pause(now);
      } else {
        clearInterval(this.#looks);
        this.#wire.resume();
        this.#session.resume(now);
      }
    }
  }

  #look(): void {
    this.#weigh();
    if (!this.#isHungUp && !this.#overruns && this.#wire.isHungUp === true) {
      this.#budget.hangsUp(this.#share);
    }
  }

  onHungUp(): void {
    this.#isHungUp = true;
    pace.readLater(() => this.#isGone || this.#holder.read());
  }

  /** Says how much is held; false, where it should not be more. */
  weigh(): boolean {
    return this.#isGone || this.#weigh();
  }

  #weigh(): boolean {
    const live = this.#isGone ? this.#handled : this.#overruns ? this.#handled + this.#given : this.#session.held + this.#given + this.#left + (this.#wire.ahead ?? 0);
    const mayRead = this.#budget.weigh(this.#share, live + this.#unread + this.#unsent, this.#unsent, performance.now());
    if (this.#isGone) {
      this.#budget.orphans(this.#share, this.#events);
    }
    if (this.#isGone && live + this.#unread === 0) {
      this.#budget.leave(this.#share, performance.now());
    }
    return mayRead;
  }

  onBudget(pauseMs: number): void {
    if (this.#overruns) { // what comes is passed over at its own pace
      queueMicrotask(() => this.#budget.awoke(this.#share, performance.now()));
      return;
    }
    clearTimeout(this.#turn);
    this.#turn = setTimeout(() => {
      this.#hasTurn = true;
      this.#budget.awoke(this.#share, performance.now());
      this.#holder.read();
    }, pauseMs);
  }

  onOverrun(): void {
    this.#overruns = true;
    queueMicrotask(() => this.overrun());
  }

  onCrowded(): void {
    this.#isCrowded = true;
    queueMicrotask(() => this.#holder.crowded());
  }

  /** Ends the session, if it is to end and has not. Its peer is told, if it takes that soon. */
  overrun(): void {
    if (this.#last === undefined && !this.#isGone) {
      this.#last = setTimeout(() => this.#wire.destroy(), lingerUs / 1000);
      clearTimeout(this.#turn);
      clearInterval(this.#looks);
      this.#budget.awoke(this.#share, performance.now());
      this.#holder.overrun();
      if (this.#paused) {
        this.#paused = false;
        this.#wire.resume();
      }
      this.#weigh();
    }
  }

  /** Notes that the connection is gone. What its handlers hold is held until they have ended. */
  gone(): void {
    this.#isGone = true;
    clearTimeout(this.#turn);
    clearInterval(this.#looks);
    clearTimeout(this.#last);
    this.#given = 0;
    this.#left = 0;
    this.#budget.ends(this.#share);
    this.#budget.awoke(this.#share, performance.now());
    this.#weigh();
  }
}
