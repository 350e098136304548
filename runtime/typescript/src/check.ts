import { indexed, memberPath, type Path, pathText, refusalOf, SdpError } from "./error.js";
import { described, expectation, unknownFault } from "./expectation.js";
import { missing } from "./defaults.js";
import { arrayOf } from "./numbers.js";
import { type ErrorName, limitDepth } from "./spec_gen.js";
import {
  type Alternative, type AnyType, type ArrayType, type EnumType, type Field, isWide, kindOf, type ListType, type MessageType,
  propertyOf, type ScalarName, type ScalarType, segmentOf, type StructType, type TextType, type Type, type UnionType, type Width,
} from "./type.js";
import { sorted } from "./keys.js";
import { isLoneSurrogate, uuidForm } from "./writer.js";

/**
 * The refusal of a value that a fast writer refused, which it names: a second visit, in wire order
 * [WIRE-9.1]. Undefined for a value that has an encoding. JSON bounds no lengths [JSON-7.1].
 */
export function check(type: Type, value: unknown, bounds = true): SdpError | undefined {
  return refusalOf(() => visit(type, value, null, 0, bounds));
}

/** Refuses a value: it has a path, and no offset. */
function refuse(code: ErrorName, path: Path | null, detail: string): never {
  throw new SdpError(code, -1, pathText(path), detail);
}

/** Refuses what lies too deep [WIRE-9.4]. */
function checkDepth(path: Path | null, depth: number): void {
  if (depth > limitDepth) {
    refuse("limit_depth", path, `expected ${limitDepth} levels at most`);
  }
}

/** Refuses what is no value of its type. */
function ensure(fits: boolean, path: Path | null, type: AnyType, value: unknown): asserts fits {
  if (!fits) {
    refuse("value_invalid", path, `expected ${expectation(type)}, got ${described(value)}`);
  }
}

/** Whether a value is one of a scalar. */
function isScalar({ name, safe }: ScalarType, value: unknown): boolean {
  switch (name) {
    case "bool":
      return typeof value === "boolean";
    case "f32":
    case "f64":
      return typeof value === "number";
    case "uuid":
      return typeof value === "string" && uuidForm.test(value);
    default:
      return safe ? Number.isSafeInteger(value) && (value as number) >= rangeOf(name)[0] : isInteger(name, value);
  }
}

/** The least and the greatest value of an integer, which times are, too. */
export function rangeOf(name: ScalarName): readonly [bigint, bigint] {
  const bits = name === "timestamp" || name === "duration" ? 64 : Number(name.slice(1));
  return name.startsWith("u") ? [0n, (1n << BigInt(bits)) - 1n] : [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n];
}

function isInteger(name: ScalarName, value: unknown): boolean {
  if (typeof value !== (isWide(name) ? "bigint" : "number") || (typeof value === "number" && !Number.isInteger(value))) {
    return false;
  }
  const [low, high] = rangeOf(name);
  return low <= (value as bigint) && (value as bigint) <= high;
}

/** Whether a value is a number of an enum. */
export function isEnum(type: EnumType, value: unknown): boolean {
  return isInteger(type.base, value) && (!type.closed || type.members.some((m) => m[1] === value));
}

/** Refuses what is no text, or has no UTF-8. */
function checkText(type: TextType, value: unknown, path: Path | null): asserts value is string {
  ensure(typeof value === "string", path, type, value);
  if (isLoneSurrogate.test(value)) {
    refuse("utf8_invalid", path, `expected a string without half a surrogate pair, which there is at ${value.search(isLoneSurrogate)}`);
  }
}

/** Holds the bytes of a union or kept tail, which have no type of their own. */
function checkBytes(value: unknown, path: Path | null): asserts value is Uint8Array {
  if (!(value instanceof Uint8Array)) {
    refuse("value_invalid", path, `expected a Uint8Array as $unknown, got ${described(value)}`);
  }
}

/** Whether a value is a list or array. */
export function isList(type: ListType | ArrayType, value: unknown): value is ArrayLike<unknown> {
  const array = arrayOf(type.element);
  const fits = array === undefined ? Array.isArray(value) : value instanceof array;
  return fits && (type.kind === "list" || (value as ArrayLike<unknown>).length === type.count);
}

/** Whether a value may have fields. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** The value of a field, or what stands for one that is left out: as JSON has it [JSON-5.2]. */
export function fieldOf(field: Field, value: Readonly<Record<string, unknown>>): unknown {
  const own = value[propertyOf(field)];
  if (own !== undefined) {
    return own;
  }
  return segmentOf(field) > 1 ? missing(field) : field[1].kind === "optional" ? null : undefined;
}

/** The alternative that a union's value has; undefined for one that is not known [WIRE-9.5]. */
export function alternativeOf(type: UnionType, value: unknown, path: Path | null): Alternative | undefined {
  ensure(isObject(value), path, type, value);
  const { kind, tag, payload } = value;
  const all = type.alternatives();
  if (kind === "$unknown") {
    if (type.closed || !isInteger("u8", tag) || tag === 0 || all.some((a) => a[1] === tag) || !(payload instanceof Uint8Array)) {
      refuse("value_invalid", path, unknownFault(type, tag, payload));
    }
    return undefined;
  }
  const found = all.find((a) => kindOf(a) === kind);
  ensure(found !== undefined, path, type, kind);
  return found;
}

function length({ kind, width, max }: { kind: AnyType["kind"]; width: Width; max: number | undefined }, n: number, path: Path | null): void {
  const unit = kind === "str" || kind === "bytes" ? "bytes" : kind === "map" ? "entries" : "elements";
  if (max !== undefined && n > max) {
    refuse("limit_max", path, `expected ${max} ${unit} at most, got ${n}`);
  }
  if (n >= 2 ** (8 * width)) {
    refuse("value_too_large", path, `expected ${2 ** (8 * width) - 1} ${unit} at most, got ${n}`);
  }
}

function visit(type: AnyType, value: unknown, path: Path | null, depth: number, bounds: boolean): void {
  switch (type.kind) {
    case "scalar":
      return ensure(isScalar(type, value), path, type, value);
    case "enum":
      return ensure(isEnum(type, value), path, type, value);
    case "str":
      checkText(type, value, path);
      return bounds ? length(type, new TextEncoder().encode(value).length, path) : undefined;
    case "bytes":
      ensure(value instanceof Uint8Array, path, type, value);
      return bounds ? length(type, value.length, path) : undefined;
    case "list":
    case "array":
      ensure(isList(type, value), path, type, value);
      if (type.kind === "list" && bounds) {
        length(type, value.length, path);
      }
      return elements(type.element, value, path, depth, bounds);
    case "optional":
      return value === null || value === undefined ? undefined : visit(type.element, value, path, depth, bounds);
    case "map":
      ensure(value instanceof Map, path, type, value);
      if (bounds) {
        length(type, value.size, path);
      }
      sorted(value).forEach(([key, one], i) => {
        visit(type.key, key, indexed(path, i, ".key"), depth, bounds);
        visit(type.value, one, indexed(path, i, ".value"), depth, bounds);
      });
      return;
    case "struct":
    case "message":
      return record(type, value, path, depth + 1, bounds);
    case "union": {
      checkDepth(path, depth + 1);
      const known = alternativeOf(type, value, path);
      if (known?.[2] !== undefined) {
        visit(known[2], (value as { value: unknown }).value, memberPath(path, known[0]), depth + 1, bounds);
      }
    }
  }
}

function elements(element: AnyType, value: ArrayLike<unknown>, path: Path | null, depth: number, bounds: boolean): void {
  if (arrayOf(element) === undefined) {
    for (let i = 0; i < value.length; i++) {
      visit(element, value[i], indexed(path, i), depth, bounds);
    }
  }
}

function record(type: StructType | MessageType, value: unknown, path: Path | null, depth: number, bounds: boolean): void {
  checkDepth(path, depth);
  ensure(isObject(value), path, type, value);
  for (const field of type.fields()) {
    visit(field[1], fieldOf(field, value), memberPath(path, field[0]), depth, bounds);
  }
  const { $unknown } = value;
  if (type.kind === "message" && type.keep && $unknown !== undefined) {
    checkBytes($unknown, path);
  }
}
