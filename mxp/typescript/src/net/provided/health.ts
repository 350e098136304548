// Health, as spec/health.sdp declares it [MXP-13.8].

import { onAbort } from "../abort.js";
import type { Server } from "../server.js";
import { serve } from "../stub.js";
import { Health, State as HealthState } from "./mxp_health.js";

export { Health, type HealthMethods, type Report as HealthReport, type Request as HealthRequest, State as HealthState } from "./mxp_health.js";

/** Tells peers the states of services. */
export class HealthReporter {
  readonly #server: Server;
  readonly #states = new Map<string, HealthState>();
  /** The callbacks of watching peers. */
  readonly #told = new Set<() => void>();

  constructor(server: Server) {
    this.#server = server;
  }

  /** Says in which state a service is; the empty name is the server as a whole. */
  set(service: string, state: HealthState): void {
    this.#states.set(service, state);
    this.#told.forEach((tell) => tell());
  }

  /** The state of a service: Serving, until something else is said. */
  state(service: string): HealthState {
    const isThere = service === "" || this.#server.services.includes(service);
    return isThere ? (this.#states.get(service) ?? HealthState.Serving) : HealthState.Unknown;
  }

  /** Resolves when a state was set, or one of the signals aborts. */
  changed(...signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve) => {
      const tell = (): void => {
        this.#told.delete(tell);
        leave.forEach((hook) => hook());
        resolve();
      };
      this.#told.add(tell);
      const leave = signals.map((signal) => onAbort(signal, tell));
      if (signals.some(({ aborted }) => aborted)) {
        tell();
      }
    });
  }
}

/**
 * Adds Health to a server's services. All services, and the server as a whole, are Serving until
 * the reporter is told something else, and NotServing once a connection drains [MXP-13.9].
 */
export function serveHealth(server: Server): HealthReporter {
  const reporter = new HealthReporter(server);
  serve(server, Health, {
    check: ({ service }, { draining }) => ({ state: draining.aborted ? HealthState.NotServing : reporter.state(service) }),
    async *watch({ service }, { draining, signal }) {
      for (let last: HealthState | undefined; !signal.aborted; ) {
        const drains = draining.aborted;
        const now = drains ? HealthState.NotServing : reporter.state(service);
        if (now !== last) {
          last = now;
          yield { state: now };
        }
        if (drains) {
          return;
        }
        if (now === (draining.aborted ? HealthState.NotServing : reporter.state(service))) { // not another in the meantime
          await reporter.changed(draining, signal);
        }
      }
    },
  });
  return reporter;
}
