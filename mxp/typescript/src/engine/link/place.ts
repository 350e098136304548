/** A handler that runs. */
export interface Task {
  /** Whether nobody waits for it any more. */
  readonly aborted: boolean;
  abort(): void;
}

/** The handlers that run, by the ids of their requests. */
export type Places = Map<bigint, Task>;
