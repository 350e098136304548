import { indexed, memberPath, type Path, pathText, refusalOf, SdpError } from "./error.js";
import { arrayOf, isNumber, loadSafe, numbers } from "./numbers.js";
import type { Limits } from "./reader.js";
import { type ErrorName, scalarBytes } from "./spec_gen.js";
import {
  type Alternative, type AnyType, type EnumType, type Field, type ListType, type MapType,
  type MessageType, type ScalarType, segmentOf, type TextType, type Type, type UnionType, type Width,
} from "./type.js";

/** The refusal of an item that goes beyond the innermost window [WIRE-3.3]. It identifies the window. */
type Window = "truncated" | "segment_partial" | "union_length";

/**
 * The refusal of bytes that a fast reader refused: a second reading, one item at a time in wire order
 * [WIRE-1.7], which makes no values. Undefined for bytes that are accepted.
 *
 * `short` is the length or count for which there was no memory.
 */
export function explain(
  type: Type, bytes: Uint8Array, offset: number, end: number, limits: Limits, exact: boolean, prefix: boolean, short: number,
): SdpError | undefined {
  return refusalOf(() => new Walk(bytes, offset, end, limits, exact, short).top(type, prefix));
}

class Walk {
  private readonly view: DataView;
  private readonly bytes: Uint8Array;
  private readonly start: number;
  private at: number;
  private end: number;
  private window: Window = "truncated";
  private readonly depth: number;
  private left: number;
  private readonly exact: boolean;
  private readonly short: number;

  constructor(bytes: Uint8Array, offset: number, end: number, limits: Limits, exact: boolean, short: number) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.start = offset;
    this.at = offset;
    this.end = end;
    this.depth = limits.depth;
    this.left = limits.elements;
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

  private refuse(code: ErrorName, offset: number, path: Path | null): never {
    throw new SdpError(code, offset, pathText(path));
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
    const n = width === 4 ? this.view.getUint32(at, true) : width === 2 ? this.view.getUint16(at, true) : this.view.getUint8(at);
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
    this.charge(0, at, path);
    return n;
  }

  private count(type: ListType | MapType, path: Path | null): number {
    const at = this.at;
    const n = this.prefix(type.width, type.max, path);
    if (n * type.least > this.end - this.at) {
      this.refuse("count_exceeds_input", at, path);
    }
    this.charge(n, at, path);
    return n;
  }

  /** Takes elements from their budget, and asks for memory. */
  private charge(elements: number, offset: number, path: Path | null): void {
    if (elements > this.left) {
      this.refuse("limit_elements", offset, path);
    }
    this.left -= elements;
    if (offset === this.short) {
      this.refuse("limit_memory_bytes", offset, path);
    }
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
        return this.elements(type.element, this.count(type, path), path, depth);
      case "array":
        this.charge(type.element.kind === "scalar" || type.element.kind === "enum" ? 0 : type.count, this.at, path);
        return this.elements(type.element, type.count, path, depth);
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
      const number = numbers[type.base].load(this.view, at);
      if (!type.members.some((m) => m[1] === number)) {
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

  /** Reads elements; of numbers, whose bits arrays keep, only the first that does not fit is looked at. */
  private elements(element: AnyType, n: number, path: Path | null, depth: number): void {
    let i = 0;
    const array = arrayOf(element);
    if (array !== undefined) {
      i = Math.min(n, Math.floor((this.end - this.at) / array.BYTES_PER_ELEMENT));
      this.at += i * array.BYTES_PER_ELEMENT;
    }
    for (; i < n; i++) {
      this.value(element, indexed(path, i), depth);
    }
  }

  private map(type: MapType, path: Path | null, depth: number): void {
    const n = this.count(type, path);
    let before: Order | undefined;
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
      this.value(type, memberPath(path, name), depth);
    }
  }

  private message(type: MessageType, path: Path | null, depth: number): void {
    const { at, end, window } = this;
    this.enter(path, depth);
    const n = this.length(4, undefined, path);
    if (this.at === this.short) {
      this.refuse("limit_memory_bytes", at, path); // readers enter a message in its window
    }
    this.end = this.at + n;
    this.window = "segment_partial";
    this.body(type, path, depth);
    this.end = end;
    this.window = window;
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
      this.value(field[1], memberPath(path, field[0]), depth);
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
    const n = this.length(4, undefined, path);
    if (known === undefined) {
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

  private payload(alternative: Alternative | undefined, path: Path | null, depth: number): void {
    if (alternative?.[2] !== undefined) {
      this.value(alternative[2], memberPath(path, alternative[0]), depth);
    }
  }
}

/** Whether a float is a NaN whose bits a number does not keep [WIRE-4.8]. */
function isLossy(view: DataView, offset: number, name: keyof typeof scalarBytes): boolean {
  if (name === "f32") {
    return Number.isNaN(view.getFloat32(offset, true)) && view.getUint32(offset, true) !== 0x7fc00000;
  }
  return name === "f64" && Number.isNaN(view.getFloat64(offset, true)) && view.getBigUint64(offset, true) !== 0x7ff8000000000000n;
}

/** The order of a key: its number, or the bytes of its text. */
export type Order = Uint8Array | number | bigint;

/** The order of the key at a place. */
export function keyOf(type: AnyType, view: DataView, bytes: Uint8Array, offset: number, end: number): Order {
  if (type.kind === "str") {
    return bytes.subarray(offset + type.width, end);
  }
  if (type.kind === "enum") {
    return numbers[type.base].load(view, offset);
  }
  return isNumber(type) ? numbers[type.name].load(view, offset) : view.getUint8(offset);
}

/** Whether a key comes before another. */
export function isLess(a: Order, b: Order): boolean {
  if (!(a instanceof Uint8Array && b instanceof Uint8Array)) {
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
export function illFormed(bytes: Uint8Array, offset: number, end: number): number {
  while (offset < end) {
    const first = bytes[offset] as number;
    if (first < 0x80) {
      offset++;
      while (offset + 4 <= end && ((bytes[offset] as number) | (bytes[offset + 1] as number) | (bytes[offset + 2] as number) | (bytes[offset + 3] as number)) < 0x80) {
        offset += 4; // most texts are ASCII
      }
      continue;
    }
    if (first < 0xc2 || first > 0xf4) {
      return offset;
    }
    const more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    for (let i = 1; i <= more; i++) {
      const next = offset + i < end ? (bytes[offset + i] as number) : 0;
      if (next < low || next > high) {
        return offset;
      }
      low = 0x80;
      high = 0xbf;
    }
    offset += 1 + more;
  }
  return -1;
}
