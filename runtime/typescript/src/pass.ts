import { refused } from "./error.js";
import type { Reader } from "./reader.js";
import { type Step, stepsOf } from "./steps.js";
import type { AnyType } from "./type.js";
import { illFormed, isLess, keyOf, type Order } from "./walk.js";

/**
 * Passes over the bytes of steps, and leaves the reader behind them. Bytes that are not known to be
 * right are checked as by a decoder, and refused.
 */
export function pass(r: Reader, steps: readonly Step[], isKnown: boolean): void {
  for (let i = 0; i < steps.length; i++) {
    passOne(r, steps[i] as Step, isKnown);
  }
}

export function passOne(r: Reader, step: Step, isKnown: boolean): void {
  switch (step.op) {
    case "fixed":
      return passFixed(r, step, 1, isKnown);
    case "str":
    case "bytes": {
      const n = r.prefix(step.width);
      const at = r.take(n);
      if (!isKnown && (n > step.max || (step.op === "str" && illFormed(r.bytes, at, at + n) >= 0))) {
        throw refused;
      }
      return;
    }
    case "list":
      return passElements(r, step, r.counted(step.width, step.bytes, step.max), isKnown);
    case "array":
      r.spend(step.elements);
      return passElements(r, step, step.count, isKnown);
    case "optional":
      return r.present() ? pass(r, step.inner(), isKnown) : undefined;
    case "map":
      return passMap(r, step, isKnown);
    case "struct":
      r.enter(0);
      pass(r, step.inner(), isKnown);
      return r.leave();
    case "message": {
      const outer = r.window();
      if (!isKnown) {
        checkBody(r, step.inner());
      }
      r.skip();
      r.end = outer;
      return;
    }
    case "union":
      return passUnion(r, step, isKnown);
  }
}

/** Passes over n times the bytes of a step. */
function passFixed(r: Reader, step: Step, n: number, isKnown: boolean): void {
  const at = r.take(n * step.bytes);
  if (isKnown || n === 0) {
    return;
  }
  if (step.depth > r.depth) {
    throw refused;
  }
  r.spend(n * step.elements);
  const { checks } = step;
  for (let i = 0; i < checks.length; i++) {
    const check = checks[i] as Step["checks"][number];
    for (let k = 0; k < n; k++) {
      if (!check.accepts(r.view, at + k * step.bytes + check.at)) {
        throw refused;
      }
    }
  }
}

function passElements(r: Reader, step: Step, n: number, isKnown: boolean): void {
  const steps = step.inner();
  const only = steps[0] as Step;
  if (only.op === "fixed") {
    return passFixed(r, only, n, isKnown);
  }
  for (let k = 0; k < n; k++) {
    passOne(r, only, isKnown);
  }
}

function passMap(r: Reader, step: Step, isKnown: boolean): void {
  const n = r.counted(step.width, step.bytes, step.max);
  const type = step.key as AnyType;
  const key = stepsOf(type);
  let before: Order | undefined;
  for (let k = 0; k < n; k++) {
    const { at } = r;
    pass(r, key, isKnown);
    if (!isKnown) {
      const own = keyOf(type, r.view, r.bytes, at, r.at);
      if (before !== undefined && !isLess(before, own)) {
        throw refused;
      }
      before = own;
    }
    pass(r, step.inner(), isKnown);
  }
}

/** Looks at a message's segments, as many as are there. */
export function checkBody(r: Reader, steps: readonly Step[]): void {
  r.enter(0);
  let segment = 1;
  for (let i = 0; i < steps.length; i++) {
    const one = steps[i] as Step;
    if (one.segment > segment && !r.more()) {
      break;
    }
    segment = one.segment;
    passOne(r, one, false);
  }
  r.skip();
  r.leave();
}

function passUnion(r: Reader, step: Step, isKnown: boolean): void {
  r.enter(0);
  const tag = r.view.getUint8(r.take(1));
  const steps = step.cases().get(tag);
  if (step.closed) {
    if (steps === undefined) {
      throw refused;
    }
    pass(r, steps, isKnown);
  } else {
    const outer = r.window();
    if (steps === undefined || isKnown) {
      if (tag === 0) {
        throw refused;
      }
      r.skip();
    } else {
      pass(r, steps, false);
    }
    r.close(outer);
  }
  r.leave();
}
