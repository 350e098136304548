import { Pace } from "../engine/pace.js";

/** The globals of Node, or else of a page or a worker. */
interface Around {
  readonly setImmediate?: (run: () => void) => unknown;
  readonly MessageChannel?: new () => { readonly port1: { onmessage: (() => void) | null }; readonly port2: { postMessage(message: null): void } };
}

/** Makes the function that does something once what has come meanwhile was looked at. In a page that is a message: timers of one that nobody sees are a second late. */
function scheduler({ setImmediate, MessageChannel }: Around): (run: () => void) => void {
  if (setImmediate !== undefined) {
    return setImmediate;
  }
  if (MessageChannel === undefined) {
    return (run) => setTimeout(run, 0);
  }
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return (run) => {
    waiting.push(run);
    port2.postMessage(null);
  };
}

/** The pace of all connections of the program. */
export const pace: Pace = new Pace(scheduler(globalThis as Around), () => performance.now());
