import { alternativeOf, checkBytes, checkDepth, checkText, ensure, fieldOf, isEnum, isList, isObject, isScalar } from "./check.js";
import { indexed, named, type Path } from "./error.js";
import { base64, durationText, floatText, quote, timestampText } from "./json_text.js";
import { type AnyType, isWide, type MessageType, type ScalarName, type StructType, type Type, type UnionType } from "./type.js";
import { sorted } from "./keys.js";

/** A value as canonical JSON: the same text in every language. */
export function toJson<T>(type: Type<T>, value: T): string {
  const out: string[] = [];
  write(out, type, value, null, 0);
  return out.join("");
}

function write(out: string[], type: AnyType, value: unknown, path: Path | null, depth: number): void {
  switch (type.kind) {
    case "scalar":
      ensure(isScalar(type, value), path, type, value);
      out.push(scalarText(type.name, value));
      return;
    case "enum": {
      ensure(isEnum(type, value), path, type, value);
      const member = type.members.find((m) => m[1] === value);
      out.push(member === undefined ? integerText(type.base, value) : quote(member[2] ?? member[0]));
      return;
    }
    case "str":
      checkText(type, value, path);
      out.push(quote(value));
      return;
    case "bytes":
      ensure(value instanceof Uint8Array, path, type, value);
      out.push(`"${base64(value)}"`);
      return;
    case "list":
    case "array":
      ensure(isList(type, value), path, type, value);
      return elements(out, type.element, value, path, depth);
    case "optional":
      if (value === null || value === undefined) {
        out.push("null");
        return;
      }
      return write(out, type.element, value, path, depth);
    case "map":
      ensure(value instanceof Map, path, type, value);
      return enclosed(out, "{", "}", sorted(value), ([key, one], i) => {
        write(out, type.key, key, indexed(path, i, ".key"), depth);
        const word = out.pop() as string;
        out.push(word.startsWith('"') ? word : quote(word), ":"); // keys are strings [JSON-4.6]
        write(out, type.value, one, indexed(path, i, ".value"), depth);
      });
    case "struct":
    case "message":
      return record(out, type, value, path, depth + 1);
    case "union":
      return union(out, type, value, path, depth + 1);
  }
}

/** Writes parts between brackets, with commas between them. */
function enclosed<P>(out: string[], open: string, close: string, parts: readonly P[], each: (part: P, i: number) => void): void {
  out.push(open);
  parts.forEach((part, i) => {
    if (i > 0) {
      out.push(",");
    }
    each(part, i);
  });
  out.push(close);
}

function elements(out: string[], element: AnyType, value: ArrayLike<unknown>, path: Path | null, depth: number): void {
  const bits = bitsOf(value);
  enclosed(out, "[", "]", Array.from(value), (one, i) => {
    if (bits !== undefined && one !== one) {
      out.push(floatText(Number.NaN, bits instanceof Uint32Array ? 4 : 8, BigInt(bits[i] as number)));
    } else {
      write(out, element, one, indexed(path, i), depth);
    }
  });
}

/** The bits of an array of floats, which keeps those of NaNs. */
function bitsOf(value: unknown): Uint32Array | BigUint64Array | undefined {
  if (value instanceof Float32Array) {
    return new Uint32Array(value.buffer, value.byteOffset, value.length);
  }
  return value instanceof Float64Array ? new BigUint64Array(value.buffer, value.byteOffset, value.length) : undefined;
}

function scalarText(name: ScalarName, value: unknown): string {
  switch (name) {
    case "bool":
      return String(value);
    case "f32":
      return floatText(Math.fround(value as number), 4);
    case "f64":
      return floatText(value as number, 8);
    case "timestamp":
      return `"${timestampText(value as bigint)}"`;
    case "duration":
      return `"${durationText(value as bigint)}"`;
    case "uuid":
      return `"${(value as string).toLowerCase()}"`;
    default:
      return integerText(name, value);
  }
}

/** An integer: those of 64 bits are strings [JSON-2.2]. */
function integerText(name: ScalarName, value: unknown): string {
  const text = String(value); // that of -0 is 0, too
  return isWide(name) ? `"${text}"` : text;
}

function record(out: string[], type: StructType | MessageType, value: unknown, path: Path | null, depth: number): void {
  const all = type.fields();
  checkDepth(path, depth);
  ensure(isObject(value), path, type, value);
  enclosed(out, "{", "", all, (field) => {
    out.push(quote(field[2]?.json ?? field[0]), ":");
    write(out, field[1], fieldOf(field, value), named(path, field[0]), depth);
  });
  const tail = type.kind === "message" && type.keep ? value["$unknown"] : undefined;
  if (tail !== undefined) {
    checkBytes(tail, path);
    if (tail.length > 0) {
      out.push(all.length > 0 ? "," : "", `"$unknown":"${base64(tail)}"`);
    }
  }
  out.push("}");
}

function union(out: string[], type: UnionType, value: unknown, path: Path | null, depth: number): void {
  checkDepth(path, depth);
  const known = alternativeOf(type, value, path);
  if (known === undefined) {
    const { tag, payload } = value as { tag: number; payload: Uint8Array };
    out.push(`{"$unknown":{"tag":${tag},"payload":"${base64(payload)}"}}`);
    return;
  }
  out.push("{", quote(known[3]?.json ?? known[0]), ":");
  if (known[2] === undefined) {
    out.push("null");
  } else {
    write(out, known[2], (value as { value: unknown }).value, named(path, known[0]), depth);
  }
  out.push("}");
}
