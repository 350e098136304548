import { outlierFailures, outlierMaxUs, outlierMinUs } from "../session/spec_gen.js";

/** Statuses of requests that may end well elsewhere: Unknown, DeadlineExceeded, Internal, Unavailable and DataLoss. */
const elsewhere: ReadonlySet<number> = new Set([2, 4, 13, 14, 15]);

const cancelled = 1;
const deadlineExceeded = 4;

/** The record of a connection's requests, by which it is left out for a while where they fail one after the other [MXP-14.10]. */
export class Outlier {
  readonly #now: () => number;
  /** Requests that have failed since one has not. */
  #row = 0;
  /** Until when it is left out, in milliseconds. */
  #until = 0;
  /** How often it was left out. */
  times = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether requests are to be made on other connections. */
  get leftOut(): boolean {
    return this.#until !== 0 && this.#now() < this.#until;
  }

  /** Notes how a request has ended: well, if there is no failure. */
  ended(failure?: { readonly status: number; readonly acted: boolean }): void {
    if (failure !== undefined && (failure.status === cancelled || (failure.status === deadlineExceeded && !failure.acted))) {
      return;
    }
    if (failure === undefined || !elsewhere.has(failure.status)) {
      this.#row = 0;
    } else if (!this.leftOut) { // else it was made before
      this.#row++;
      if (this.#row >= outlierFailures) {
        this.times++;
        this.#until = this.#now() + Math.min(outlierMinUs * 2 ** (this.#row - outlierFailures), outlierMaxUs) / 1000;
      }
    }
  }
}
