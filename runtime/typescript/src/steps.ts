// Steps: a type as what its bytes are passed over by, made of its descriptor once. Scalars that stand
// side by side are one step, so that most of a value is passed over without a look at its fields.

import { loadSafe, numbers } from "./numbers.js";
import { once, onceEach } from "./once.js";
import { scalarBytes } from "./spec_gen.js";
import { type AnyType, type EnumType, type MessageType, type ScalarType, segmentOf, type StructType, type UnionType, type Width } from "./type.js";

/** A part of a value's bytes. All steps have the same members, for the sake of the engine's caches. */
export interface Step {
  readonly op: Op;
  /** The segment of a message that it is in; 1 elsewhere. */
  readonly segment: number;
  /** Bytes of fixed size, or the least of an element. */
  bytes: number;
  /** The parts of these bytes with a check: bools, and numbers of closed enums. */
  readonly checks: Check[];
  /** How deep structs lie in these bytes, and how many elements of arrays [WIRE-9.3]. */
  depth: number;
  elements: number;
  readonly width: Width;
  readonly max: number;
  readonly count: number;
  /** The steps of an element, of a map's value, or of a record; made when first asked for. */
  readonly inner: () => readonly Step[];
  /** The type of a map's keys. */
  readonly key: AnyType | undefined;
  /** The steps of each alternative by its tag, and whether others are refused. */
  readonly cases: () => ReadonlyMap<number, readonly Step[]>;
  readonly closed: boolean;
}

/** A look at bytes of fixed size that are not just any. */
interface Check {
  readonly at: number;
  readonly accepts: (view: DataView, offset: number) => boolean;
}

type Op = "fixed" | "str" | "bytes" | "list" | "array" | "optional" | "map" | "struct" | "message" | "union";

const none: readonly Step[] = [];

type Parts = { -readonly [K in keyof Step]?: Step[K] | undefined };

function step(op: Op, segment: number, parts: Parts): Step {
  return {
    op,
    segment,
    bytes: parts.bytes ?? 0,
    checks: parts.checks ?? [],
    depth: parts.depth ?? 0,
    elements: parts.elements ?? 0,
    width: parts.width ?? 1,
    max: parts.max ?? 4294967295,
    count: parts.count ?? 0,
    inner: parts.inner ?? ((): readonly Step[] => none),
    key: parts.key,
    cases: parts.cases ?? ((): ReadonlyMap<number, readonly Step[]> => new Map()),
    closed: parts.closed ?? false,
  };
}

/** The steps of a record, and where its fields are in them. */
export interface Layout {
  readonly steps: readonly Step[];
  readonly places: readonly Place[];
}

/** Where a field is: so many bytes behind the start of a step. */
export interface Place {
  readonly step: number;
  readonly offset: number;
}

/** The layout of a record. */
export const layoutOfFields: (type: StructType | MessageType) => Layout = /* @__PURE__ */ onceEach((type) => {
  const steps: Step[] = [];
  const places: Place[] = [];
  for (const field of type.fields()) {
    const segment = segmentOf(field);
    const own = stepOf(field[1], segment);
    const last = steps.at(-1);
    if (own.op !== "fixed" || last?.op !== "fixed" || last.segment !== segment) {
      places.push({ step: steps.length, offset: 0 });
      steps.push(own);
      continue;
    }
    places.push({ step: steps.length - 1, offset: last.bytes });
    last.checks.push(...own.checks.map(({ at, accepts }) => ({ at: at + last.bytes, accepts })));
    last.bytes += own.bytes;
    last.depth = Math.max(last.depth, own.depth);
    last.elements += own.elements;
  }
  return { steps, places };
});

/** The step of a type. */
export const stepsOf: (type: AnyType) => readonly Step[] = /* @__PURE__ */ onceEach((type) => [stepOf(type, 1)]);

function stepOf(type: AnyType, segment: number): Step {
  const inner = (element: AnyType): Step["inner"] => once(() => stepsOf(element));
  switch (type.kind) {
    case "scalar":
      return step("fixed", segment, { bytes: scalarBytes[type.name], checks: checksOf(type) });
    case "enum":
      return step("fixed", segment, { bytes: scalarBytes[type.base], checks: type.closed ? [{ at: 0, accepts: isMember(type) }] : [] });
    case "str":
    case "bytes":
      return step(type.kind, segment, { width: type.width, max: type.max });
    case "list":
      return step("list", segment, { width: type.width, max: type.max, bytes: type.least, inner: inner(type.element) });
    case "array":
      return arrayStep(type.element, type.count, segment);
    case "optional":
      return step("optional", segment, { inner: inner(type.element) });
    case "map":
      return step("map", segment, { width: type.width, max: type.max, bytes: type.least, key: type.key, inner: inner(type.value) });
    case "struct":
      return structStep(type, segment);
    case "message":
      return step("message", segment, { inner: once(() => layoutOfFields(type).steps) });
    case "union":
      return step("union", segment, { closed: type.closed, cases: casesOf(type) });
  }
}

function checksOf({ name, safe }: ScalarType): Check[] {
  const accepts: Check["accepts"] | undefined = name === "bool" ? isBool : safe ? (view, offset) => Number.isSafeInteger(loadSafe(view, offset, name)) : undefined;
  return accepts === undefined ? [] : [{ at: 0, accepts }];
}

const isBool: Check["accepts"] = (view, offset) => view.getUint8(offset) < 2;

function isMember(type: EnumType): Check["accepts"] {
  const members = new Set(type.members.map((member) => member[1]));
  const load = numbers[type.base].load;
  return (view, at) => members.has(load(view, at));
}

function casesOf(type: UnionType): Step["cases"] {
  return once(() => new Map(type.alternatives().map((item) => [item[1], item[2] === undefined ? none : stepsOf(item[2])])));
}

/** An array whose elements are just any bytes is one piece; others are looked at one by one. */
function arrayStep(element: AnyType, count: number, segment: number): Step {
  const one = stepOf(element, 1);
  const spent = element.kind === "scalar" || element.kind === "enum" ? 0 : count;
  if (one.op === "fixed" && one.checks.length === 0) {
    return step("fixed", segment, { bytes: count * one.bytes, depth: one.depth, elements: spent + count * one.elements });
  }
  return step("array", segment, { count, elements: spent, inner: once(() => stepsOf(element)) });
}

/** A struct is one piece where all its fields are. */
function structStep(type: StructType, segment: number): Step {
  const { steps } = layoutOfFields(type); // types lead back to themselves by what is made when it is asked for
  const [one, ...more] = steps;
  if (one?.op === "fixed" && more.length === 0) {
    return step("fixed", segment, { bytes: one.bytes, checks: [...one.checks], depth: one.depth + 1, elements: one.elements });
  }
  return step("struct", segment, { inner: once(() => steps) }); // by one function, for the sake of the engine's caches
}
