import { refusalError } from "../engine/failure.js";
import type { Ticket } from "../engine/line.js";
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

/** Takes a request out of its line when a signal aborts, or at a time on the clock of `performance`. */
export function giveUp(ticket: Ticket, signal: AbortSignal | undefined, until: number | undefined): void {
  const leave = onAbort(signal, () => ticket.leave(refusalError("cancelled")));
  const late = (): void => ticket.leave(refusalError("deadline_exceeded"));
  const timer = until === undefined ? undefined : setTimeout(late, Math.min(Math.max(0, until - performance.now()), longestMs));
  ticket.onOver = (): void => {
    clearTimeout(timer);
    leave();
  };
}
