// Health, as spec/health.sdp declares it [MXP-13.8].

import type { CallMethod, DownloadMethod, Service } from "../../control/sdp/index.js";
import { onAbort } from "../abort.js";
import type { Server } from "../server.js";
import { serve } from "../stub.js";
import { enumeration, message, text1 } from "./codecs.js";

/** Whether requests to a service are worth making. */
export const HealthState = {
  /** The server has no service of that name. */
  Unknown: 0,
  Serving: 1,
  /** The service is there and does not want requests now, or the server drains. */
  NotServing: 2,
} as const;

/** A member of `HealthState`, or a number that this release does not know. */
export type HealthState = number;

/** The full name of a service; empty is the server as a whole. */
export interface HealthRequest {
  service: string;
}

export interface HealthReport {
  state: HealthState;
}

export interface HealthMethods {
  /** Answers with the state of a service, also where there is none of that name. It is idempotent. */
  readonly check: CallMethod<HealthRequest, HealthReport>;
  /** Sends the state of a service at once, and then each time that it is another, until the server drains. */
  readonly watch: DownloadMethod<HealthRequest, HealthReport>;
}

const request = message<HealthRequest>("mxp.health.Request", 72, 0x738ffcda94196549n, { service: text1 }).codec;
const state = enumeration("mxp.health.State", Object.entries(HealthState));
const report = message<HealthReport>("mxp.health.Report", 80, 0xafe84529c4ffe49an, { state }).codec;

/** Whether a server can be asked. */
export const Health: Service<HealthMethods> = {
  name: "mxp.health.Health",
  methods: {
    check: { kind: "call", name: "check", number: 1, idempotent: true, request, response: report },
    watch: { kind: "download", name: "watch", number: 2, idempotent: false, request, response: report },
  },
};

/** Tells whoever asks in which state services are. */
export class HealthReporter {
  readonly #server: Server;
  readonly #states = new Map<string, HealthState>();
  /** Those who watch. */
  readonly #told = new Set<() => void>();

  constructor(server: Server) {
    this.#server = server;
  }

  /** Says in which state a service is; the empty name is the server as a whole. */
  set(service: string, to: HealthState): void {
    this.#states.set(service, to);
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
        leave.forEach((one) => one());
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
 * Adds Health to what a server serves. All services, and the server as a whole, are Serving until the
 * reporter is told something else, and NotServing once a connection drains [MXP-13.9].
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
