import type { Failure } from "../../session/index.js";
import { errorOf, type MxpError, refusalError } from "../failure.js";
import { isRefusal, mayHeal } from "../outage.js";

/** The time after a session was ready in which a refusal still ends an attempt, in milliseconds. */
const soonMs = 10;

/** The end of a connection, and what leads to it. */
export class Ending {
  /** Why its session has ended. */
  failure: Failure | undefined;
  /** Whether the peer has said no more than that it lets this side not in. */
  isRejected = false;
  /** When the session was ready, in milliseconds. */
  readyAt = 0;
  /** Either side takes no more requests. */
  isDraining = false;
  /** This side's direction has ended, or nothing is waited for. */
  isDeparting = false;
  isGone = false;
  #cancelled: MxpError | undefined;

  /** The error of all streams of the peer's that have ended early. */
  get cancelled(): MxpError {
    return (this.#cancelled ??= refusalError("cancelled"));
  }

  /** Why the peer lets this side not in, where that is all that it has said [MXP-14.2]. */
  get rejection(): MxpError | undefined {
    return this.isRejected && this.failure !== undefined && !mayHeal(this.failure) ? errorOf(this.failure) : undefined;
  }

  /** Whether a connection that takes no more requests does so since about the moment in which it was ready [MXP-14.3]. */
  isRefusedSoon(now: number): boolean {
    return (this.failure === undefined || isRefusal(this.failure)) && now - this.readyAt < soonMs;
  }
}
