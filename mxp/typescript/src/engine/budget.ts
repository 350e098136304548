import { Movement } from "./movement.js";

/** A connection, as its budget knows it. */
export interface Member {
  /** Others hold less now, or it has a turn: it is to be read after a pause in milliseconds, and says `awoke` then. */
  onBudget(pauseMs: number): void;
  /** It holds most, and all together too much: its session is to end. */
  onOverrun(): void;
  /** Its peer has hung up, and few others are read whose peers had: what it has left is to be read, however much is held. */
  onHungUp(): void;
  /**
   * The connection is gone, and its events hold the most of all gone connections' events, which hold too much: it is to
   * drop them.
   */
  onCrowded(): void;
}

/** The bytes for which no connection is ended or left unread. */
const little = 64 << 10;

/** The part of the budget that events of gone connections may have [MXP-15.5]. */
const orphanedPart = 16;

/** The bytes that a connection takes that holds nothing. */
export const connectionBytes: number = 6 << 10;

/** How many times as much as it holds a connection lets go of in a second that moves bytes. */
const movingTimes = 4;

/** How many are read at once whose peers have hung up. */
const leavingMost = 8;

/**
 * The pauses before a woken connection of each line is read, in milliseconds, where more than half is held; and where
 * memory is scarce.
 */
const wakePauses = [10, 10] as const;
const turnPauses = [100, 40] as const;
const noPauses = [0, 0] as const;

/** The line of connections that move bytes is 1, the line of the others 0. */
type Line = 0 | 1;

/** The part of a member in a budget. */
export class Share {
  readonly member: Member;
  readonly moved: Movement = new Movement();
  held = 0;
  /** The part of it that waits for grants of the peer's. */
  unsent = 0;
  /** The line in which it waits to be read. */
  waits: Line | undefined;
  isEnding = false;
  /** The bytes of its events, with its own, once it is gone. */
  orphaned = 0;
  /** Whether it was told to drop them. */
  isCrowded = false;

  constructor(member: Member) {
    this.member = member;
  }

  /** Whether it has let go of several times as much as it holds lately. */
  isMoving(now: number): boolean {
    return this.moved.bytes(now) / movingTimes >= this.held;
  }
}

/**
 * The memory that all connections of a server, or of a client, may hold together [MXP-15.4]. It says
 * which are not read while much is held, and which has to end. Times are milliseconds that never decrease.
 */
export class Budget {
  /** The bytes that may be counted: fewer than the budget, since nobody counts garbage before it is collected. */
  readonly bytes: number;
  readonly #members = new Set<Share>();
  #held = 0;
  #unsent = 0;
  #ending = 0;
  #orphaned = 0;
  /** Members that are not read, in the order in which they are told that they may be. */
  readonly #lines: readonly [Set<Share>, Set<Share>] = [new Set(), new Set()];
  /** That of each line which was told last, and has not begun to read. */
  readonly #woken: [Share | undefined, Share | undefined] = [undefined, undefined];

  /**
   * Members whose peers have hung up, and the members of them that are read to their end: each may have much in its
   * transport.
   */
  readonly #hungUp = new Set<Share>();
  readonly #leaving = new Set<Share>();

  constructor(bytes: number) {
    this.bytes = Math.floor(bytes / 2);
  }

  /** The bytes that all hold. */
  get held(): number {
    return this.#held;
  }

  join(member: Member): Share {
    const share = new Share(member);
    this.#members.add(share);
    return share;
  }

  leave(share: Share, now: number): void {
    if (this.#members.delete(share)) {
      this.#held -= share.held;
      this.#unsent -= share.unsent;
      this.#ending -= share.isEnding ? share.held : 0;
      this.#orphaned -= share.orphaned;
      this.#stopWaiting(share, now);
      this.#forgetWoken(share);
      this.#wake(now);
    }
  }

  /** Says that the peer of a connection has hung up that is not read. */
  hangsUp(share: Share): void {
    if (!this.#leaving.has(share)) {
      this.#hungUp.add(share);
      this.#letLeave();
    }
  }

  #letLeave(): void {
    for (const share of this.#hungUp) {
      if (this.#leaving.size === leavingMost) {
        return;
      }
      this.#hungUp.delete(share);
      this.#leaving.add(share);
      share.member.onHungUp();
    }
  }

  /** Notes that a connection ends. Its bytes are no reason any more for others to make room. */
  ends(share: Share): void {
    if (!share.isEnding && this.#members.has(share)) {
      share.isEnding = true;
      this.#ending += share.held;
      this.#hungUp.delete(share);
      this.#leaving.delete(share);
      this.#letLeave();
    }
  }

  /**
   * Says how many bytes wait in events of a connection that is gone. If all gone connections together hold too much,
   * the connections with most are to drop their events.
   */
  orphans(share: Share, bytes: number): void {
    if (!this.#members.has(share)) {
      return;
    }
    const all = bytes === 0 || share.isCrowded ? 0 : bytes + connectionBytes;
    this.#orphaned += all - share.orphaned;
    share.orphaned = all;
    while (this.#orphaned > this.bytes / orphanedPart) {
      const largest = [...this.#members].reduce((most, member) => (member.orphaned > most.orphaned ? member : most));
      this.#orphaned -= largest.orphaned;
      largest.orphaned = 0;
      largest.isCrowded = true;
      largest.member.onCrowded();
    }
  }

  /** Says that a connection that was told that it may be read is. */
  awoke(share: Share, now: number): void {
    if (this.#forgetWoken(share)) {
      this.#wake(now);
    }
  }

  /**
   * Says how much a connection holds, and how much of that waits for its peer's grants; gives whether it
   * may be read. Bytes that wait for grants are a reason to end the connection, and none to pause it, since grants
   * would not be read either; where none have come lately, that holds for a little of them [MXP-15.2].
   */
  weigh(share: Share, bytes: number, unsent: number, now: number): boolean {
    if (!this.#members.has(share)) {
      return true;
    }
    const more = bytes - share.held;
    if (more < 0) {
      share.moved.add(-more, now);
    }
    this.#held += more;
    this.#ending += share.isEnding ? more : 0;
    share.held = bytes;
    const waiting = unsent > little && share.moved.bytes(now) === 0 ? little : unsent;
    this.#unsent += waiting - share.unsent;
    share.unsent = waiting;
    if (this.#held - this.#ending > this.bytes) {
      this.#shed(now);
    }
    const waits = this.#isScarce && bytes - waiting > this.#fair;
    if (waits) {
      this.#startWaiting(share, now);
    } else {
      this.#stopWaiting(share, now);
    }
    this.#wake(now);
    return !waits;
  }

  get #isScarce(): boolean {
    return this.#held - this.#unsent > (this.bytes / 4) * 3;
  }

  /** The bytes that each may hold where memory is scarce: together a quarter, since each reads some more before it looks again. */
  get #fair(): number {
    return Math.max(little, this.bytes / 4 / this.#members.size);
  }

  /** Ends the connections that hold most, until the others have enough. */
  #shed(now: number): void {
    while (this.#held - this.#ending > this.bytes) {
      const largest = this.#largest(now);
      if (largest === undefined) {
        return;
      }
      this.ends(largest);
      largest.member.onOverrun();
    }
  }

  /** The connection that holds most; connections that don't move come first. */
  #largest(now: number): Share | undefined {
    const least = Math.min(little, this.bytes / this.#members.size);
    let found: Share | undefined;
    let rests = false;
    for (const share of this.#members) {
      if (share.isEnding || share.held < least) {
        continue;
      }
      const stays = !share.isMoving(now);
      if (found === undefined || (stays === rests ? share.held > found.held : stays)) {
        [found, rests] = [share, stays];
      }
    }
    return found;
  }

  /** Puts a connection at the end of its line, or moves it to the line of moving connections. */
  #startWaiting(share: Share, now: number): void {
    const line: Line = share.isMoving(now) ? 1 : 0;
    if (share.waits !== undefined && line > share.waits) {
      this.#stopWaiting(share, now);
    }
    if (share.waits === undefined) {
      share.waits = line;
      this.#lines[line].add(share);
      share.moved.pause(now);
    }
  }

  #stopWaiting(share: Share, now: number): void {
    if (share.waits !== undefined) {
      this.#lines[share.waits].delete(share);
      share.waits = undefined;
      share.moved.resume(now);
    }
  }

  #forgetWoken(share: Share): boolean {
    const at = this.#woken.indexOf(share);
    if (at >= 0) {
      this.#woken[at] = undefined;
    }
    return at >= 0;
  }

  /** Tells the connection of each line that has been paused for longest that it may read, one at a time. */
  #wake(now: number): void {
    const pauses = this.#isScarce ? turnPauses : this.#held - this.#unsent <= this.bytes / 2 ? noPauses : wakePauses;
    for (const line of [0, 1] as const) {
      const [first] = this.#woken[line] === undefined && this.#lines[line].size > 0 ? this.#lines[line] : [];
      if (first !== undefined) {
        this.#woken[line] = first;
        this.#stopWaiting(first, now);
        first.member.onBudget(pauses[line]);
      }
    }
  }
}
