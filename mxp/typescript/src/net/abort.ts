import { longestMs } from "../engine/retry.js";

/** The functions that wait for signals to abort. A signal has one listener for all of them, since Node warns of more than ten. */
const waiting = new WeakMap<EventTarget, Set<() => void>>();

function abort({ target }: Event): void {
  [...(waiting.get(target as EventTarget) ?? [])].forEach((call) => call());
}

/** Calls a function if a signal aborts after this. The returned function takes that back. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (signal === undefined) {
    return () => undefined;
  }
  const calls = waiting.get(signal) ?? new Set();
  if (calls.size === 0) {
    waiting.set(signal, calls);
    signal.addEventListener("abort", abort);
  }
  calls.add(call);
  return () => {
    calls.delete(call);
    if (calls.size === 0) { // a listener that is left would outlive its user
      signal.removeEventListener("abort", abort);
    }
  };
}

/**
 * Calls a function after a time in milliseconds, where there is one, or if a signal aborts after this. The returned
 * function takes that back.
 */
export function onDeadline(signal: AbortSignal | undefined, ms: number | undefined, call: (isLate: boolean) => void): () => void {
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
    const forget = onDeadline(signal, signal?.aborted === true ? 0 : ms, () => {
      forget();
      resolve();
    });
  });
}
