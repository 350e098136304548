/** What is called when signals abort. A signal has one listener for all, since Node warns of more than ten. */
const waiting = new WeakMap<AbortSignal, Hearing>();

interface Hearing {
  readonly calls: Set<() => void>;
  readonly listener: () => void;
}

/** Calls a function once if a signal aborts after this. What is returned takes that back. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (signal === undefined) {
    return () => undefined;
  }
  const { calls } = waiting.get(signal) ?? listened(signal);
  calls.add(call);
  return () => {
    calls.delete(call);
    if (calls.size === 0) {
      forget(signal, calls);
    }
  };
}

function listened(signal: AbortSignal): Hearing {
  const calls = new Set<() => void>();
  const hearing: Hearing = { calls, listener: () => [...calls].forEach((call) => call()) };
  waiting.set(signal, hearing);
  signal.addEventListener("abort", hearing.listener);
  return hearing;
}

/** Takes the listener from a signal that nothing waits for: with one, it would outlive its user. */
function forget(signal: AbortSignal, calls: ReadonlySet<() => void>): void {
  const hearing = waiting.get(signal);
  if (hearing?.calls === calls) {
    waiting.delete(signal);
    signal.removeEventListener("abort", hearing.listener);
  }
}
