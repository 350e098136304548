import { indexed, named, type Path, pathText, refusalOf, SdpError } from "./error.js";
import { arrayOf, loadSafe } from "./numbers.js";
import type { Limits } from "./reader.js";
import { type ErrorName, scalarBytes } from "./spec_gen.js";
import {
  type Alternative, type AnyType, type ArrayType, type EnumType, type Field, type ListType, type MapType,
  type MessageType, type ScalarType, segmentOf, type TextType, type Type, type UnionType, type Width,
} from "./type.js";

/** What the innermost window is known by: the refusal of an item that goes beyond it [WIRE-3.3]. */
type Window = "truncated" | "segment_partial" | "union_length";

/**
 * The refusal of bytes that a fast reader refused: a second reading, one item at a time in wire order
 * [WIRE-1.7], which makes no values. Undefined for bytes that are accepted.
 *
 * `short` is the length or count for which there was no memory.
 */
export function explain(
  type: Type, bytes: Uint8Array, at: number, end: number, limits: Limits, exact: boolean, prefix: boolean, short: number,
): SdpError | undefined {
  return refusalOf(() => new Walk(bytes, at, end, limits, exact, short).top(type, prefix));
}

class Walk {
  private readonly view: DataView;
  private readonly bytes: Uint8Array;
  private readonly start: number;
  private at: number;
  private end: number;
  private window: Window = "truncated";
  private readonly depth: number;
  private elements: number;
  private readonly exact: boolean;
  private readonly short: number;

  constructor(bytes: Uint8Array, at: number, end: number, limits: Limits, exact: boolean, short: number) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.start = at;
    this.at = at;
    this.end = end;
    this.depth = limits.depth;
    this.elements = limits.elements;
    this.exact = exact;
    this.short = short;
  }

  top(type: Type, prefix: boolean): void {
    if (type.kind === "message") {
      this.enter(null, 1);
      this.window = "segment_partial";
      this.body(type, null, 1);
    } else {
      this.value(type, null, 0);
    }
    if (!prefix && this.at < this.end) {
      this.refuse("trailing_bytes", this.at, null);
    }
  }

  private refuse(code: ErrorName, at: number, path: Path | null): never {
    throw new SdpError(code, at, pathText(path));
  }

  private enter(path: Path | null, depth: number): void {
    if (depth > this.depth) {
      this.refuse("limit_depth", this.at, path);
    }
    if (this.at === this.short && this.at !== this.start) {
      this.refuse("limit_memory_bytes", this.at, path);
    }
  }

  /** Takes an item, and returns where it is. */
  private item(size: number, path: Path | null): number {
    const at = this.at;
    if (size > this.end - at) {
      this.refuse(this.window, at, path);
    }
    this.at = at + size;
    return at;
  }

  private prefix(width: Width, max: number | undefined, path: Path | null): number {
    const at = this.item(width, path);
    const n = Number(unsigned(this.view, at, width));
    if (max !== undefined && n > max) {
      this.refuse("limit_max", at, path);
    }
    return n;
  }

  private length(width: Width, max: number | undefined, path: Path | null): number {
    const at = this.at;
    const n = this.prefix(width, max, path);
    if (n > this.end - this.at) {
      this.refuse("length_exceeds_input", at, path);
    }
    if (at === this.short) {
      this.refuse("limit_memory_bytes", at, path);
    }
    return n;
  }

  private count(type: ListType | MapType, path: Path | null): number {
    const at = this.at;
    const n = this.prefix(type.width, type.max, path);
    if (n * type.least > this.end - this.at) {
      this.refuse("count_exceeds_input", at, path);
    }
    this.charge(n, at, path);
    if (at === this.short) {
      this.refuse("limit_memory_bytes", at, path);
    }
    return n;
  }

  private charge(n: number, at: number, path: Path | null): void {
    if (n > this.elements) {
      this.refuse("limit_elements", at, path);
    }
    this.elements -= n;
  }

  /** Reads one value; `depth` is that of the aggregate around it. */
  private value(type: AnyType, path: Path | null, depth: number): void {
    switch (type.kind) {
      case "scalar":
        return this.scalar(type, path);
      case "enum":
        return this.enumeration(type, path);
      case "str":
      case "bytes":
        return this.text(type, path);
      case "list":
        return this.list(type, path, depth);
      case "array":
        return this.array(type, path, depth);
      case "optional": {
        const at = this.item(1, path);
        const presence = this.view.getUint8(at);
        if (presence > 1) {
          this.refuse("presence_invalid", at, path);
        }
        return presence === 1 ? this.value(type.element, path, depth) : undefined;
      }
      case "map":
        return this.map(type, path, depth);
      case "struct":
        this.enter(path, depth + 1);
        return this.fields(type.fields(), path, depth + 1);
      case "message":
        return this.message(type, path, depth + 1);
      case "union":
        return this.union(type, path, depth + 1);
    }
  }

  private scalar({ name, safe }: ScalarType, path: Path | null): void {
    const at = this.item(scalarBytes[name], path);
    if (name === "bool" && this.view.getUint8(at) > 1) {
      this.refuse("bool_invalid", at, path);
    }
    if ((this.exact && isLossy(this.view, at, name)) || (safe && !Number.isSafeInteger(loadSafe(this.view, at, name)))) {
      this.refuse("value_invalid", at, path);
    }
  }

  private enumeration(type: EnumType, path: Path | null): void {
    const at = this.item(scalarBytes[type.base], path);
    if (type.closed) {
      const number = integer(this.view, at, type.base);
      if (!type.members.some((m) => BigInt(m[1]) === number)) {
        this.refuse("enum_unknown", at, path);
      }
    }
  }

  private text(type: TextType, path: Path | null): void {
    const n = this.length(type.width, type.max, path);
    const at = this.item(n, path);
    if (type.kind === "str") {
      const bad = illFormed(this.bytes, at, at + n);
      if (bad >= 0) {
        this.refuse("utf8_invalid", bad, path);
      }
    }
  }

  private list(type: ListType, path: Path | null, depth: number): void {
    const n = this.count(type, path);
    if (arrayOf(type.element) !== undefined) {
      this.item(n * type.least, path);
      return;
    }
    for (let i = 0; i < n; i++) {
      this.value(type.element, indexed(path, i), depth);
    }
  }

  private array(type: ArrayType, path: Path | null, depth: number): void {
    const { element, count } = type;
    if (element.kind !== "scalar" && element.kind !== "enum") {
      this.charge(count, this.at, path);
    }
    if (this.at === this.short) {
      this.refuse("limit_memory_bytes", this.at, path);
    }
    for (let i = 0; i < count; i++) {
      if (element.kind === "scalar" && arrayOf(element) !== undefined) {
        this.item(scalarBytes[element.name], indexed(path, i)); // the bits of all numbers are kept
      } else {
        this.value(element, indexed(path, i), depth);
      }
    }
  }

  private map(type: MapType, path: Path | null, depth: number): void {
    const n = this.count(type, path);
    let before: Uint8Array | bigint | undefined;
    for (let i = 0; i < n; i++) {
      const at = this.at;
      const own = indexed(path, i, ".key");
      this.value(type.key, own, depth);
      const key = keyOf(type.key, this.view, this.bytes, at, this.at);
      if (before !== undefined && !isLess(before, key)) {
        this.refuse("map_order", at, own);
      }
      before = key;
      this.value(type.value, indexed(path, i, ".value"), depth);
    }
  }

  private fields(fields: readonly Field[], path: Path | null, depth: number): void {
    for (const [name, type] of fields) {
      this.value(type, named(path, name), depth);
    }
  }

  private message(type: MessageType, path: Path | null, depth: number): void {
    this.enter(path, depth);
    const n = this.bodyLength(path);
    const { end, window } = this;
    this.end = this.at + n;
    this.window = "segment_partial";
    this.body(type, path, depth);
    this.end = end;
    this.window = window;
  }

  /** The length of a body or payload, which asks for no memory. */
  private bodyLength(path: Path | null): number {
    const at = this.at;
    const n = this.prefix(4, undefined, path);
    if (n > this.end - this.at) {
      this.refuse("length_exceeds_input", at, path);
    }
    return n;
  }

  private body(type: MessageType, path: Path | null, depth: number): void {
    let segment = 1;
    for (const field of type.fields()) {
      if (segmentOf(field) !== segment) {
        segment = segmentOf(field);
        if (this.at === this.end) {
          if (this.exact) {
            this.refuse("segment_partial", this.at, path);
          }
          return;
        }
      }
      this.value(field[1], named(path, field[0]), depth);
    }
    if (this.at < this.end && this.exact) {
      this.refuse("trailing_bytes", this.at, path);
    }
    if (this.at < this.end && this.at === this.short) {
      this.refuse("limit_memory_bytes", this.at, path);
    }
    this.at = this.end;
  }

  private union(type: UnionType, path: Path | null, depth: number): void {
    this.enter(path, depth);
    const at = this.item(1, path);
    const tag = this.view.getUint8(at);
    const known = type.alternatives().find((a) => a[1] === tag);
    if (tag === 0 || (type.closed && known === undefined)) {
      this.refuse("union_unknown", at, path);
    }
    if (type.closed) {
      this.payload(known, path, depth);
      return;
    }
    const n = this.bodyLength(path);
    if (known === undefined) {
      if (at + 1 === this.short) {
        this.refuse("limit_memory_bytes", at + 1, path);
      }
      this.item(n, path);
      return;
    }
    const { end, window } = this;
    this.end = this.at + n;
    this.window = "union_length";
    this.payload(known, path, depth);
    if (this.at < this.end) {
      this.refuse("union_length", this.at, path);
    }
    this.end = end;
    this.window = window;
  }

  private payload(known: Alternative | undefined, path: Path | null, depth: number): void {
    if (known?.[2] !== undefined) {
      this.value(known[2], named(path, known[0]), depth);
    }
  }
}

function unsigned(view: DataView, at: number, width: number): bigint {
  switch (width) {
    case 1:
      return BigInt(view.getUint8(at));
    case 2:
      return BigInt(view.getUint16(at, true));
    case 4:
      return BigInt(view.getUint32(at, true));
    default:
      return view.getBigUint64(at, true);
  }
}

/** An integer of any width. */
function integer(view: DataView, at: number, name: keyof typeof scalarBytes): bigint {
  const width = scalarBytes[name];
  const bits = unsigned(view, at, width);
  return name.startsWith("i") ? BigInt.asIntN(8 * width, bits) : bits;
}

/** Whether a float is a NaN whose bits a number does not keep [WIRE-4.8]. */
function isLossy(view: DataView, at: number, name: keyof typeof scalarBytes): boolean {
  if (name === "f32") {
    const bits = view.getUint32(at, true);
    return (bits & 0x7fffffff) > 0x7f800000 && bits !== 0x7fc00000;
  }
  if (name === "f64") {
    const bits = view.getBigUint64(at, true);
    return (bits & 0x7fffffffffffffffn) > 0x7ff0000000000000n && bits !== 0x7ff8000000000000n;
  }
  return false;
}

/** What a key is compared by: its number, or the bytes of its text. */
export function keyOf(type: AnyType, view: DataView, bytes: Uint8Array, at: number, end: number): Uint8Array | bigint {
  if (type.kind === "str") {
    return bytes.subarray(at + type.width, end);
  }
  if (type.kind === "enum") {
    return integer(view, at, type.base);
  }
  return type.kind === "scalar" && type.name !== "bool" ? integer(view, at, type.name) : BigInt(view.getUint8(at));
}

/** Whether a key comes before another. */
export function isLess(a: Uint8Array | bigint, b: Uint8Array | bigint): boolean {
  if (typeof a === "bigint" || typeof b === "bigint") {
    return a < b;
  }
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    if (a[i] !== b[i]) {
      return (a[i] as number) < (b[i] as number);
    }
  }
  return a.length < b.length;
}

/** Where the longest well-formed UTF-8 ends; -1 if that is everything [WIRE-5.2]. */
export function illFormed(bytes: Uint8Array, at: number, end: number): number {
  while (at < end) {
    const first = bytes[at] as number;
    if (first < 0x80) {
      at++;
      while (at + 4 <= end && ((bytes[at] as number) | (bytes[at + 1] as number) | (bytes[at + 2] as number) | (bytes[at + 3] as number)) < 0x80) {
        at += 4; // most texts are ASCII
      }
      continue;
    }
    let more = 0;
    let low = 0x80;
    let high = 0xbf;
    if (first >= 0xc2 && first <= 0xdf) {
      more = 1;
    } else if (first >= 0xe0 && first <= 0xef) {
      more = 2;
      low = first === 0xe0 ? 0xa0 : 0x80;
      high = first === 0xed ? 0x9f : 0xbf;
    } else if (first >= 0xf0 && first <= 0xf4) {
      more = 3;
      low = first === 0xf0 ? 0x90 : 0x80;
      high = first === 0xf4 ? 0x8f : 0xbf;
    } else {
      return at;
    }
    for (let i = 1; i <= more; i++) {
      const next = at + i < end ? (bytes[at + i] as number) : 0;
      if (next < low || next > high) {
        return at;
      }
      low = 0x80;
      high = 0xbf;
    }
    at += 1 + more;
  }
  return -1;
}
