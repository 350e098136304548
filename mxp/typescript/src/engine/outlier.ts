import { Status } from "../session/index.js";
import { outlierFailures, outlierMaxUs, outlierMinUs } from "../session/spec_gen.js";

/** Statuses of requests that may end well elsewhere. */
const elsewhere: ReadonlySet<number> = new Set([Status.Unknown, Status.DeadlineExceeded, Status.Internal, Status.Unavailable, Status.DataLoss]);

/** The record of a connection's requests, by which it is left out for a while where they fail one after the other [MXP-14.10]. Its clock tells milliseconds. */
export class Outlier {
  readonly #clock: () => number;
  /** Requests that have failed since one has not. */
  #row = 0;
  /** Until when it is left out. */
  #until = 0;
  /** The number of times that it was left out. */
  times = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Whether requests are to be made on other connections. */
  get leftOut(): boolean {
    return this.#until !== 0 && this.#clock() < this.#until;
  }

  /** Notes how a request has ended: well, if there is no failure. */
  ended(failure?: { readonly status: number; readonly acted: boolean }): void {
    if (failure !== undefined && (failure.status === Status.Cancelled || (failure.status === Status.DeadlineExceeded && !failure.acted))) {
      return;
    }
    if (failure === undefined || !elsewhere.has(failure.status)) {
      this.#row = 0;
    } else if (!this.leftOut) { // else it was made before
      this.#row++;
      if (this.#row >= outlierFailures) {
        this.times++;
        this.#until = this.#clock() + Math.min(outlierMinUs * 2 ** (this.#row - outlierFailures), outlierMaxUs) / 1000;
      }
    }
  }
}
