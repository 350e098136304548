import { Refusal } from "../session/index.js";
import { type MxpError, toError } from "./failure.js";

/** Refusals that time mends: a request that is refused so waits in line [MXP-14.7]. */
const scarce: ReadonlySet<string> = new Set(["limit_in_flight", "limit_in_flight_bytes", "limit_queue_bytes"]);

/** The place of a request in a line. */
export class Ticket {
  readonly #line: Ticket[];
  readonly #run: () => void;
  readonly #reject: (error: MxpError) => void;
  isOver = false;
  /** Called when the request has had its turn, or was given up. */
  onOver: (() => void) | undefined;

  constructor(line: Ticket[], run: () => void, reject: (error: MxpError) => void) {
    this.#line = line;
    this.#run = run;
    this.#reject = reject;
  }

  /** Makes the request. False says that there is no room for it. */
  attempt(): boolean {
    try {
      this.#run();
    } catch (error) {
      if (error instanceof Refusal && scarce.has(error.code)) {
        return false;
      }
      this.#reject(toError(error));
    }
    this.isOver = true;
    this.onOver?.();
    return true;
  }

  /** Gives the request up. */
  leave(error: MxpError): void {
    const at = this.#line.indexOf(this);
    if (at >= 0) {
      this.#line.splice(at, 1);
      this.isOver = true;
      this.#reject(error);
      this.onOver?.();
    }
  }
}

/** Requests that wait for room in a session, in order. */
export class Line {
  readonly #tickets: Ticket[] = [];

  get isEmpty(): boolean {
    return this.#tickets.length === 0;
  }

  /** Lets waiting requests try again, in order. */
  go(): void {
    while (this.#tickets[0]?.attempt() === true) {
      this.#tickets.shift();
    }
  }

  /** Makes a request now, or once there is room. */
  enter(run: () => void, reject: (error: MxpError) => void): Ticket {
    const ticket = new Ticket(this.#tickets, run, reject);
    if (!this.isEmpty || !ticket.attempt()) {
      this.#tickets.push(ticket);
    }
    return ticket;
  }
}
