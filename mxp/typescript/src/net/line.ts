import { Refusal } from "../session/index.js";
import { longestMs, onAbort } from "./abort.js";
import { type MxpError, refusalError, toError } from "../engine/failure.js";

/** An attempt that waits for room; true says that it is over. */
type Attempt = () => boolean;

/** Refusals that time mends: who is refused so waits in line [MXP-14.7]. */
const scarce: ReadonlySet<string> = new Set(["limit_in_flight", "limit_in_flight_bytes", "limit_queue_bytes"]);

/** What waits for room in a session, in order. */
export class Line {
  readonly #attempts: Attempt[] = [];

  get isEmpty(): boolean {
    return this.#attempts.length === 0;
  }

  /** Lets those in line try again. */
  go(): void {
    while (this.#attempts[0]?.() === true) {
      this.#attempts.shift();
    }
  }

  /** Does something now, or once there is room; rejects where that is not until a time on the clock of `performance`. */
  enter(run: () => void, reject: (error: MxpError) => void, signal: AbortSignal | undefined, until: number | undefined): void {
    let forget = (): void => undefined;
    let isLate = false;
    const attempt: Attempt = () => {
      if (signal?.aborted === true) {
        reject(refusalError("cancelled"));
        return true;
      }
      if (isLate) {
        reject(refusalError("deadline_exceeded"));
        return true;
      }
      try {
        run();
      } catch (error) {
        if (error instanceof Refusal && scarce.has(error.code)) {
          return false;
        }
        reject(toError(error));
      }
      forget();
      return true;
    };
    if (this.#attempts.length > 0 || !attempt()) {
      this.#attempts.push(attempt);
      const leave = onAbort(signal, () => this.#drop(attempt));
      const timer = until === undefined ? undefined : setTimeout(() => {
        isLate = true;
        this.#drop(attempt);
      }, Math.min(Math.max(0, until - performance.now()), longestMs));
      forget = () => {
        clearTimeout(timer);
        leave();
      };
    }
  }

  /** Takes an attempt out of the line whose user has given it up. */
  #drop(attempt: Attempt): void {
    const at = this.#attempts.indexOf(attempt);
    if (at >= 0) {
      this.#attempts.splice(at, 1);
      attempt();
    }
  }
}
