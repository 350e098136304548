import { check } from "./check.js";
import { refused, SdpError } from "./error.js";
import { type Limits, Reader } from "./reader.js";
import { limitDepth, limitElements, limitMemoryBytes, limitMessageBytes } from "./spec_gen.js";
import type { Type } from "./type.js";
import { explain } from "./walk.js";
import { Writer } from "./writer.js";

/** The options of a decode of a T. */
export interface DecodeOptions<T = never> {
  /** Budgets that differ from their defaults. */
  readonly limits?: Partial<Limits>;
  /**
   * Refuses bytes that would be written back as others: of releases with more or fewer segments, and
   * with NaNs whose bits a number does not keep.
   */
  readonly exact?: boolean;
  /** Accepts bytes behind the value, and is told how many the value took. */
  readonly prefix?: Prefix;
  /**
   * A value that was decoded before, whose objects and arrays are used again. It has parts of both
   * when the bytes are refused.
   */
  readonly into?: T | undefined;
}

/** Where a value at the start of other bytes ends. */
export interface Prefix {
  used: number;
}

export const defaults: Limits = {
  messageBytes: limitMessageBytes,
  elements: limitElements,
  depth: limitDepth,
  memoryBytes: limitMemoryBytes,
};

export function limitsOf(options: DecodeOptions<unknown> | undefined): Limits {
  return options?.limits === undefined ? defaults : { ...defaults, ...options.limits };
}

/** Decodes a slice in byte mode; for generated code. */
export function decode<T>(reader: (r: Reader, target?: T) => T, type: Type<T>, bytes: Uint8Array, options?: DecodeOptions<T>): T {
  const limits = limitsOf(options);
  if (bytes.length > limits.messageBytes) {
    throw new SdpError("limit_message_bytes", 0, "");
  }
  return decodeWindow(reader, type, bytes, 0, bytes.length, limits, options);
}

/** Decodes the bytes from `offset` to `end`, with offsets from the start of all. */
export function decodeWindow<T>(
  reader: (r: Reader, target?: T) => T, type: Type<T>, bytes: Uint8Array, offset: number, end: number, limits: Limits, options: DecodeOptions<T> | undefined,
): T {
  const prefix = options?.prefix;
  if (options?.exact === true) {
    const refusal = explain(type, bytes, offset, end, limits, true, prefix !== undefined, -1);
    if (refusal !== undefined) {
      throw refusal;
    }
  }
  const r = new Reader(bytes, offset, end, limits);
  try {
    const value = reader(r, options?.into);
    if (prefix !== undefined) {
      prefix.used = r.at - offset;
    } else if (r.at !== r.end) {
      throw refused;
    }
    return value;
  } catch (error) {
    if (error !== refused) {
      throw error;
    }
  }
  throw explain(type, bytes, offset, end, limits, false, prefix !== undefined, r.short) ?? new Error("sdp: the readers disagree");
}

let idle: Writer | undefined;

/**
 * Encodes a value behind room for a header, and returns the result of `use` for the written bytes.
 */
export function write<T, R>(
  writer: (w: Writer, value: T) => void, type: Type<T>, value: T, header: number, use: (w: Writer) => R,
): R {
  const w = idle ?? new Writer(); // a value's getters may encode others
  idle = undefined;
  try {
    w.begin(header);
    writer(w, value);
    return use(w);
  } catch (error) {
    const refusal = check(type, value);
    throw refusal ?? error;
  } finally {
    idle = w;
  }
}

/** Encodes a value in byte mode, into memory of its own or that of the caller; for generated code. */
export function encode<T>(writer: (w: Writer, value: T) => void, type: Type<T>, value: T, output?: Uint8Array): Uint8Array {
  return write(writer, type, value, 0, (w) => handOver(w, output));
}

/** The written bytes, in memory of their own or that of the caller [WIRE-9.6]. */
export function handOver(w: Writer, output: Uint8Array | undefined): Uint8Array {
  if (output === undefined) {
    return w.bytes.slice(0, w.at);
  }
  if (output.length < w.at) {
    throw new SdpError("buffer_too_small", -1, "", `expected room for ${w.at} bytes, got ${output.length}`);
  }
  output.set(w.bytes.subarray(0, w.at));
  return output.subarray(0, w.at);
}
