// Writes values as canonical JSON, the same text in every language, by functions that are made once for each type.

import { alternativeOf, check, fieldOf, isEnum, isList, isObject, rangeOf } from "./check.js";
import { refused } from "./error.js";
import { base64, durationText, floatText, quote, timestampText } from "./json_text.js";
import { once, onceEach } from "./once.js";
import { limitDepth } from "./spec_gen.js";
import {
  type AnyType, type ArrayType, type EnumType, isWide, kindOf, type ListType, type MapType, type MessageType, propertyOf, type ScalarType,
  type StructType, type Type, type UnionType,
} from "./type.js";
import { type Key, sorted } from "./keys.js";
import { isLoneSurrogate, uuidForm } from "./writer.js";

/** The text of a value. A value without a text throws `refused`, which names no fault. */
type Write = (value: unknown) => string;

/** How deep the aggregate is that is written. */
let depth = 0;

/** A value as canonical JSON: the same text in every language. */
export function toJson<T>(type: Type<T>, value: T): string {
  const around = depth; // a value's getters may write others
  depth = 0;
  try {
    return aggregateOf(type)(value);
  } catch (error) {
    throw check(type, value, false) ?? error;
  } finally {
    depth = around;
  }
}

/** The writer of a struct, message or union. */
const aggregateOf: (type: Type) => Write = /* @__PURE__ */ onceEach((type: Type) => (type.kind === "union" ? union(type) : record(type)));

function writerOf(type: AnyType): Write {
  switch (type.kind) {
    case "scalar":
      return scalar(type);
    case "enum":
      return enumeration(type);
    case "str":
      return text;
    case "bytes":
      return (value) => `"${base64(ensured(value instanceof Uint8Array, value))}"`;
    case "list":
    case "array":
      return elements(type);
    case "optional": {
      const element = writerOf(type.element);
      return (value) => (value === null || value === undefined ? "null" : element(value));
    }
    case "map":
      return map(type);
    default:
      return (value) => aggregateOf(type)(value); // types lead back to themselves
  }
}

/** A value that fits; any other is refused. */
function ensured<V>(fits: boolean, value: unknown): V {
  if (!fits) {
    throw refused;
  }
  return value as V;
}

/** The rare characters of strings: escaped characters, and surrogates, of which some are refused. */
const special = /["\\\u0000-\u001f\ud800-\udfff]/;

function text(value: unknown): string {
  if (typeof value !== "string") {
    throw refused;
  }
  return special.test(value) ? quote(ensured(!isLoneSurrogate.test(value), value)) : `"${value}"`;
}

function scalar({ name, safe }: ScalarType): Write {
  switch (name) {
    case "bool":
      return (value) => (ensured(typeof value === "boolean", value) ? "true" : "false");
    case "f32":
      return (value) => floatText(Math.fround(ensured(typeof value === "number", value)), 4);
    case "f64":
      return (value) => floatText(ensured(typeof value === "number", value), 8);
    case "timestamp":
      return (value) => `"${timestampText(ensured(is64(value), value))}"`;
    case "duration":
      return (value) => `"${durationText(ensured(is64(value), value))}"`;
    case "uuid":
      return (value) => `"${ensured<string>(typeof value === "string" && uuidForm.test(value), value).toLowerCase()}"`;
    default:
      return safe ? safeInteger(name === "u64") : integer(name);
  }
}

function is64(value: unknown): boolean {
  return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
}

/** An integer; integers of 64 bits are strings [JSON-2.2]. */
function integer(name: EnumType["base"]): Write {
  const [low, high] = rangeOf(name);
  if (isWide(name)) {
    const fits = name === "u64" ? (value: bigint): boolean => BigInt.asUintN(64, value) === value : is64;
    return (value) => `"${ensured<bigint>(typeof value === "bigint" && fits(value), value)}"`;
  }
  const [least, most] = [Number(low), Number(high)];
  return (value) => `${ensured<number>(typeof value === "number" && value >= least && value <= most && Number.isInteger(value), value)}`; // that of -0 is 0, too
}

function safeInteger(isUnsigned: boolean): Write {
  return (value) => `"${ensured<number>(Number.isSafeInteger(value) && (!isUnsigned || (value as number) >= 0), value)}"`;
}

function enumeration(type: EnumType): Write {
  const names = new Map([...type.members].reverse().map(([name, number, json]) => [number, quote(json ?? name)]));
  const digits = integer(type.base);
  return (value) => names.get(value as number) ?? digits(ensured(isEnum(type, value), value));
}

function elements(type: ListType | ArrayType): Write {
  const write = writerOf(type.element);
  return (value) => {
    if (!isList(type, value)) {
      throw refused;
    }
    const bits = bitsOf(value);
    let out = "[";
    for (let i = 0; i < value.length; i++) {
      const one = value[i];
      out += (i === 0 ? "" : ",") + (bits !== undefined && one !== one ? floatText(Number.NaN, bits instanceof Uint32Array ? 4 : 8, BigInt(bits[i] as number)) : write(one));
    }
    return `${out}]`;
  };
}

/** The bits of an array of floats, which keep the bits of NaNs. */
function bitsOf(value: unknown): Uint32Array | BigUint64Array | undefined {
  if (value instanceof Float32Array) {
    return new Uint32Array(value.buffer, value.byteOffset, value.length);
  }
  return value instanceof Float64Array ? new BigUint64Array(value.buffer, value.byteOffset, value.length) : undefined;
}

function map(type: MapType): Write {
  const [key, write] = [writerOf(type.key), writerOf(type.value)];
  return (value) => {
    let out = "{";
    for (const [own, one] of sorted(ensured<ReadonlyMap<Key, unknown>>(value instanceof Map, value))) {
      const word = key(own);
      out += `${out === "{" ? "" : ","}${word.startsWith('"') ? word : `"${word}"`}:${write(one)}`; // keys are strings [JSON-4.6]
    }
    return `${out}}`;
  };
}

function enter(value: unknown): Readonly<Record<string, unknown>> {
  depth++;
  return ensured(depth <= limitDepth && isObject(value), value);
}

function record(type: StructType | MessageType): Write {
  const parts = once(() => type.fields().map((field, i) => ({
    field, property: propertyOf(field), before: `${i === 0 ? "" : ","}${quote(field[2]?.json ?? field[0])}:`, write: writerOf(field[1]),
  })));
  const keeps = type.kind === "message" && type.keep;
  return (value) => {
    const object = enter(value);
    let out = "{";
    for (const { field, property, before, write } of parts()) {
      out += before + write(object[property] ?? fieldOf(field, object));
    }
    const tail = keeps ? object["$unknown"] : undefined;
    if (tail !== undefined && ensured<Uint8Array>(tail instanceof Uint8Array, tail).length > 0) {
      out += `${out === "{" ? "" : ","}"$unknown":"${base64(tail as Uint8Array)}"`;
    }
    depth--;
    return `${out}}`;
  };
}

function union(type: UnionType): Write {
  const byKind = once(() => new Map<unknown, { before: string; write: Write }>(type.alternatives().map((item) => [
    kindOf(item), { before: `{${quote(item[3]?.json ?? item[0])}:`, write: item[2] === undefined ? none : writerOf(item[2]) },
  ])));
  return (value) => {
    const object = enter(value);
    const found = byKind().get(object["kind"]);
    const out = found === undefined ? unknown(type, object) : `${found.before}${found.write(object["value"])}}`;
    depth--;
    return out;
  };
}

const none: Write = () => "null";

/** An alternative that is not known [JSON-4.5]. */
function unknown(type: UnionType, value: Readonly<Record<string, unknown>>): string {
  alternativeOf(type, value, null); // which refuses what is none
  return `{"$unknown":{"tag":${value["tag"] as number},"payload":"${base64(value["payload"] as Uint8Array)}"}}`;
}
