import { refused } from "./error.js";
import { isBefore, type Key } from "./keys.js";
import type { Unknown, Width } from "./type.js";

/** The budgets of one decode. */
export interface Limits {
  /** The longest slice, or payload of message mode, in bytes. */
  messageBytes: number;
  /** The counts of all lists and maps together, and of arrays whose elements are no scalars. */
  elements: number;
  /** How deep structs, messages, unions and alternatives may lie in each other. */
  depth: number;
  /** The memory of one decode, in bytes, by an estimate for its values. */
  memoryBytes: number;
}

/** The arrays of numbers that lists are read into. */
export type Numbers =
  | Uint8Array | Uint16Array | Uint32Array | BigUint64Array
  | Int8Array | Int16Array | Int32Array | BigInt64Array
  | Float32Array | Float64Array;

/** The constructor of such an array. */
export interface NumbersOf<T extends Numbers> {
  readonly BYTES_PER_ELEMENT: number;
  new (from: number | ArrayBuffer): T;
}

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whether numbers lie in memory as they do on the wire. */
export const isLittleEndian: boolean = /* @__PURE__ */ new Uint8Array(/* @__PURE__ */ new Uint16Array([1]).buffer)[0] === 1;

/** Turns the bytes of each number round, on machines that have them the other way. */
export function swap(bytes: Uint8Array, width: number): void {
  for (let at = 0; at < bytes.length; at += width) {
    bytes.subarray(at, at + width).reverse();
  }
}

/** The memory that a text, a list, and so on, are taken to need beside their items, in bytes. The compiler has the same numbers. */
const textBytes = 24;
const listBytes = 32;
const numbersBytes = 208;

/** Texts up to this length are looked at byte by byte: most are ASCII, and a TextDecoder begins slowly. */
const shortText = 40;

function exact(value: number): number {
  if (!Number.isSafeInteger(value)) {
    throw refused;
  }
  return value;
}

/** A text of n bytes, if all of them are ASCII: eight at a time, since each call makes a string. */
function shortAscii(bytes: Uint8Array, offset: number, n: number): string | undefined {
  let text = "";
  let all = 0;
  let i = offset;
  const end = offset + n;
  for (; i + 8 < end; i += 8) {
    const a = bytes[i] as number;
    const b = bytes[i + 1] as number;
    const c = bytes[i + 2] as number;
    const d = bytes[i + 3] as number;
    const e = bytes[i + 4] as number;
    const f = bytes[i + 5] as number;
    const g = bytes[i + 6] as number;
    const h = bytes[i + 7] as number;
    all |= a | b | c | d | e | f | g | h;
    text += String.fromCharCode(a, b, c, d, e, f, g, h);
  }
  const last = ascii(bytes, i, end - i);
  return all > 127 || last === undefined ? undefined : text + last;
}

/** A text of at most eight bytes, if all of them are ASCII. */
function ascii(bytes: Uint8Array, offset: number, n: number): string | undefined {
  if (n === 0) {
    return "";
  }
  const a = bytes[offset] as number;
  if (n === 1) {
    return a > 127 ? undefined : String.fromCharCode(a);
  }
  const b = bytes[offset + 1] as number;
  if (n === 2) {
    return (a | b) > 127 ? undefined : String.fromCharCode(a, b);
  }
  const c = bytes[offset + 2] as number;
  if (n === 3) {
    return (a | b | c) > 127 ? undefined : String.fromCharCode(a, b, c);
  }
  const d = bytes[offset + 3] as number;
  if (n === 4) {
    return (a | b | c | d) > 127 ? undefined : String.fromCharCode(a, b, c, d);
  }
  const e = bytes[offset + 4] as number;
  if (n === 5) {
    return (a | b | c | d | e) > 127 ? undefined : String.fromCharCode(a, b, c, d, e);
  }
  const f = bytes[offset + 5] as number;
  if (n === 6) {
    return (a | b | c | d | e | f) > 127 ? undefined : String.fromCharCode(a, b, c, d, e, f);
  }
  const g = bytes[offset + 6] as number;
  if (n === 7) {
    return (a | b | c | d | e | f | g) > 127 ? undefined : String.fromCharCode(a, b, c, d, e, f, g);
  }
  const h = bytes[offset + 7] as number;
  return (a | b | c | d | e | f | g | h) > 127 ? undefined : String.fromCharCode(a, b, c, d, e, f, g, h);
}

/**
 * The bytes of one decode, and where it is. Generated code reads by it; what is refused throws, and
 * does not say what it is.
 */
export class Reader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  private readonly start: number;
  /** The next byte, and the end of the innermost window. */
  at: number;
  end: number;
  depth: number;
  elements: number;
  memory: number;
  /** The length or count for which there was no memory; -1 for none. */
  short = -1;

  /** Reads `bytes` from `at` to `end`. */
  constructor(bytes: Uint8Array, offset: number, end: number, limits: Limits) {
    // A subclass, as Node's Buffer is, has a slice of its own that copies nothing.
    this.bytes =
      bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.start = offset;
    this.at = offset;
    this.end = end;
    this.depth = limits.depth;
    this.elements = limits.elements;
    this.memory = limits.memoryBytes;
  }

  /** Begins a struct, message or union, which is taken to need so much memory. */
  enter(cost: number): void {
    if (--this.depth < 0) {
      throw refused;
    }
    if (this.at !== this.start) {
      this.charge(cost, this.at); // the value as a whole is the caller's
    }
  }

  /** Ends it. */
  leave(): void {
    this.depth++;
  }

  /** Passes over n bytes, and returns where they are. */
  take(n: number): number {
    const at = this.at;
    if (n > this.end - at) {
      throw refused;
    }
    this.at = at + n;
    return at;
  }

  bool(offset: number): boolean {
    const value = this.bytes[offset] as number;
    if (value > 1) {
      throw refused;
    }
    return value === 1;
  }

  /** An integer of 64 bits as a number, which must be exact. */
  safeU64(offset: number): number {
    return exact(this.view.getUint32(offset + 4, true) * 4294967296 + this.view.getUint32(offset, true));
  }

  safeI64(offset: number): number {
    return exact(this.view.getInt32(offset + 4, true) * 4294967296 + this.view.getUint32(offset, true));
  }

  uuid(offset: number): string {
    const b = this.bytes;
    let text = "";
    for (let i = offset; i < offset + 16; i++) {
      text += hex[b[i] as number] as string;
    }
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
  }

  /** Whether an optional is there. */
  present(): boolean {
    return this.bool(this.take(1));
  }

  /** Compares a map's key with the previous key, and refuses a key out of order. */
  order(previous: Key | undefined, key: Key): void {
    if (previous !== undefined && !isBefore(previous, key)) {
      throw refused;
    }
  }

  /** Takes elements of arrays, which stand in no count, from their budget. */
  spend(elements: number): void {
    if (elements > this.elements) {
      throw refused;
    }
    this.elements -= elements;
  }

  /** A length or count. */
  prefix(width: Width): number {
    const at = this.take(width);
    return width === 4
      ? this.view.getUint32(at, true)
      : width === 2
        ? this.view.getUint16(at, true)
        : this.view.getUint8(at);
  }

  private charge(bytes: number, offset: number): void {
    if (bytes > this.memory) {
      this.short = offset;
      throw refused;
    }
    this.memory -= bytes;
  }

  private length(width: Width, max: number, factor: number, own: number): number {
    const at = this.at;
    const n = this.prefix(width);
    if (n > max || n > this.end - this.at) {
      throw refused;
    }
    this.charge(n * factor + own, at);
    return n;
  }

  /** A count of elements that take `least` bytes or more, and are taken to need `cost` bytes of memory. */
  count(width: Width, least: number, cost: number, max = 4294967295): number {
    const at = this.at;
    const n = this.counted(width, least, max);
    this.charge(n * cost + listBytes, at);
    return n;
  }

  /** A count of elements that need no memory. */
  counted(width: Width, least: number, max: number): number {
    const n = this.prefix(width);
    if (n > max || n * least > this.end - this.at) {
      throw refused;
    }
    this.spend(n);
    return n;
  }

  text(width: Width, max = 4294967295): string {
    const n = this.length(width, max, 2, textBytes);
    const at = this.at;
    this.at = at + n;
    if (n <= shortText) {
      const text = n <= 8 ? ascii(this.bytes, at, n) : shortAscii(this.bytes, at, n);
      if (text !== undefined) {
        return text;
      }
    }
    return this.decode(at, n);
  }

  private decode(offset: number, n: number): string {
    try {
      return utf8.decode(this.bytes.subarray(offset, offset + n));
    } catch {
      throw refused;
    }
  }

  blob(width: Width, output: Uint8Array | null | undefined, max = 4294967295): Uint8Array {
    const n = this.length(width, max, 1, numbersBytes);
    const at = this.at;
    this.at = at + n;
    return this.copy(Uint8Array, at, n, output);
  }

  /** The next n bytes, which are not copied. */
  shared(n: number): Uint8Array {
    const at = this.take(n);
    return this.bytes.subarray(at, at + n);
  }

  /** A list of numbers. */
  numbers<T extends Numbers>(array: NumbersOf<T>, width: Width, target: T | null | undefined, max = 4294967295): T {
    const at = this.at;
    const size = array.BYTES_PER_ELEMENT;
    const n = this.counted(width, size, max);
    this.charge(n * size + numbersBytes, at);
    return this.copy(array, this.take(n * size), n * size, target);
  }

  /** An array of numbers, whose count is not on the wire. */
  fixed<T extends Numbers>(array: NumbersOf<T>, n: number, target?: T | null): T {
    const size = array.BYTES_PER_ELEMENT;
    const at = this.take(n * size);
    this.charge(n * size + numbersBytes, at);
    return this.copy(array, at, n * size, target);
  }

  /** Numbers, in an array that is there if that has as many. */
  private copy<T extends Numbers>(array: NumbersOf<T>, offset: number, size: number, target: T | null | undefined): T {
    const again = target instanceof array && target.byteLength === size;
    const copy = again ? new Uint8Array(target.buffer, target.byteOffset, size) : this.bytes.slice(offset, offset + size);
    if (again) {
      copy.set(this.bytes.subarray(offset, offset + size));
    }
    if (!isLittleEndian) {
      swap(copy, array.BYTES_PER_ELEMENT);
    }
    return again ? target : new array(copy.buffer as ArrayBuffer);
  }

  /** An array that is there, with at most n elements. */
  cut<T>(target: T[] | null | undefined, n: number): T[] | null | undefined {
    if (target !== undefined && target !== null && target.length > n) {
      target.length = n;
    }
    return target;
  }

  /** Begins a message's body, or an open union's payload, and returns the end of the window around it. */
  window(): number {
    const n = this.prefix(4);
    const outer = this.end;
    if (n > outer - this.at) {
      throw refused;
    }
    this.end = this.at + n;
    return outer;
  }

  /** Ends a payload, of which nothing may be left. */
  close(outer: number): void {
    if (this.at !== this.end) {
      throw refused;
    }
    this.end = outer;
  }

  /** Whether the body goes on: whether it has the next segment. */
  more(): boolean {
    return this.at !== this.end;
  }

  /** Passes over what a message has behind the segments that are known. */
  skip(): void {
    this.at = this.end;
  }

  /** The bytes of a message behind its known segments; nothing where there are none. */
  tail(): Uint8Array | undefined {
    return this.at === this.end ? undefined : this.rest(this.at);
  }

  /** The rest of the window; a lack of memory is refused at the length's place. */
  private rest(size: number): Uint8Array {
    const at = this.at;
    this.at = this.end;
    this.charge(this.end - at + numbersBytes, size);
    return this.bytes.slice(at, this.end);
  }

  /** The payload of an alternative that is not known. */
  unknown(tag: number): Unknown {
    if (tag === 0) {
      throw refused;
    }
    return { kind: "$unknown", tag, payload: this.rest(this.at - 4) };
  }
}

/** Gives a value the tail that was read into it; for generated code. */
export function keep(target: { $unknown?: Uint8Array }, tail: Uint8Array | undefined): void {
  if (tail === undefined) {
    delete target.$unknown;
  } else {
    target.$unknown = tail;
  }
}

const hex: readonly string[] = /* @__PURE__ */ Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
