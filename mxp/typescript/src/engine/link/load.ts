import type { Session } from "../../session/index.js";
import { lingerUs } from "../../session/spec_gen.js";
import type { Budget, Member, Share } from "../budget.js";
import type { Driver, Wire } from "../driver.js";

/** The time, in milliseconds, before more of passed-over bytes is read [MXP-11.5]. */
const passedOverMs = 10;

/** The time, in milliseconds, between two looks of a paused connection at its peer and its transport. */
const looksMs = 250;

/** The connection of a load, as that knows it. */
export interface LoadLink {
  readonly session: Session;
  readonly wire: Wire;
  readonly driver: Driver;
  readonly streams: ReadonlyMap<bigint, { readonly held: number }>;
  /** Microseconds of the session's clock. */
  now(): bigint;
  /** Tries again what was left, and looks whether more may be read. */
  read(): void;
  /** Ends the session, since all connections hold too much [MXP-15.4]. */
  overrun(): void;
  /** Drops the events that wait, since the connection is gone and such have too many [MXP-15.5]. */
  crowded(): void;
}

/** The memory that a connection holds [MXP-15.2], and whether it is read. */
export class Load implements Member {
  readonly #link: LoadLink;
  readonly #budget: Budget;
  readonly #share: Share;
  readonly #most: number;
  /** Chunks that nobody has taken, requests that wait or whose handlers run, and answers that wait for room. */
  #unread = 0;
  /** Chunks that senders wait with. */
  #unsent = 0;
  /** The part of #unread that is events, events of a batch whose handlers run among them. */
  #events = 0;
  /** Values of requests whose handlers run, which the session counts while it goes on. */
  #handled = 0;
  /** Bytes that were given to a wire that is full. */
  #given = 0;
  #left = 0;
  #isPaused = false;
  /** Whether it is read although memory is scarce. */
  #hasTurn = false;
  /** Whether the peer is gone: what it has left is read, however much is held [MXP-15.3]. */
  #isHungUp = false;
  #overruns = false;
  /** Whether the session was told to end. */
  #isOver = false;
  #isCrowded = false;
  #isGone = false;

  constructor(budget: Budget, most: number, link: LoadLink) {
    this.#budget = budget;
    this.#most = most;
    this.#link = link;
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
    } else if (this.#isPaused && !this.#overruns) {
      this.#link.read();
    }
  }

  /** Notes what a wire was given that is full, and that it has room. */
  gave(bytes: number): void {
    this.#given += bytes;
  }

  drained(): void {
    this.#given = 0;
  }

  /** Notes that a piece was read. A piece that is passed over is not followed at once. */
  took(): void {
    this.#hasTurn = false;
    if (this.#overruns && !this.#isPaused) {
      this.#isPaused = true;
      this.#link.wire.pause();
      this.#link.driver.alarm("turn", passedOverMs);
    }
  }

  /**
   * Weighs what the connection holds, and reads no more while that is more than it may be. So many of the read bytes
   * are left.
   */
  bound(rest: number): void {
    this.#left = rest;
    const mayRead = this.#weigh();
    const holds = this.#link.session.backlog + this.#unread + this.#given > this.#most;
    if (holds) {
      this.#bound();
    }
    const pauses = rest > 0 || (!this.#isHungUp && (holds || !(mayRead || this.#hasTurn)));
    if (pauses !== this.#isPaused && !this.#overruns) {
      this.#isPaused = pauses;
      this.#link.driver.alarm("look", pauses ? looksMs : undefined);
      if (pauses) {
        this.#link.wire.pause();
        this.#link.session.pause(this.#link.now());
      } else {
        this.#link.wire.resume();
        this.#link.session.resume(this.#link.now());
      }
    }
  }

  /**
   * Ends the stream with the most unread chunks, if unread chunks are much of the bytes that the connection holds
   * [MXP-15.3].
   */
  #bound(): void {
    let [largest, most, all] = [0n, -1, 0];
    for (const [id, { held }] of this.#link.streams) {
      all += held;
      [largest, most] = held > most ? [id, held] : [largest, most];
    }
    if (all > this.#most / 2) {
      this.#link.session.overrun(this.#link.now(), largest);
    }
  }

  /** An alarm rings. */
  rings(alarm: "turn" | "look" | "last"): void {
    if (alarm === "last") {
      this.#link.wire.destroy();
    } else if (alarm === "look") {
      this.#link.driver.alarm("look", looksMs);
      this.#look();
    } else if (this.#overruns) {
      this.#isPaused = false;
      this.#link.wire.resume();
    } else {
      this.#hasTurn = true;
      this.#budget.awoke(this.#share, this.#link.driver.clock());
      this.#link.read();
    }
  }

  #look(): void {
    this.#weigh();
    if (!this.#isHungUp && !this.#overruns && this.#link.wire.isHungUp === true) {
      this.#budget.hangsUp(this.#share);
    }
  }

  onHungUp(): void {
    this.#isHungUp = true;
    this.#link.driver.pace.readLater(() => this.#isGone || this.#link.read());
  }

  /** Says how much is held; false, where it should not be more. */
  weigh(): boolean {
    return this.#isGone || this.#weigh();
  }

  #weigh(): boolean {
    const now = this.#link.driver.clock();
    const live = this.#isGone ? this.#handled : this.#overruns ? this.#handled + this.#given : this.#link.session.held + this.#given + this.#left + (this.#link.wire.ahead ?? 0);
    const mayRead = this.#budget.weigh(this.#share, live + this.#unread + this.#unsent, this.#unsent, now);
    if (this.#isGone) {
      this.#budget.orphans(this.#share, this.#events);
    }
    if (this.#isGone && live + this.#unread === 0) {
      this.#budget.leave(this.#share, now);
    }
    return mayRead;
  }

  onBudget(pauseMs: number): void {
    if (this.#overruns) { // what comes is passed over at its own pace
      this.#link.driver.soon(() => this.#budget.awoke(this.#share, this.#link.driver.clock()));
    } else {
      this.#link.driver.alarm("turn", pauseMs);
    }
  }

  onOverrun(): void {
    this.#overruns = true;
    this.#link.driver.soon(() => this.overrun());
  }

  onCrowded(): void {
    this.#isCrowded = true;
    this.#link.driver.soon(() => this.#link.crowded());
  }

  /** Ends the session, if it is to end and has not. Its peer is told, if it takes that soon. */
  overrun(): void {
    if (this.#isOver || this.#isGone) {
      return;
    }
    this.#isOver = true;
    this.#link.driver.alarm("last", lingerUs / 1000);
    this.#quiet();
    this.#link.overrun();
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#link.wire.resume();
    }
    this.#weigh();
  }

  #quiet(): void {
    this.#link.driver.alarm("turn", undefined);
    this.#link.driver.alarm("look", undefined);
    this.#budget.awoke(this.#share, this.#link.driver.clock());
  }

  /** Notes that the connection is gone. The bytes of its handlers are held until they have ended. */
  gone(): void {
    this.#isGone = true;
    this.#link.driver.alarm("last", undefined);
    this.#given = 0;
    this.#left = 0;
    this.#budget.ends(this.#share);
    this.#quiet();
    this.#weigh();
  }
}
