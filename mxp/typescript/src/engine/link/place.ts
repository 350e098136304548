/** A handler that runs. */
export interface Task {
  /** Whether nobody waits for it any more. */
  readonly aborted: boolean;
  abort(): void;
}

/** The handlers that run, by the ids of their requests. */
export class Places {
  readonly #tasks = new Map<bigint, Task>();

  set(id: bigint, task: Task): void {
    this.#tasks.set(id, task);
  }

  free(id: bigint): void {
    this.#tasks.delete(id);
  }

  /** Ends the handler of a request that has ended. */
  abort(id: bigint): void {
    this.#tasks.get(id)?.abort();
  }
}
