import type { Wire } from "../engine/driver.js";
import { Endpoint, type EndpointDriver } from "../engine/endpoint.js";
import type { Connection } from "./connection.js";
import { onRest, rests } from "./rest.js";

/** The client of a dialer, as that knows it. */
export interface DialerOptions extends Pick<EndpointDriver, "changed" | "isWaitedFor"> {
  readonly dial: (signal: AbortSignal) => Promise<Wire>;
  /** Makes a connection over a wire, which calls these once each. */
  readonly connect: (wire: Wire, onDraining: () => void, onClosed: () => void) => Connection;
}

/** Dials an address for its endpoint, and keeps the time of its pauses. */
export class Dialer {
  readonly endpoint: Endpoint<Connection>;
  readonly #options: DialerOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #forget: (() => void) | undefined;

  constructor(address: string, options: DialerOptions) {
    this.#options = options;
    this.endpoint = new Endpoint<Connection>(address, {
      dial: (hangMs) => void this.#attempt(AbortSignal.timeout(hangMs)), pause: (ms) => this.#pause(ms),
      changed: options.changed, isWaitedFor: options.isWaitedFor, rests, clock: () => performance.now(), draw: () => Math.random(),
    });
  }

  async #attempt(late: AbortSignal): Promise<void> {
    this.#stop();
    let wire: Wire | undefined;
    try {
      wire = await this.#options.dial(late);
      const connection: Connection = this.#options.connect(wire, () => this.endpoint.draining(connection), () => this.endpoint.lost(connection));
      await connection.ready;
      this.endpoint.connected(connection);
    } catch (error) {
      this.endpoint.failed(error, wire === undefined && late.aborted);
    }
  }

  #pause(ms: number | undefined): void {
    clearTimeout(this.#timer);
    this.#forget ??= onRest(() => this.endpoint.seen());
    this.#timer = ms === undefined ? undefined : setTimeout(() => this.endpoint.resume(), ms);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#forget?.();
    this.#forget = undefined;
  }

  /** Waits for the requests that are in flight, and closes. */
  async close(): Promise<void> {
    const all = this.endpoint.close();
    this.#stop();
    for (const connection of all) {
      connection.link.drain("the client was closed");
    }
    await Promise.all(all.map(({ gone }) => gone));
  }
}
