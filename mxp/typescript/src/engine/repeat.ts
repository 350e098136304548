import type { MxpError } from "./failure.js";
import { mayHeal } from "./outage.js";

/** The pauses before a peer that has no room is asked again double, from the one to the other, in milliseconds. */
const pauseMinMs = 1;
const pauseMaxMs = 100;

/** The repetitions of a request, or a stream, on which nobody has acted [MXP-14.6] [MXP-14.7]. Times are milliseconds of one clock. */
export class Repeats {
  readonly #deadline: number | undefined;
  readonly #patienceMs: number;
  /** Until when a peer without room is asked again, once one was. */
  #until: number | undefined;
  #longest = pauseMinMs;

  /** Without a deadline a peer that has no room is asked for as long as the patience has it. */
  constructor(deadline: number | undefined, patienceMs: number) {
    this.#deadline = deadline;
    this.#until = deadline;
    this.#patienceMs = patienceMs;
  }

  /** The pause before a request is made again that has failed on a connection, which has ended or not; undefined where it is not made again. */
  pause(error: MxpError, hasEnded: boolean, now: number, draw: () => number): number | undefined {
    const isMoved = error.code === "session_draining" || (hasEnded && mayHeal(error));
    const isFull = error.code === "limit_in_flight" || error.code === "limit_in_flight_bytes";
    if (error.acted || (this.#deadline !== undefined && now >= this.#deadline) || !(isMoved || isFull)) {
      return undefined;
    }
    if (isMoved) {
      return 0;
    }
    this.#until ??= now + this.#patienceMs;
    const pause = draw() * this.#longest;
    this.#longest = Math.min(2 * this.#longest, pauseMaxMs);
    return now + pause < this.#until ? pause : undefined;
  }
}
