import type { Stats } from "../session/stats.js";
import type { MxpError } from "./failure.js";
import { mayHeal } from "./outage.js";

/** The longest time that a timer takes, in milliseconds; one of more would be over at once. */
export const longestMs: number = 2 ** 31 - 1;

/** How requests are made again that have ended with Unavailable [MXP-14.8], and how long they may take [MXP-14.11]. */
export interface RetryPolicy {
  /** The most times that a request is made, the first time included; 3. */
  readonly attempts?: number;
  /** The pauses before repetitions, in milliseconds: the first, which doubles, and the greatest; 10 and 1000. */
  readonly leastPauseMs?: number;
  readonly greatestPauseMs?: number;
  /** The part of a repetition that each request adds to the budget of repetitions; 0.1. */
  readonly budget?: number;
  /** The `timeoutMs` of requests that are not told one; none. */
  readonly timeoutMs?: number;
  /**
   * After how many milliseconds without an answer a call of an `@idempotent` method is made on another
   * connection, too, and again after as many; the first answer counts. Never, where nothing is said.
   */
  readonly hedgeMs?: number;
}

/** The most that repetitions may cost, at first and at most [MXP-14.8]. */
const spendableMost = 10;

/** A policy with its budget. */
export class Retries {
  readonly attempts: number;
  readonly timeoutMs: number | undefined;
  readonly hedgeMs: number | undefined;
  readonly #leastPauseMs: number;
  readonly #greatestPauseMs: number;
  readonly #budget: number;
  #spendable = spendableMost;
  /** Repetitions that were made, and that were not for want of budget. */
  #made = 0;
  #overBudget = 0;

  /** Throws a RangeError for a policy that can't be. */
  constructor(policy: RetryPolicy) {
    const { attempts = 3, leastPauseMs = 10, greatestPauseMs = 1000, budget = 0.1, timeoutMs, hedgeMs } = policy;
    for (const [name, value = 0] of Object.entries<number | undefined>({ attempts, leastPauseMs, greatestPauseMs, budget, timeoutMs, hedgeMs })) {
      const most = name.endsWith("Ms") ? longestMs : Infinity;
      if (!(value >= 0 && value <= most)) {
        throw new RangeError(`retry.${name} is ${value}, and has to be from 0 to ${most}`);
      }
    }
    this.attempts = attempts;
    this.timeoutMs = timeoutMs;
    this.hedgeMs = hedgeMs;
    this.#leastPauseMs = leastPauseMs;
    this.#greatestPauseMs = greatestPauseMs;
    this.#budget = budget;
  }

  /** Adds what a request earns. */
  earn(): void {
    this.#spendable = Math.min(this.#spendable + this.#budget, spendableMost);
  }

  /** Pays for a repetition, if the budget does. */
  spend(): boolean {
    if (this.#spendable < 1) {
      this.#overBudget++;
      return false;
    }
    this.#spendable--;
    this.#made++;
    return true;
  }

  /** Adds its counters to other counters. */
  count(stats: Stats): void {
    stats.retries += this.#made;
    stats.retriesOverBudget += this.#overBudget;
  }

  /** The pause before the nth repetition, in milliseconds. */
  pause(n: number, draw: () => number): number {
    const longest = Math.min(this.#leastPauseMs * 2 ** (n - 1), this.#greatestPauseMs);
    return longest / 2 + (draw() * longest) / 2;
  }
}

/** A request that may be made again [MXP-14.8]. */
export class Retry {
  readonly #policy: Retries;
  readonly #isIdempotent: boolean;
  readonly #isCall: boolean;
  /** The number of times that it was made. */
  #made = 1;

  constructor(policy: Retries, isIdempotent: boolean, isCall: boolean) {
    this.#policy = policy;
    this.#isIdempotent = isIdempotent;
    this.#isCall = isCall;
    policy.earn();
  }

  /** After how long a call is made on another connection, too; undefined if it is not. */
  get hedgeMs(): number | undefined {
    return this.#isCall && this.#isIdempotent && this.mayHedge ? this.#policy.hedgeMs : undefined;
  }

  /** Whether one more attempt may be made. */
  get mayHedge(): boolean {
    return this.#made < this.#policy.attempts;
  }

  /** Pays for one more attempt beside the attempts in flight, if the budget allows it. */
  hedge(): boolean {
    const isPaid = this.#policy.spend();
    this.#made += isPaid ? 1 : 0;
    return isPaid;
  }

  /**
   * The pause before a failed request is made again, in milliseconds; undefined if it is not made again. So much time
   * is left of its deadline.
   */
  pause(error: MxpError, leftMs: number, draw: () => number): number | undefined {
    const pause = this.#policy.pause(this.#made, draw);
    const isRepeatable = mayHeal(error) && (!error.acted || this.#isIdempotent);
    // one that has found no connection has waited as long as it may [MXP-14.4]
    if (!this.mayHedge || pause >= leftMs || error.code === "not_connected" || !isRepeatable || !this.#policy.spend()) {
      return undefined;
    }
    this.#made++;
    return pause;
  }
}

/** Attempts of one call that are in flight side by side [MXP-14.11]. */
export class Attempts<C> {
  /** The connections that they were made on. */
  readonly all: C[] = [];
  #flying = 0;

  add(connection: C): void {
    this.all.push(connection);
    this.#flying++;
  }

  /** Notes that one has failed; whether its failure is that of the call. */
  failed(error: MxpError): boolean {
    this.#flying--;
    return this.#flying === 0 || !mayHeal(error);
  }
}
