import { Status } from "../session/index.js";
import { helloUs } from "../session/spec_gen.js";
import { MxpError, refusalError } from "./failure.js";
import type { Ending } from "./link/ending.js";
import { mayHeal, outageOf } from "./outage.js";

/**
 * The times after which a hanging attempt to connect is joined by another, in milliseconds: the first, and the longest
 * [MXP-14.2].
 */
const hangMinMs = 2000;
const hangMaxMs = helloUs / 1000;

/** The longest pauses between attempts to connect, in milliseconds: while something waits for them, and else [MXP-14.3]. */
const waitedForMs = 1000;
const alonePauseMs = 30_000;
const pauseMinMs = 5;

/** A driver's connection, as an endpoint knows it. */
export interface DriverLink {
  readonly link: {
    readonly usable: boolean;
    readonly ending: Pick<Ending, "failure" | "rejection" | "isRefusedSoon">;
    destroy(): void;
  };
}

/** The program around an endpoint. Times are milliseconds. */
export interface EndpointDriver {
  /** Connects, and gives up after a time: `connected` or `failed` is called once. A pause is over. */
  dial(hangMs: number): void;
  /** Calls `resume` after a time, or without one not by itself; and `seen` whenever `rests` may be another. */
  pause(ms: number | undefined): void;
  /** Whether nobody sees the page, or it has no network. */
  rests(): boolean;
  /** Called when there is a connection or none any more, when an attempt has failed, and when attempts rest or go on. */
  changed(): void;
  /** Whether something waits for a connection. */
  isWaitedFor(): boolean;
  clock(): number;
  draw(): number;
}

/** The attempts to have a connection to an address of a client's, which is made again when it is lost. */
export class Endpoint<C extends DriverLink> {
  readonly address: string;
  readonly #driver: EndpointDriver;
  #state: "idle" | "pauses" | "dials" = "idle";
  #connection: C | undefined;
  #failure: MxpError | undefined;
  /** Why the last connection has ended. */
  #loss: MxpError | undefined;
  readonly #drained = new Set<C>();
  #isClosed = false;
  #hangMs = hangMinMs;
  /** The longest pause that may come, which part of that the present one takes, and when it began. */
  #longest = 0;
  #part = 0;
  #began = 0;

  constructor(address: string, driver: EndpointDriver) {
    this.address = address;
    this.#driver = driver;
  }

  /** Whether it makes no attempts until somebody sees the page, or asks for something. */
  get rests(): boolean {
    return this.#state === "pauses" && this.#driver.rests();
  }

  /** The connection, if it can be asked. */
  get connection(): C | undefined {
    return this.#connection?.link.usable === true ? this.#connection : undefined;
  }

  /** Whether the last attempt has failed for good [MXP-14.3]. */
  get isHopeless(): boolean {
    return this.#failure !== undefined && !mayHeal(this.#failure);
  }

  /** Why there is no connection. */
  get cause(): MxpError {
    return this.#failure ?? this.#loss ?? refusalError("not_connected", `${this.address}: nothing has answered yet`);
  }

  /** Begins to connect, unless there is a connection or it has begun already: at once, or as after an attempt that has failed. */
  connect(hasFailed: boolean = false): void {
    if (this.#isClosed || this.#state !== "idle" || this.connection !== undefined) {
      return;
    }
    if (hasFailed) {
      this.#pause();
    } else {
      this.#longest = 0;
      this.#dial();
    }
  }

  /** Begins to connect for something that waits for it: at once, unless the last attempt was just now. */
  hurry(): void {
    this.connect();
    this.#longest = Math.min(this.#longest, waitedForMs);
    if (this.#state === "pauses") {
      this.#driver.pause(Math.max(0, this.#began + this.#part * this.#longest - this.#driver.clock()));
    }
  }

  /** Ends. Gives the connections that are to be drained. */
  close(): C[] {
    this.#isClosed = true;
    const all = [...this.#drained, ...(this.#connection === undefined ? [] : [this.#connection])];
    this.#connection = undefined;
    return all;
  }

  // News from the driver.

  /** A pause is over. */
  resume(): void {
    if (this.#state === "pauses" && !this.#isClosed) {
      this.#dial();
    }
  }

  /** Somebody sees the page, or nobody does any more. */
  seen(): void {
    if (this.#state !== "pauses" || this.#isClosed) {
      return;
    }
    if (this.#driver.rests()) {
      this.#driver.pause(undefined);
    } else {
      this.#longest = 0;
      this.#dial();
    }
    this.#driver.changed();
  }

  /** An attempt has led to a connection whose session is ready. */
  connected(connection: C): void {
    const { usable, ending: { failure: end, rejection } } = connection.link;
    if (!usable) { // it has ended, or drains, in the same moment
      if (end === undefined) {
        this.#drained.add(connection);
      }
      this.failed(rejection ?? new MxpError(Status.Unavailable, "not_connected", { text: end?.name ?? "the peer takes no more requests" }), false);
      return;
    }
    this.#state = "idle";
    this.#hangMs = hangMinMs;
    if (this.#isClosed) {
      connection.link.destroy();
      return;
    }
    this.#connection = connection;
    this.#failure = this.#loss = undefined;
    this.#driver.changed();
  }

  /** An attempt has failed. After one that hung the next may take twice as long, since peers may be far away. */
  failed(error: unknown, isHung: boolean): void {
    this.#hangMs = isHung ? Math.min(2 * this.#hangMs, hangMaxMs) : hangMinMs;
    this.#failure = outageOf(error, this.address);
    this.#driver.changed();
    if (!this.#isClosed) {
      this.#pause();
    }
  }

  /** A connection takes no more requests. */
  draining(connection: C): void {
    if (this.#connection === connection) {
      this.#connection = undefined;
      this.#drained.add(connection);
      const { ending } = connection.link;
      const { failure: end, rejection } = ending;
      const why = end === undefined ? "the peer takes no more requests" : `the connection has ended: ${end.text === "" ? end.name : end.text}`;
      this.#loss = refusalError("not_connected", `${this.address}: ${why}`);
      this.#failure = rejection && outageOf(rejection, this.address);
      this.connect(ending.isRefusedSoon(this.#driver.clock()) || rejection !== undefined); // what is in flight goes on [MXP-14.6]
      this.#driver.changed();
    }
  }

  /** A connection is gone. */
  lost(connection: C): void {
    this.#drained.delete(connection);
    this.#driver.changed();
  }

  #dial(): void {
    this.#state = "dials";
    this.#driver.dial(this.#hangMs);
  }

  /** Waits for a random part of a time that doubles. */
  #pause(): void {
    const driver = this.#driver;
    this.#longest = Math.min(Math.max(2 * this.#longest, pauseMinMs), driver.isWaitedFor() ? waitedForMs : alonePauseMs);
    this.#part = driver.draw();
    this.#began = driver.clock();
    this.#state = "pauses";
    const rests = driver.rests();
    driver.pause(rests ? undefined : this.#part * this.#longest);
    if (rests) {
      driver.changed();
    }
  }
}
