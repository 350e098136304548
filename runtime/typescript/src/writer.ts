import { refused } from "./error.js";
import { type Key, sorted } from "./keys.js";
import { isLittleEndian, type Numbers, type NumbersOf, swap } from "./reader.js";
import { limitDepth } from "./spec_gen.js";
import type { Unknown, Width } from "./type.js";

const utf8 = /* @__PURE__ */ new TextEncoder();

/** Texts up to this length are written character by character, since most are ASCII. */
const shortText = 48;

/** How much memory a writer keeps for the next encoding. */
const keptBytes = 1 << 20;

/**
 * The bytes of one encoding, in memory that grows. Generated code writes by it; what has no encoding
 * throws, and is not said.
 */
export class Writer {
  bytes: Uint8Array;
  view: DataView;
  /** How many bytes are written. */
  at = 0;
  /** How deep values may still lie in each other; no option changes the limit [WIRE-9.4]. */
  private depth = limitDepth as number;

  constructor() {
    this.bytes = new Uint8Array(1024);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Begins another encoding, behind what is kept free for a header. */
  begin(header: number): void {
    this.at = header;
    this.depth = limitDepth;
    if (this.bytes.length > keptBytes) {
      this.bytes = new Uint8Array(1024);
      this.view = new DataView(this.bytes.buffer);
    }
  }

  /** Makes room for n bytes, and returns where they are. */
  room(n: number): number {
    const at = this.at;
    if (at + n > this.bytes.length) {
      this.grow(at + n);
    }
    this.at = at + n;
    return at;
  }

  private grow(least: number): void {
    const bytes = new Uint8Array(Math.max(least, 2 * this.bytes.length));
    bytes.set(this.bytes.subarray(0, this.at));
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }

  enter(): void {
    if (--this.depth < 0) {
      throw refused;
    }
  }

  leave(): void {
    this.depth++;
  }

  /** A struct or message without fields. */
  empty(value: object): void {
    if (typeof value !== "object" || value === null) {
      throw refused;
    }
  }

  bool(offset: number, value: boolean): void {
    if (typeof value !== "boolean") {
      throw refused;
    }
    this.bytes[offset] = value ? 1 : 0;
  }

  u8(offset: number, value: number): void {
    if ((value & 0xff) !== value) {
      throw refused;
    }
    this.bytes[offset] = value;
  }

  u16(offset: number, value: number): void {
    if ((value & 0xffff) !== value) {
      throw refused;
    }
    this.view.setUint16(offset, value, true);
  }

  u32(offset: number, value: number): void {
    if (value >>> 0 !== value) {
      throw refused;
    }
    this.view.setUint32(offset, value, true);
  }

  u64(offset: number, value: bigint): void {
    if (typeof value !== "bigint" || BigInt.asUintN(64, value) !== value) {
      throw refused;
    }
    this.view.setBigUint64(offset, value, true);
  }

  i8(offset: number, value: number): void {
    if ((value << 24) >> 24 !== value) {
      throw refused;
    }
    this.view.setInt8(offset, value);
  }

  i16(offset: number, value: number): void {
    if ((value << 16) >> 16 !== value) {
      throw refused;
    }
    this.view.setInt16(offset, value, true);
  }

  i32(offset: number, value: number): void {
    if ((value | 0) !== value) {
      throw refused;
    }
    this.view.setInt32(offset, value, true);
  }

  i64(offset: number, value: bigint): void {
    if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value) {
      throw refused;
    }
    this.view.setBigInt64(offset, value, true);
  }

  safeU64(offset: number, value: number): void {
    if (value < 0) {
      throw refused;
    }
    this.safeI64(offset, value);
  }

  safeI64(offset: number, value: number): void {
    if (!Number.isSafeInteger(value)) {
      throw refused;
    }
    this.view.setUint32(offset, value, true);
    this.view.setInt32(offset + 4, Math.floor(value / 4294967296), true);
  }

  f32(offset: number, value: number): void {
    if (typeof value !== "number") {
      throw refused;
    }
    if (value === value) {
      this.view.setFloat32(offset, value, true);
    } else {
      this.view.setUint32(offset, 0x7fc00000, true); // one NaN, whatever the engine made of its bits
    }
  }

  f64(offset: number, value: number): void {
    if (typeof value !== "number") {
      throw refused;
    }
    if (value === value) {
      this.view.setFloat64(offset, value, true);
    } else {
      this.view.setBigUint64(offset, 0x7ff8000000000000n, true);
    }
  }

  uuid(offset: number, value: string): void {
    const digits = value.length === 36 && uuidForm.test(value) ? value.replaceAll("-", "") : "";
    if (digits === "") {
      throw refused;
    }
    for (let i = 0; i < 16; i++) {
      this.bytes[offset + i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
    }
  }

  /** A presence byte; returns whether a value follows. */
  present<T>(value: T): value is NonNullable<T> {
    const at = this.room(1);
    const there = value !== null && value !== undefined;
    this.bytes[at] = there ? 1 : 0;
    return there;
  }

  /** The count of a list. */
  list(width: Width, value: readonly unknown[], max = 4294967295): number {
    if (!Array.isArray(value)) {
      throw refused;
    }
    return this.count(width, value.length, max);
  }

  /** The count of a map, and its keys in the order of the wire [WIRE-5.12]. */
  map<K extends Key, V>(width: Width, value: ReadonlyMap<K, V>, max = 4294967295): [K, V][] {
    if (!(value instanceof Map)) {
      throw refused;
    }
    this.count(width, value.size, max);
    return sorted(value);
  }

  private count(width: Width, n: number, max: number): number {
    if (n > max) {
      throw refused;
    }
    this.prefix(width, this.room(width), n);
    return n;
  }

  private prefix(width: Width, offset: number, n: number): void {
    if (width === 4) {
      this.view.setUint32(offset, n, true);
    } else if (width === 2) {
      if (n > 0xffff) {
        throw refused;
      }
      this.view.setUint16(offset, n, true);
    } else {
      if (n > 0xff) {
        throw refused;
      }
      this.bytes[offset] = n;
    }
  }

  text(width: Width, value: string, max = 4294967295): void {
    if (typeof value !== "string") {
      throw refused;
    }
    const start = this.room(width + value.length);
    const n = value.length <= shortText && this.ascii(value, start + width) ? value.length : this.encode(value, start + width);
    if (n > max) {
      throw refused;
    }
    this.prefix(width, start, n);
  }

  /** Writes a text for which there is room, if it is ASCII, and returns whether it is. */
  private ascii(value: string, offset: number): boolean {
    const { bytes } = this;
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 127) {
        return false;
      }
      bytes[offset + i] = unit;
    }
    return true;
  }

  /** Writes a text of which not all need be ASCII, and returns how many bytes it takes. */
  private encode(value: string, offset: number): number {
    let done = utf8.encodeInto(value, this.bytes.subarray(offset));
    if (done.read < value.length) {
      this.room(2 * value.length); // a unit takes three bytes at most
      done = utf8.encodeInto(value, this.bytes.subarray(offset));
    }
    const n = done.written;
    if (n > value.length && isLoneSurrogate.test(value)) {
      throw refused;
    }
    this.at = offset + n;
    return n;
  }

  blob(width: Width, value: Uint8Array, max = 4294967295): void {
    if (!(value instanceof Uint8Array)) {
      throw refused;
    }
    this.count(width, value.length, max);
    const at = this.room(value.length);
    this.bytes.set(value, at);
  }

  /** A list of numbers. */
  numbers(array: NumbersOf<Numbers>, width: Width, value: Numbers, max = 4294967295): void {
    if (!(value instanceof array)) {
      throw refused;
    }
    this.count(width, value.length, max);
    this.fixed(array, value.length, value);
  }

  /** An array of numbers, whose count is not on the wire. */
  fixed(array: NumbersOf<Numbers>, n: number, value: Numbers): void {
    if (!(value instanceof array) || value.length !== n) {
      throw refused;
    }
    const size = value.byteLength;
    const at = this.room(size);
    this.bytes.set(new Uint8Array(value.buffer, value.byteOffset, size), at);
    if (!isLittleEndian) {
      swap(this.bytes.subarray(at, at + size), array.BYTES_PER_ELEMENT);
    }
  }

  /** Holds an array against its count, which is not on the wire. */
  elements(value: readonly unknown[], n: number): void {
    if (!Array.isArray(value) || value.length !== n) {
      throw refused;
    }
  }

  /** Makes room for the length of a body or payload, and returns where that is. */
  open(): number {
    return this.room(4);
  }

  /** Writes the number of bytes written behind the length's place. */
  close(offset: number): void {
    const n = this.at - offset - 4;
    if (n > 4294967295) {
      throw refused;
    }
    this.view.setUint32(offset, n, true);
  }

  /** A union's tag. */
  tag(tag: number): void {
    const at = this.room(1);
    this.bytes[at] = tag;
  }

  /** A kept tail. */
  tail(value: Uint8Array | undefined): void {
    if (value instanceof Uint8Array) {
      const at = this.room(value.length); // which may move the bytes
      this.bytes.set(value, at);
    } else if (value !== undefined) {
      throw refused;
    }
  }

  /** An alternative that is not known: `tags` are the tags of the known alternatives. */
  unknown(value: Unknown, tags: readonly number[]): void {
    if (value.kind !== "$unknown" || value.tag === 0 || tags.includes(value.tag)) {
      throw refused;
    }
    this.u8(this.room(1), value.tag);
    this.blob(4, value.payload);
  }
}

/** Half a surrogate pair, which no UTF-8 stands for. */
export const isLoneSurrogate: RegExp = /\p{Surrogate}/u;

/** The form of a uuid in RFC 9562. */
export const uuidForm: RegExp = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The value of an optional that is absent where it is null, and has a default where it is left out. */
export function orDefault<T>(value: T | null | undefined, missing: T): T | null {
  return value === undefined ? missing : value;
}
