import type { MxpError } from "./failure.js";

/** The state of a client's connections, for display. */
export interface ClientState {
  /**
   * `connected`: requests can be made. `looking`: it connects, or will by itself. `resting`: its page is hidden or has no
   * network, and it connects when that changes, or when something is asked. `closed`: it was closed.
   */
  readonly kind: "connected" | "looking" | "resting" | "closed";
  /** Since when, in milliseconds since 1970. */
  readonly since: number;
  /** Why there is no connection, where an attempt or a connection has failed. */
  readonly why: MxpError | undefined;
}

/** Keeps a client's state, and tells of its changes. Times are milliseconds since 1970. */
export class States {
  #state: ClientState;
  readonly #listeners = new Set<(state: ClientState) => void>();

  constructor(now: number) {
    this.#state = { kind: "looking", since: now, why: undefined };
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Calls a function at each change from now on. The returned function removes the listener. */
  listen(listener: (state: ClientState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notes the state; tells of it if it is another, or has another cause. */
  set(kind: ClientState["kind"], why: MxpError | undefined, now: number): void {
    const before = this.#state;
    if (before.kind === "closed" || (kind === before.kind && why?.message === before.why?.message)) {
      return;
    }
    this.#state = { kind, since: kind === before.kind ? before.since : now, why };
    for (const listener of [...this.#listeners]) {
      listener(this.#state);
    }
  }
}
