import type { Session } from "../../session/index.js";
import { bulkBytes } from "../../session/spec_gen.js";
import type { Wire } from "../driver.js";

/** Gives what a session has made to a wire, while that has room. */
export class Outlet {
  readonly #session: Session;
  readonly #wire: Wire;
  /** The longest time in which the wire may take nothing, in microseconds [MXP-10.5]. */
  readonly #stall: bigint;
  #full = false;
  /** When the wire became full, or has taken something since. */
  #moved = 0n;

  constructor(session: Session, wire: Wire, stall: bigint) {
    this.#session = session;
    this.#wire = wire;
    this.#stall = stall;
  }

  /** Notes that the wire has taken bytes, and that it has room. */
  moved(now: bigint): void {
    this.#moved = now;
    this.#session.moved(now);
  }

  drained(now: bigint): void {
    this.#full = false;
    this.moved(now);
  }

  /**
   * Sends what there is, and says how many bytes were; a wire that is full then is counted by `gave`. The last
   * words of a session that has ended are given to a full wire, too: its peer may never read.
   */
  send(now: bigint, isLast: boolean, gave: (bytes: number) => void): number {
    let sent = 0;
    while (!this.#full || isLast) {
      const bytes = this.#session.poll(bulkBytes, now);
      if (bytes === undefined) {
        break;
      }
      sent += bytes.length;
      const full = !this.#wire.write(bytes);
      if (full) {
        this.#moved = this.#full ? this.#moved : now;
        gave(bytes.length);
      }
      this.#full = full;
    }
    return sent;
  }

  /** When the session is to end, if the wire has taken nothing until then. */
  get due(): bigint | undefined {
    return this.#full ? this.#moved + this.#stall : undefined;
  }

  /** Ends the session, if it is time. */
  tick(now: bigint): void {
    const { due } = this;
    if (due !== undefined && due <= now) {
      this.#session.stalled(now);
    }
  }
}
