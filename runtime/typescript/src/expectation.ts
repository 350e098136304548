// Texts of refusals of values: the values that a type takes, and the value given instead.

import { arrayOf } from "./numbers.js";
import { scalarBytes } from "./spec_gen.js";
import { type AnyType, type EnumType, isWide, kindOf, type ScalarType, type UnionType } from "./type.js";

/** How much of a text is shown, and how many names are. */
const shownUnits = 32;
const shownNames = 8;

/** A value that a type takes, in words. */
export function expectation(type: AnyType): string {
  switch (type.kind) {
    case "scalar":
      return scalar(type);
    case "enum":
      return enumeration(type);
    case "str":
      return "a string";
    case "bytes":
      return "a Uint8Array";
    case "list":
      return arrayName(type.element);
    case "array":
      return `${arrayName(type.element)} of ${type.count} elements`;
    case "map":
      return "a Map";
    case "union":
      return `an object whose kind is ${firstOf(type.alternatives().map((a) => JSON.stringify(kindOf(a))))}`;
    default:
      return "an object";
  }
}

function scalar({ name, safe }: ScalarType): string {
  switch (name) {
    case "bool":
      return "a boolean";
    case "f32":
    case "f64":
      return "a number";
    case "uuid":
      return "a uuid of 32 hexadecimal digits, as 8-4-4-4-12";
    case "timestamp":
    case "duration":
      return `a bigint of nanoseconds from ${range(false, 64)}`;
    default:
      return safe ? `an integer from ${name === "u64" ? "0" : "−2^53+1"} to 2^53−1` : integer(name);
  }
}

function integer(name: EnumType["base"]): string {
  return `${isWide(name) ? "a bigint" : "an integer"} from ${range(name.startsWith("u"), 8 * scalarBytes[name])}`;
}

/** The bounds of an integer: long bounds are written as powers. */
function range(unsigned: boolean, bits: number): string {
  if (bits === 64) {
    return unsigned ? "0 to 2^64−1" : "−2^63 to 2^63−1";
  }
  return unsigned ? `0 to ${2 ** bits - 1}` : `−${2 ** (bits - 1)} to ${2 ** (bits - 1) - 1}`;
}

function enumeration({ name, base, closed, members }: EnumType): string {
  return `a number of ${name}, ${closed ? firstOf(members.map(([member, number]) => `${number}${isWide(base) ? "n" : ""} (${member})`)) : integer(base)}`;
}

function arrayName(element: AnyType): string {
  const name = arrayOf(element)?.name ?? "Array";
  return `${article(name)} ${name}`;
}

/** Alternatives in words; of many the first. */
function firstOf(names: readonly string[]): string {
  const shown = names.slice(0, shownNames);
  const last = names.length > shownNames ? `${names.length - shownNames} more` : shown.pop() ?? "none";
  return shown.length === 0 ? last : `${shown.join(", ")} or ${last}`;
}

/** A value in words; only the beginning of a long one. */
export function described(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `string ${JSON.stringify(value.slice(0, shownUnits))}${value.length > shownUnits ? `, of ${value.length} characters` : ""}`;
    case "bigint":
      return `bigint ${value >= -(2n ** 128n) && value < 2n ** 128n ? value : "of more than 128 bits"}`;
    case "number":
      return `number ${Object.is(value, -0) ? "-0" : value}`;
    case "boolean":
      return `boolean ${value}`;
    case "object":
      return value === null ? "null" : object(value);
    default:
      return value === undefined ? "undefined" : `a ${typeof value}`;
  }
}

function object(value: object): string {
  const name = Object.prototype.toString.call(value).slice(8, -1);
  const { length } = value as { length?: unknown };
  const isCounted = (Array.isArray(value) || ArrayBuffer.isView(value)) && typeof length === "number";
  return `${article(name)} ${name}${isCounted ? ` of ${length} elements` : ""}`;
}

/** Why a value is none of an alternative that is not known [WIRE-9.5]. */
export function unknownFault({ closed, alternatives }: UnionType, tag: unknown, payload: unknown): string {
  if (closed) {
    return "this union is closed, and takes no $unknown";
  }
  if (!(payload instanceof Uint8Array)) {
    return `expected a Uint8Array as payload, got ${described(payload)}`;
  }
  const known = alternatives().find((a) => a[1] === tag);
  return known === undefined ? `expected a tag from 1 to 255, got ${described(tag)}` : `tag ${known[1]} is that of ${known[0]}`;
}

function article(name: string): string {
  return /^[AEIO]/.test(name) ? "an" : "a";
}
