// How connections share the time of the one thread that all have.

/** How many values a connection goes on with in a turn, and how many bytes count as one. */
const turnValues = 256;
const valueBytes = 256;

/** How many it may where others have had those of a turn: one that says little never waits for those that say much. */
const fewValues = 8;

const { setImmediate: soon } = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Does something once what has come meanwhile was looked at. */
function next(run: () => void): void {
  if (soon === undefined) {
    setTimeout(run, 0);
  } else {
    soon(run);
  }
}

/** What goes on later, in order. */
const line: (() => void)[] = [];
let left = turnValues;
let isRenewed = false;

/** Lets one go on, and then what has come meanwhile. */
function turn(): void {
  const first = line.shift();
  if (line.length > 0) {
    next(turn);
  }
  first?.();
}

/** Does something in a turn of its own, in which it may handle `turnValues`, behind all that wait for theirs. */
export function later(run: () => void): void {
  if (line.push(run) === 1) {
    next(turn);
  }
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
