import type { Budget } from "../engine/budget.js";
import { type Gauges, Stats } from "../session/stats.js";
import type { Connection } from "./connection.js";

/** The counters of all connections that a client or a server has, or had. */
export class Counters {
  readonly #budget: Budget;
  readonly #there = new Set<Connection>();
  /** The counters of connections that are gone. */
  readonly #gone = new Stats();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** The connections that there are. */
  get connections(): ReadonlySet<Connection> {
    return this.#there;
  }

  /** Counts a connection, until it is gone and after. */
  add(connection: Connection): void {
    this.#there.add(connection);
    void connection.gone.then(() => {
      this.#there.delete(connection);
      connection.link.count(this.#gone, noGauges());
    });
  }

  /** The text of Prometheus, with the counters of a policy. */
  prometheus(policy?: { count(stats: Stats): void }): string {
    const all = new Stats();
    const now = noGauges();
    all.add(this.#gone);
    for (const connection of this.#there) {
      connection.link.count(all, now);
    }
    policy?.count(all);
    return all.prometheus({ ...now, heldBytes: this.#budget.held });
  }
}

function noGauges(): Gauges {
  return { inFlightHere: 0, inFlightPeer: 0, queueBytes: 0, queueFrames: 0, heldBytes: 0 };
}
