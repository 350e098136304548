import { rangeOf } from "./check.js";
import { indexed, memberPath, type Path, pathText, refused, SdpError } from "./error.js";
import { readFast } from "./json_fast.js";
import { type JsonMember, type Node, scan } from "./json_scan.js";
import { readBase64, readDuration, readFloat, readInteger, readSpecial, readTimestamp } from "./json_text.js";
import { missing, numbersOf } from "./defaults.js";
import { limitDepth } from "./spec_gen.js";
import {
  type AnyType, type ArrayType, type EnumType, type Field, isWide, kindOf, type ListType, type MapType, type MessageType,
  propertyOf, type ScalarName, segmentOf, type StructType, type Type, type UnionType, type Unknown,
} from "./type.js";
import { illFormed } from "./walk.js";
import { isLoneSurrogate, uuidForm } from "./writer.js";

const unknownKey = "$unknown";

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a value from JSON: a text, or its UTF-8. Refusals have offsets in bytes of UTF-8. */
export function fromJson<T>(type: Type<T>, text: string | Uint8Array): T {
  const known = typeof text === "string" ? text : decoded(text);
  try {
    return readFast(type, known) as T;
  } catch (error) {
    if (error !== refused) {
      throw error;
    }
  }
  return explained(type, known);
}

/** Reads a value with the places of all that is in the text, so that what is refused has one; it also reads what is rare. */
export function explained<T>(type: Type<T>, text: string): T {
  const known = beforeSurrogate(text);
  try {
    return read(type, scan(known), null, 0) as T;
  } catch (error) {
    if (error instanceof SdpError) {
      const before = new TextEncoder().encode(known.slice(0, error.offset));
      throw new SdpError(error.code, before.length, error.path);
    }
    throw error;
  }
}

/** A character that is refused wherever it stands. */
const nowhere = "\0";

function beforeSurrogate(text: string): string {
  const lone = text.search(isLoneSurrogate);
  return lone < 0 ? text : text.slice(0, lone) + nowhere;
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // the decoder does not say where
  }
  const bad = illFormed(bytes, 0, bytes.length);
  return bad < 0 ? utf8.decode(bytes) : utf8.decode(bytes.subarray(0, bad)) + nowhere;
}

function refuse(offset: number, path: Path | null): never {
  throw new SdpError("json_invalid", offset, pathText(path));
}

/** The value that was read, or a refusal if there is none. */
function defined<V>(value: V | undefined, node: Node, path: Path | null): V {
  return value === undefined ? refuse(node.at, path) : value;
}

function textOf(node: Node, path: Path | null): string {
  return node.kind === "string" ? node.text : refuse(node.at, path);
}

function membersOf(node: Node, path: Path | null): readonly JsonMember[] {
  return node.kind === "object" ? node.members : refuse(node.at, path);
}

function read(type: AnyType, node: Node, path: Path | null, depth: number): unknown {
  switch (type.kind) {
    case "scalar": {
      const value = defined(scalar(type.name, node), node, path);
      return type.safe ? exact(value as bigint, node, path) : value;
    }
    case "enum": {
      const isText = node.kind === "string";
      return defined(isText || node.kind === "number" ? numberOf(type, node.text, isText) : undefined, node, path);
    }
    case "str":
      return textOf(node, path);
    case "bytes":
      return defined(readBase64(textOf(node, path)), node, path);
    case "list":
    case "array":
      return elements(type, node, path, depth);
    case "optional":
      return node.kind === "null" ? null : read(type.element, node, path, depth);
    case "map":
      return map(type, node, path, depth);
    default:
      if (depth >= limitDepth) {
        refuse(node.at, path);
      }
      return type.kind === "union" ? union(type, node, path, depth + 1) : record(type, node, path, depth + 1);
  }
}

/** An integer of 64 bits as a number, which must be exact. */
function exact(value: bigint, node: Node, path: Path | null): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw new SdpError("value_invalid", node.at, pathText(path));
  }
  return number;
}

/** A number of the type's width. */
function integer(name: ScalarName, text: string): number | bigint | undefined {
  const value = readInteger(text, ...rangeOf(name));
  return value === undefined || isWide(name) ? value : Number(value);
}

function scalar(name: ScalarName, node: Node): unknown {
  if (name === "bool") {
    return node.kind === "bool" ? node.value : undefined;
  }
  if (node.kind !== "number" && node.kind !== "string") {
    return undefined;
  }
  const { text } = node;
  const isText = node.kind === "string";
  switch (name) {
    case "f32":
    case "f64": {
      const width = name === "f32" ? 4 : 8;
      return isText ? readSpecial(text, width)?.value : readFloat(text, width);
    }
    case "timestamp":
      return isText ? readTimestamp(text) : undefined;
    case "duration":
      return isText ? readDuration(text) : undefined;
    case "uuid":
      return isText && uuidForm.test(text) ? text.toLowerCase() : undefined;
    default:
      return integer(name, text);
  }
}

/** The number of an enum by a member's name or by its digits [JSON-2.14]. */
function numberOf(type: EnumType, text: string, isText: boolean): number | bigint | undefined {
  const byName = isText ? type.members.find((m) => (m[2] ?? m[0]) === text) : undefined;
  if (byName !== undefined) {
    return byName[1];
  }
  const number = integer(type.base, text);
  return type.closed && !type.members.some((m) => m[1] === number) ? undefined : number;
}

function elements(type: ListType | ArrayType, node: Node, path: Path | null, depth: number): unknown {
  if (node.kind !== "array") {
    refuse(node.at, path);
  }
  const { element } = type;
  const count = type.kind === "array" ? type.count : undefined;
  const numbers = numbersOf(element, count ?? node.elements.length);
  const values: unknown[] = [];
  node.elements.forEach((item, i) => {
    const own = indexed(path, i);
    if (i === count) {
      refuse(item.at, own);
    }
    const value = read(element, item, own, depth);
    if (numbers === undefined) {
      values.push(value);
    } else {
      numbers[i] = value as never;
      if (value !== value) {
        keepNan(numbers, i, item);
      }
    }
  });
  if (count !== undefined && node.elements.length < count) {
    refuse(node.at, path);
  }
  return numbers ?? values;
}

/** Writes the bits of a NaN, which an array keeps. */
function keepNan(numbers: ArrayBufferView, i: number, node: Node): void {
  const width = numbers instanceof Float32Array ? 4 : 8;
  const bits = readSpecial((node as { text: string }).text, width)?.bits ?? 0n;
  if (width === 4) {
    new Uint32Array(numbers.buffer)[i] = Number(bits);
  } else {
    new BigUint64Array(numbers.buffer)[i] = bits;
  }
}

function map(type: MapType, node: Node, path: Path | null, depth: number): Map<unknown, unknown> {
  const value = new Map<unknown, unknown>();
  membersOf(node, path).forEach((member, i) => {
    const own = indexed(path, i, ".key");
    const key = read(type.key, keyNode(type.key, member), own, depth);
    if (value.has(key)) {
      refuse(member.at, own);
    }
    value.set(key, read(type.value, member.value, indexed(path, i, ".value"), depth));
  });
  return value;
}

/** A key as the value that it stands for: that of a bool is its word [JSON-4.6]. */
function keyNode(type: AnyType, { key, at }: JsonMember): Node {
  const isWord = type.kind === "scalar" && type.name === "bool" && (key === "true" || key === "false");
  return isWord ? { kind: "bool", at, value: key === "true" } : { kind: "string", at, text: key };
}

/** A struct, message or inline alternative [JSON-4.1] [JSON-5.1] to [JSON-5.4]. */
function record(type: StructType | MessageType, node: Node, path: Path | null, depth: number): Record<string, unknown> {
  const fields = type.fields();
  const byKey = new Map<string, Field>(fields.map((f) => [f[2]?.json ?? f[0], f]));
  const there = new Map<Field, unknown>();
  let tail: Uint8Array | undefined;
  for (const member of membersOf(node, path)) {
    const field = byKey.get(member.key);
    if (field !== undefined) {
      const own = memberPath(path, field[0]);
      if (there.has(field)) {
        refuse(member.at, own);
      }
      there.set(field, read(field[1], member.value, own, depth));
    } else if (type.kind === "message" && type.keep && member.key === unknownKey) {
      if (tail !== undefined) {
        refuse(member.at, path);
      }
      tail = defined(readBase64(textOf(member.value, path)), member.value, path);
    } else if (type.kind === "struct") {
      refuse(member.at, path);
    }
  }
  const value: Record<string, unknown> = {};
  for (const field of fields) {
    value[propertyOf(field)] = there.has(field) ? there.get(field) : absent(field, node, path);
  }
  if (tail !== undefined && tail.length > 0) {
    value[unknownKey] = tail;
  }
  return value;
}

/** The value of a field without a member [JSON-5.2]. */
function absent(field: Field, node: Node, path: Path | null): unknown {
  if (segmentOf(field) > 1) {
    return missing(field);
  }
  return field[1].kind === "optional" ? null : refuse(node.at, memberPath(path, field[0]));
}

/** A union: an object with one member [JSON-4.3]. */
function union(type: UnionType, node: Node, path: Path | null, depth: number): unknown {
  const [first, second] = membersOf(node, path);
  if (first === undefined) {
    refuse(node.at, path);
  }
  const value = alternative(type, first, path, depth);
  if (second !== undefined) {
    refuse(second.at, path);
  }
  return value;
}

function alternative(type: UnionType, member: JsonMember, path: Path | null, depth: number): unknown {
  if (member.key === unknownKey && !type.closed) {
    return unknown(type, member.value, path);
  }
  const found = type.alternatives().find((a) => (a[3]?.json ?? a[0]) === member.key) ?? refuse(member.at, path);
  const own = memberPath(path, found[0]);
  if (found[2] !== undefined) {
    return { kind: kindOf(found), value: read(found[2], member.value, own, depth) };
  }
  return member.value.kind === "null" ? { kind: kindOf(found) } : refuse(member.value.at, own);
}

/** The content of `$unknown`, in which every refusal has the union's path [JSON-4.5] [JSON-6.3]. */
function unknown(type: UnionType, node: Node, path: Path | null): Unknown {
  let tag: number | undefined;
  let payload: Uint8Array | undefined;
  for (const { key, at, value } of membersOf(node, path)) {
    if (key === "tag" && tag === undefined) {
      tag = value.kind === "number" || value.kind === "string" ? (integer("u8", value.text) as number) : 0;
      if (tag === 0 || tag === undefined || type.alternatives().some((a) => a[1] === tag)) {
        refuse(value.at, path);
      }
    } else if (key === "payload" && payload === undefined) {
      payload = defined(readBase64(textOf(value, path)), value, path);
    } else {
      refuse(at, path);
    }
  }
  return tag === undefined || payload === undefined ? refuse(node.at, path) : { kind: unknownKey, tag, payload };
}
