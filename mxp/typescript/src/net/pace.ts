// How connections share the time of the one thread that all have.

/** How many values a connection goes on with in a turn, and how many bytes count as one. */
const turnValues = 256;
const valueBytes = 256;

/** How many it may where others have had those of a turn: one that says little never waits for those that say much. */
const fewValues = 8;

/** What there is of Node, or else of a page or a worker. */
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

const next = scheduler(globalThis as Around);

/** How long, in milliseconds, turns are taken in which little is to be done, before what has come meanwhile is looked at. */
const turnMs = 1;

/** What was read and waits for its turn; and handlers that go on later, which are seen to take time only by what comes after. */
const reads: (() => void)[] = [];
const handlers: (() => void)[] = [];
/** Whether a turn comes. */
let comes = false;
let left = turnValues;
let isRenewed = false;

/** Lets those go on that wait, and then what has come meanwhile. */
function turn(): void {
  const end = performance.now() + turnMs;
  do {
    reads.shift()?.();
  } while (reads.length > 0 && performance.now() < end);
  handlers.shift()?.();
  comes = reads.length + handlers.length > 0;
  if (comes) {
    next(turn);
  }
}

function wait(line: (() => void)[], run: () => void): void {
  line.push(run);
  if (!comes) {
    comes = true;
    next(turn);
  }
}

/** Handles what was read in a turn of its own, `allowedInTurn` values at most, behind all that wait for theirs. */
export function readLater(run: () => void): void {
  wait(reads, run);
}

/** Begins handlers in a turn of their own, `allowedInTurn` at most, behind all that wait for theirs. */
export function handleLater(run: () => void): void {
  wait(handlers, run);
}

/** How many values may be handled now, before a turn of their own; `isLittle` says that there are few of them, or not much of their bytes. */
export function allowed(isLittle: boolean): number {
  return Math.max(left, isLittle ? fewValues : 0);
}

/** How many values may be handled in a turn of their own. */
export const allowedInTurn: number = turnValues;

/** Notes that values were handled, of so many bytes. */
export function spent(values: number, bytes: number): void {
  left = Math.max(left - values - Math.floor(bytes / valueBytes), 0);
  if (!isRenewed) {
    isRenewed = true;
    next(() => {
      isRenewed = false;
      left = turnValues;
    });
  }
}
