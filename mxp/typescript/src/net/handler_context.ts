import type { Task } from "../engine/link/place.js";
import type { Connection } from "./connection.js";
import type { Request } from "./request.js";

/** The facts that a handler has of a request beside its value. */
export interface Context {
  /** Aborts when the deadline passes, the peer cancels, or the connection is gone. */
  readonly signal: AbortSignal;
  /** Aborts when the connection drains: a stream that goes on for long is to end. */
  readonly draining: AbortSignal;
  readonly asked: Request;
}

/** A request whose handler runs. Its signal is made when the handler asks for it: most never do. */
export class RunningRequest implements Task {
  readonly #connection: Connection;
  #controller: AbortController | undefined;
  aborted = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get draining(): AbortSignal {
    return this.#connection.draining;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) {
      this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.aborted = true;
    this.#controller?.abort();
  }

  /** Whether a handler has thrown this since its signal has aborted: the reason of that, or what functions throw that were given it. */
  explains(error: unknown): boolean {
    return this.aborted && (error === this.#controller?.signal.reason || (error instanceof Error && error.name === "AbortError"));
  }
}

/** A request as its handler knows it, with what interceptors have made of it. */
export class HandlerContext implements Context {
  readonly #handling: RunningRequest;
  readonly asked: Request;

  constructor(handling: RunningRequest, request: Request) {
    this.#handling = handling;
    this.asked = request;
  }

  get draining(): AbortSignal {
    return this.#handling.draining;
  }

  get signal(): AbortSignal {
    return this.#handling.signal;
  }
}
