/** How many values a connection goes on with in a turn, and how many bytes count as one. */
const turnValues = 256;
const valueBytes = 256;

/**
 * The number of values that a connection may handle after others have used up a turn: a connection with few values
 * never waits for connections with many.
 */
const fewValues = 8;

/** How long, in milliseconds, turns are taken in which little is to be done, before what has come meanwhile is looked at. */
const turnMs = 1;

/** How many values may be handled in a turn of their own. */
export const allowedInTurn: number = turnValues;

/** The way in which connections share the time of the one thread that all have. */
export class Pace {
  readonly #next: (run: () => void) => void;
  readonly #clock: () => number;
  /**
   * Connections with bytes that wait for their turn; and handlers that go on later, whose time shows only in later
   * turns.
   */
  readonly #reads: (() => void)[] = [];
  readonly #handlers: (() => void)[] = [];
  /** Whether a turn comes. */
  #comes = false;
  #left = turnValues;
  #isRenewed = false;

  /** `next` does something once what has come meanwhile was looked at; the clock tells milliseconds. */
  constructor(next: (run: () => void) => void, clock: () => number) {
    this.#next = next;
    this.#clock = clock;
  }

  /** Lets those go on that wait, and then what has come meanwhile. */
  readonly #turn = (): void => {
    const end = this.#clock() + turnMs;
    do {
      this.#reads.shift()?.();
    } while (this.#reads.length > 0 && this.#clock() < end);
    this.#handlers.shift()?.();
    this.#comes = this.#reads.length + this.#handlers.length > 0;
    if (this.#comes) {
      this.#next(this.#turn);
    }
  };

  #wait(line: (() => void)[], run: () => void): void {
    line.push(run);
    if (!this.#comes) {
      this.#comes = true;
      this.#next(this.#turn);
    }
  }

  /** Handles what was read in a turn of its own, `allowedInTurn` values at most, behind all that wait for theirs. */
  readLater(run: () => void): void {
    this.#wait(this.#reads, run);
  }

  /** Begins handlers in a turn of their own, `allowedInTurn` at most, behind all that wait for theirs. */
  handleLater(run: () => void): void {
    this.#wait(this.#handlers, run);
  }

  /** How many values may be handled now, before a turn of their own; `isLittle` says that there are few of them, or not much of their bytes. */
  allowed(isLittle: boolean): number {
    return Math.max(this.#left, isLittle ? fewValues : 0);
  }

  /** Notes that values were handled, of so many bytes. */
  spent(values: number, bytes: number): void {
    this.#left = Math.max(this.#left - values - Math.floor(bytes / valueBytes), 0);
    if (!this.#isRenewed) {
      this.#isRenewed = true;
      this.#next(this.#renew);
    }
  }

  readonly #renew = (): void => {
    this.#isRenewed = false;
    this.#left = turnValues;
  };
}
