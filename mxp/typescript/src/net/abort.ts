/** The longest time that a timer takes, in milliseconds; one of more would be over at once. */
export const longestMs: number = 2 ** 31 - 1;

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
