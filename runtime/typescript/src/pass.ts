import { refused } from "./error.js";
import type { Reader } from "./reader.js";
import { type Step, stepsOf } from "./steps.js";
import type { AnyType } from "./type.js";
import { illFormed, isLess, keyOf, type Order } from "./walk.js";

/**
 * Passes over the bytes of steps, and leaves the reader behind them. What is not `known` to be right is
 * looked at as a decoder does, and refused.
 */
export function pass(r: Reader, steps: readonly Step[], known: boolean): void {
  for (let i = 0; i < steps.length; i++) {
    passOne(r, steps[i] as Step, known);
  }
}

export function passOne(r: Reader, one: Step, known: boolean): void {
  switch (one.op) {
    case "fixed":
      return passFixed(r, one, 1, known);
    case "str":
    case "bytes": {
      const n = r.prefix(one.width);
      const at = r.take(n);
      if (!known && (n > one.max || (one.op === "str" && illFormed(r.bytes, at, at + n) >= 0))) {
        throw refused;
      }
      return;
    }
    case "list":
      return passElements(r, one, r.counted(one.width, one.bytes, one.max), known);
    case "array":
      r.spend(one.elements);
      return passElements(r, one, one.count, known);
    case "optional":
      return r.present() ? pass(r, one.inner(), known) : undefined;
    case "map":
      return passMap(r, one, known);
    case "struct":
      r.enter(0);
      pass(r, one.inner(), known);
      return r.leave();
    case "message": {
      const outer = r.window();
      if (!known) {
        checkBody(r, one.inner());
      }
      r.skip();
      r.end = outer;
      return;
    }
    case "union":
      return passUnion(r, one, known);
  }
}

/** Passes over n times the bytes of a step. */
function passFixed(r: Reader, one: Step, n: number, known: boolean): void {
  const at = r.take(n * one.bytes);
  if (known || n === 0) {
    return;
  }
  if (one.depth > r.depth) {
    throw refused;
  }
  r.spend(n * one.elements);
  const { checks } = one;
  for (let i = 0; i < checks.length; i++) {
    const check = checks[i] as Step["checks"][number];
    for (let k = 0; k < n; k++) {
      if (!check.accepts(r.view, at + k * one.bytes + check.at)) {
        throw refused;
      }
    }
  }
}

function passElements(r: Reader, one: Step, n: number, known: boolean): void {
  const steps = one.inner();
  const only = steps[0] as Step;
  if (only.op === "fixed") {
    return passFixed(r, only, n, known);
  }
  for (let k = 0; k < n; k++) {
    passOne(r, only, known);
  }
}

function passMap(r: Reader, one: Step, known: boolean): void {
  const n = r.counted(one.width, one.bytes, one.max);
  const type = one.key as AnyType;
  const key = stepsOf(type);
  let before: Order | undefined;
  for (let k = 0; k < n; k++) {
    const { at } = r;
    pass(r, key, known);
    if (!known) {
      const own = keyOf(type, r.view, r.bytes, at, r.at);
      if (before !== undefined && !isLess(before, own)) {
        throw refused;
      }
      before = own;
    }
    pass(r, one.inner(), known);
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

function passUnion(r: Reader, one: Step, known: boolean): void {
  r.enter(0);
  const tag = r.view.getUint8(r.take(1));
  const steps = one.cases().get(tag);
  if (one.closed) {
    if (steps === undefined) {
      throw refused;
    }
    pass(r, steps, known);
  } else {
    const outer = r.window();
    if (steps === undefined || known) {
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
