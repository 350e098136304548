import { never } from "./config.js";
import { min, sum } from "./exchange.js";

const millisecond = 1000n;

/** Counts the refusals that the peer has caused [MXP-9.7]. */
export class Tally {
  /** How many may be, and how many each millisecond takes off. */
  readonly #most: bigint;
  readonly #perMs: bigint;
  #count = 0n;
  /** When the count was 0, or what time has taken off last. */
  #since: bigint;

  constructor(most: number, perMs: number, now: bigint) {
    this.#most = BigInt(most);
    this.#perMs = BigInt(perMs);
    this.#since = now;
  }

  /** Whether there are more than may be, as of the last time that was told. */
  get over(): boolean {
    return this.#count > this.#most;
  }

  /** Takes one off. */
  answered(): void {
    if (this.#count > 0n) {
      this.#count--;
    }
  }

  /** Takes off what time does. */
  pass(now: bigint): void {
    const n = (now - min(now, this.#since)) / millisecond;
    if (n * this.#perMs >= this.#count) {
      this.#count = 0n;
      this.#since = now;
      return;
    }
    this.#count -= n * this.#perMs;
    this.#since += n * millisecond;
  }

  /** Counts one, and says whether it is the first that is too much. */
  caused(now: bigint): boolean {
    this.pass(now);
    this.#count++;
    return this.#count === this.#most + 1n;
  }

  /** When there are no more than may be. */
  get due(): bigint {
    return this.over ? sum(this.#since, ((this.#count - this.#most - 1n) / this.#perMs + 1n) * millisecond) : never;
  }
}
