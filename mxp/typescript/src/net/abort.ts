import { longestMs } from "../engine/retry.js";

/** What waits for signals to abort. A signal has one listener for all of it, since Node warns of more than ten. */
const shared = new WeakMap<AbortSignal, Shared>();

interface Shared {
  readonly calls: Set<() => void>;
  readonly listener: () => void;
}

/** Calls a function if a signal aborts after this. What is returned takes that back. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (signal === undefined) {
    return () => undefined;
  }
  const { calls } = shared.get(signal) ?? listen(signal);
  calls.add(call);
  return () => {
    calls.delete(call);
    if (calls.size === 0) {
      forget(signal, calls);
    }
  };
}

function listen(signal: AbortSignal): Shared {
  const calls = new Set<() => void>();
  const made: Shared = { calls, listener: () => [...calls].forEach((call) => call()) };
  shared.set(signal, made);
  signal.addEventListener("abort", made.listener);
  return made;
}

/** Takes the listener from a signal that nothing waits for: with one, it would outlive its user. */
function forget(signal: AbortSignal, calls: ReadonlySet<() => void>): void {
  const found = shared.get(signal);
  if (found?.calls === calls) {
    shared.delete(signal);
    signal.removeEventListener("abort", found.listener);
  }
}

/** Calls a function after a time in milliseconds, where there is one, or if a signal aborts after this. What is returned takes that back. */
export function onOver(signal: AbortSignal | undefined, ms: number | undefined, call: (isLate: boolean) => void): () => void {
  const timer = ms === undefined ? undefined : setTimeout(() => call(true), Math.min(Math.max(0, ms), longestMs));
  const leave = onAbort(signal, () => call(false));
  return () => {
    clearTimeout(timer);
    leave();
  };
}

/** Resolves after a time in milliseconds, or when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const forget = onOver(signal, signal?.aborted === true ? 0 : ms, () => {
      forget();
      resolve();
    });
  });
}
