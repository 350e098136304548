import { type MxpError, toError } from "../engine/failure.js";
import { Attempts } from "../engine/retry.js";
import type { Reply } from "./request.js";

/**
 * Makes a call, and again on each connection that `alternative` gives as long as it has not ended. The attempt that
 * ends it cancels the others, by the signal that they were made with.
 */
export function hedged<C>(first: C, everyMs: number, make: (connection: C, signal: AbortSignal) => Promise<Reply>, alternative: (but: readonly C[]) => C | undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const attempts = new Attempts<C>();
    const over = new AbortController();
    const end = (): void => {
      clearInterval(timer);
      over.abort();
    };
    const fail = (error: MxpError): void => {
      if (attempts.failed(error)) {
        end();
        reject(error);
      }
    };
    const ask = (connection: C): void => {
      attempts.add(connection);
      make(connection, over.signal).then((reply) => {
        end();
        resolve(reply);
      }, (cause: unknown) => fail(toError(cause)));
    };
    const timer = setInterval(() => {
      const next = alternative(attempts.all);
      if (next !== undefined) {
        ask(next);
      }
    }, Math.max(everyMs, 1));
    ask(first);
  });
}
