import { helloUs } from "../session/spec_gen.js";
import { onAbort } from "./abort.js";
import type { Connection } from "./connection.js";
import { MxpError, refusalError } from "../engine/failure.js";
import { mayHeal, outageOf } from "../engine/outage.js";
import { Pauses } from "./rest.js";
import type { Wire } from "./wire.js";

/** What an endpoint is made with. */
export interface EndpointOptions {
  readonly address: string;
  readonly dial: (signal: AbortSignal) => Promise<Wire>;
  /** Makes a connection over a wire, which calls these once each. */
  readonly connect: (wire: Wire, onDraining: () => void, onClosed: () => void) => Connection;
  /** Called when there is a connection or none any more, when an attempt has failed, and when attempts rest or go on. */
  readonly onChange: () => void;
  /** Whether something waits for a connection. */
  readonly isWaitedFor: () => boolean;
}

/** How long an attempt to connect may hang before another begins, in milliseconds: at first, and at most [MXP-14.2]. */
const hangMinMs = 2000;
const hangMaxMs = helloUs / 1000;

/** An address of a client's, with a connection that is made again when it is lost. */
export class Endpoint {
  readonly address: string;
  readonly #options: EndpointOptions;
  #connection: Connection | undefined;
  #connecting: Promise<void> | undefined;
  #failure: MxpError | undefined;
  /** Why the last connection has ended. */
  #loss: MxpError | undefined;
  readonly #drained = new Set<Connection>();
  #closed = false;
  #hangMs = hangMinMs;
  readonly #pauses: Pauses;

  constructor(options: EndpointOptions) {
    this.address = options.address;
    this.#options = options;
    this.#pauses = new Pauses(options.onChange);
  }

  /** Whether it makes no attempts by itself: its page is hidden or has no network. */
  get rests(): boolean {
    return this.#pauses.rests;
  }

  /** The connection, if it can be asked. */
  get connection(): Connection | undefined {
    return this.#connection?.usable === true ? this.#connection : undefined;
  }

  /** Why the last attempt has failed; undefined once one has not. */
  get failure(): MxpError | undefined {
    return this.#failure;
  }

  /** Whether the last attempt has failed for good [MXP-14.3]. */
  get isHopeless(): boolean {
    return this.#failure !== undefined && !mayHeal(this.#failure);
  }

  /** Why there is no connection. */
  get cause(): MxpError {
    return this.#failure ?? this.#loss ?? refusalError("not_connected", `${this.address}: nothing has answered yet`);
  }

  /** Begins to connect, or to try again, for what waits for it. */
  hurry(): void {
    this.connect();
    this.#pauses.hurry();
  }

  /** Begins to connect, unless there is a connection or it has begun already: at once, or as after an attempt that has failed. */
  connect(hasFailed: boolean = false): void {
    if (!this.#closed && this.#connecting === undefined && this.connection === undefined) {
      this.#connecting = this.#attempts(hasFailed).finally(() => {
        this.#connecting = undefined;
      });
    }
  }

  /** Waits for the requests that are in flight, and closes. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#pauses.end();
    const all = [...this.#drained, ...(this.#connection === undefined ? [] : [this.#connection])];
    this.#connection = undefined;
    for (const connection of all) {
      connection.drain("the client was closed");
    }
    await Promise.all(all.map(({ gone }) => gone));
  }

  /** Makes attempts, with pauses between them, until one succeeds [MXP-14.3]. */
  async #attempts(hasFailed: boolean): Promise<void> {
    if (hasFailed) {
      await this.#pauses.next(this.#options.isWaitedFor());
    } else {
      this.#pauses.reset();
    }
    while (!this.#closed) {
      try {
        this.#take(await this.#attempt());
        return;
      } catch (error) {
        this.#failure = error as MxpError;
        this.#options.onChange();
      }
      await this.#pauses.next(this.#options.isWaitedFor());
    }
  }

  #take(connection: Connection): void {
    if (this.#closed) {
      connection.destroy();
      return;
    }
    this.#connection = connection;
    this.#failure = this.#loss = undefined;
    this.#options.onChange();
  }

  async #attempt(): Promise<Connection> {
    try {
      const wire = await this.#dial();
      const made: Connection = this.#options.connect(wire, () => this.#draining(made), () => this.#lost(made));
      await made.ready;
      if (!made.usable) { // it has ended, or drains, in the same moment
        if (made.end === undefined) {
          this.#drained.add(made);
        }
        throw made.rejection ?? new MxpError(14, "not_connected", { text: made.end?.name ?? "the peer takes no more requests" });
      }
      return made;
    } catch (error) {
      throw outageOf(error, this.address);
    }
  }

  /** Connects. An attempt that hangs is given up, and the next one may take twice as long, since peers may be far away. */
  async #dial(): Promise<Wire> {
    const late = AbortSignal.timeout(this.#hangMs);
    try {
      const wire = await this.#options.dial(late);
      this.#hangMs = hangMinMs;
      return wire;
    } catch (error) {
      this.#hangMs = late.aborted ? Math.min(2 * this.#hangMs, hangMaxMs) : hangMinMs;
      throw error;
    }
  }

  #draining(connection: Connection): void {
    if (this.#connection === connection) {
      this.#connection = undefined;
      this.#drained.add(connection);
      const { end, refusedSoon, rejection } = connection;
      this.#lose(end === undefined ? "the peer takes no more requests" : `the connection has ended: ${end.text === "" ? end.name : end.text}`);
      this.#failure = rejection && outageOf(rejection, this.address);
      this.connect(refusedSoon || rejection !== undefined); // what is in flight goes on [MXP-14.6]
      this.#options.onChange();
    }
  }

  #lose(why: string): void {
    this.#loss = refusalError("not_connected", `${this.address}: ${why}`);
  }

  #lost(connection: Connection): void {
    this.#drained.delete(connection);
    this.#options.onChange();
  }
}

/** Resolves after a time in milliseconds, or when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      leave();
      resolve();
    };
    const timer = setTimeout(over, signal?.aborted === true ? 0 : ms);
    const leave = onAbort(signal, over);
  });
}
