import type { Stats } from "../session/stats.js";
import { longestMs } from "./abort.js";
import { type MxpError, toError } from "../engine/failure.js";
import type { Reply } from "./request.js";

/** How requests are made again that have ended with Unavailable [MXP-14.8], and how long they may take [MXP-14.11]. */
export interface RetryPolicy {
  /** How often a request is made at most, the first time included; 3. */
  readonly attempts?: number;
  /** The pauses before repetitions, in milliseconds: the first, which doubles, and the greatest; 10 and 1000. */
  readonly leastPauseMs?: number;
  readonly greatestPauseMs?: number;
  /** How much each request adds to what may be spent on repetitions, of which each costs 1; 0.1. */
  readonly budget?: number;
  /** The `timeoutMs` of requests that are not told one; none. */
  readonly timeoutMs?: number;
  /**
   * After how many milliseconds without an answer a call of an `@idempotent` method is made on another
   * connection, too, and again after as many; the first answer counts. Never, where nothing is said.
   */
  readonly hedgeMs?: number;
}

/** What repetitions may cost, at first and at most [MXP-14.8]. */
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

  /** Adds its counters to those of others. */
  count(all: Stats): void {
    all.retries += this.#made;
    all.retriesOverBudget += this.#overBudget;
  }

  /** How long the nth repetition waits, in milliseconds. */
  pause(n: number): number {
    const longest = Math.min(this.#leastPauseMs * 2 ** (n - 1), this.#greatestPauseMs);
    return longest / 2 + (Math.random() * longest) / 2;
  }
}

/** Whether a request may be made again: nobody has acted on it, or it does no harm to act twice. */
export function repeatable(error: MxpError, idempotent: boolean): boolean {
  return error.status === 14 && (!error.acted || idempotent);
}

/**
 * Makes a call, and again on each connection that `other` gives as long as it has not ended
 * [MXP-14.11]. The first end that is not a failure of status 14 is that of the call; the others are
 * cancelled by the signal that they were made with.
 */
export function hedged<C>(first: C, everyMs: number, make: (connection: C, signal: AbortSignal) => Promise<Reply>, other: (but: readonly C[]) => C | undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const made: C[] = [];
    const over = new AbortController();
    let flying = 0;
    const end = (): void => {
      clearInterval(timer);
      over.abort();
    };
    const ask = (connection: C): void => {
      made.push(connection);
      flying++;
      make(connection, over.signal).then((reply) => {
        end();
        resolve(reply);
      }, (thrown: unknown) => {
        const error = toError(thrown);
        flying--;
        if (flying === 0 || error.status !== 14) {
          end();
          reject(error);
        }
      });
    };
    const timer = setInterval(() => {
      const next = other(made);
      if (next !== undefined) {
        ask(next);
      }
    }, Math.max(everyMs, 1));
    ask(first);
  });
}
