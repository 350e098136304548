/**
 * The most of a pause in reading that counts, in milliseconds: a connection can't let go of memory that waits for
 * unread bytes.
 */
const pauseCounts = 100;

/**
 * The bytes that a connection let go of in the last second at least, and in the last two at most,
 * but for the times in which it was not read. Times are milliseconds that never decrease.
 */
export class Movement {
  #began = 0;
  #now = 0;
  #before = 0;
  #pausedAt: number | undefined;
  /** How much of pauses does not count. */
  #passed = 0;

  add(bytes: number, now: number): void {
    this.#turn(now);
    this.#now += bytes;
  }

  bytes(now: number): number {
    this.#turn(now);
    return this.#now + this.#before;
  }

  /** Says that the connection is not read any more, or is again. */
  pause(now: number): void {
    this.#pausedAt = now;
  }

  resume(now: number): void {
    this.#passed += this.#skipped(now);
    this.#pausedAt = undefined;
  }

  #skipped(now: number): number {
    return this.#pausedAt === undefined ? 0 : Math.max(now - this.#pausedAt - pauseCounts, 0);
  }

  #turn(time: number): void {
    const now = time - this.#passed - this.#skipped(time);
    const past = now - this.#began;
    if (past < 1000) {
      return;
    }
    const isNext = past < 2000;
    this.#before = isNext ? this.#now : 0;
    this.#now = 0;
    this.#began = isNext ? this.#began + 1000 : now;
  }
}
