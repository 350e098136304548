import type { Endpoint, DriverLink } from "./endpoint.js";
import { MxpError } from "./failure.js";
import { mayHeal } from "./outage.js";
import type { Outlier } from "./outlier.js";
import type { ClientState } from "./state.js";

/** A connection that may be chosen. */
export interface Candidate {
  readonly link: {
    /** How many requests of this side's have a place. */
    readonly inFlight: number;
    readonly outlier: Outlier;
  };
}

/**
 * The less busy of two that are chosen at random, without outliers unless these are more than half
 * [MXP-14.9] [MXP-14.10]; undefined if there is none.
 */
export function lessBusy<T extends Candidate>(candidates: readonly T[], keepOutliers: boolean, draw: () => number): T | undefined {
  const inliers = keepOutliers ? candidates : candidates.filter(({ link }) => !link.outlier.leftOut);
  const from = 2 * inliers.length < candidates.length ? candidates : inliers;
  if (from.length < 2) {
    return from[0];
  }
  const first = Math.floor(draw() * from.length);
  const second = (first + 1 + Math.floor(draw() * (from.length - 1))) % from.length;
  const [a, b] = [from[first] as T, from[second] as T];
  return b.link.inFlight < a.link.inFlight ? b : a;
}

/** A waiter for a connection. */
export interface Waiter<C> {
  resolve(connection: C): void;
  reject(error: MxpError): void;
}

/** The endpoints of a client, and the requests that wait for a connection of one of them. */
export class Balancer<C extends Candidate & DriverLink> {
  readonly #endpoints: readonly Endpoint<C>[];
  readonly #keepOutliers: boolean;
  readonly #draw: () => number;
  readonly #waiters = new Set<Waiter<C>>();

  constructor(endpoints: readonly Endpoint<C>[], keepOutliers: boolean, draw: () => number) {
    this.#endpoints = endpoints;
    this.#keepOutliers = keepOutliers;
    this.#draw = draw;
  }

  get isWaitedFor(): boolean {
    return this.#waiters.size > 0;
  }

  /** A connection for a request, except connections that it is in flight on. */
  choose(but: readonly C[] = []): C | undefined {
    if (this.#endpoints.length === 1 && but.length === 0) {
      return this.#endpoints[0]?.connection;
    }
    const ready: C[] = [];
    for (const { connection } of this.#endpoints) {
      if (connection !== undefined && !but.includes(connection)) {
        ready.push(connection);
      }
    }
    return lessBusy(ready, this.#keepOutliers, this.#draw);
  }

  /** Whether no address is worth waiting for [MXP-14.4]. */
  get isHopeless(): boolean {
    return this.#endpoints.every(({ isHopeless }) => isHopeless);
  }

  /** Why there is no connection; of several addresses, for each of them. A failure that may heal decides which it is. */
  get cause(): MxpError {
    const causes = this.#endpoints.map(({ cause }) => cause);
    const chosen = causes.find(mayHeal) ?? (causes[0] as MxpError);
    return new MxpError(chosen.status, chosen.code, { ...chosen, text: [...new Set(causes.map(({ text }) => text))].join("; ") });
  }

  /** Where the client stands that has not closed. */
  get kind(): Exclude<ClientState["kind"], "closed"> {
    const isConnected = this.#endpoints.some(({ connection }) => connection !== undefined);
    return isConnected ? "connected" : this.#endpoints.every(({ rests }) => rests) ? "resting" : "looking";
  }

  connect(): void {
    this.#endpoints.forEach((endpoint) => endpoint.connect());
  }

  /** Waits for a connection, for which endpoints hurry. */
  wait(waiter: Waiter<C>): void {
    this.#waiters.add(waiter);
    this.#endpoints.forEach((endpoint) => endpoint.hurry());
  }

  /** Lets something wait no more. */
  leave(waiter: Waiter<C>, error: MxpError): void {
    if (this.#waiters.delete(waiter)) {
      waiter.reject(error);
    }
  }

  /** Lets waiting requests go on, if a connection is ready or none will be. */
  changed(): void {
    for (const waiter of [...this.#waiters]) {
      const connection = this.choose();
      if (connection === undefined) {
        break;
      }
      this.#waiters.delete(waiter);
      waiter.resolve(connection);
    }
    if (this.isWaitedFor && this.isHopeless) {
      this.reject(this.cause);
    }
  }

  /** Lets nothing wait any more. */
  reject(error: MxpError): void {
    [...this.#waiters].forEach((waiter) => this.leave(waiter, error));
  }
}
