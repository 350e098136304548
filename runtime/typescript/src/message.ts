import { decodeWindow, type DecodeOptions, handOver, limitsOf, write } from "./codec.js";
import { SdpError } from "./error.js";
import { layoutOf } from "./layout.js";
import type { Limits, Reader } from "./reader.js";
import { headerBytes, layoutTextBytes } from "./spec_gen.js";
import type { Type } from "./type.js";
import type { Writer } from "./writer.js";

/** A type that has messages, as the runtime knows it; for generated code. */
export interface Framed<T = unknown> {
  readonly type: Type<T> & { readonly id: number };
  read(r: Reader, target?: T): T;
}

const magic = [0x53, 0x44, 0x50] as const;
const version = 0x32;
/** Where a message has the version, a preamble has an S [WIRE-11.7]. */
const preambleVersion = 0x53;

/** Whether a header, or its first bytes, is a preamble's. */
export function isPreamble(bytes: Uint8Array): boolean {
  return bytes[3] === preambleVersion && magic.every((byte, i) => bytes[i] === byte);
}

/** The header of a message or preamble, from all or some of its bytes [WIRE-10.2] to [WIRE-10.4]. */
export function readHeader(bytes: Uint8Array, preamble = false): { readonly id: number; readonly payload: number } {
  const refuse = (code: "magic_invalid" | "version_unsupported" | "truncated", offset: number): never => {
    throw new SdpError(code, offset, "");
  };
  const n = bytes.length;
  if (magic.some((byte, i) => i < n && bytes[i] !== byte)) {
    refuse("magic_invalid", 0);
  }
  if (n > 3 && bytes[3] !== (preamble ? preambleVersion : version)) {
    refuse("version_unsupported", 3);
  }
  if (n < headerBytes) {
    refuse("truncated", n < 4 ? 0 : n < 6 ? 4 : 6);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
  return { id: view.getUint16(4, true), payload: view.getUint32(6, true) };
}

/** Refuses a payload that is longer than its limit [WIRE-10.7]. */
export function checkPayload(payload: number, limits: Limits): void {
  if (payload > limits.messageBytes) {
    throw new SdpError("limit_message_bytes", 6, "");
  }
}

/** Decodes a slice in message mode; for generated code. */
export function decodeMessage<T>(message: Framed<T>, bytes: Uint8Array, options?: DecodeOptions<T>): T {
  const header = readHeader(bytes);
  if (header.id !== message.type.id) {
    throw new SdpError("type_id_mismatch", 4, "");
  }
  return payloadOf(message, bytes, header.payload, options);
}

/** Decodes a message of any type of a package, which it finds by its id; for generated code. */
export function dispatch<M>(
  types: readonly Framed[], name: (message: Framed, value: unknown) => M, bytes: Uint8Array, options?: DecodeOptions,
): M {
  const header = readHeader(bytes);
  const of = types.find((item) => item.type.id === header.id);
  if (of === undefined) {
    throw new SdpError("type_id_unknown", 4, "");
  }
  return name(of, payloadOf(of, bytes, header.payload, options));
}

function payloadOf<T>(message: Framed<T>, bytes: Uint8Array, payload: number, options: DecodeOptions<T> | undefined): T {
  const limits = limitsOf(options);
  checkPayload(payload, limits);
  const end = headerBytes + payload;
  if (end > bytes.length) {
    throw new SdpError("payload_length", 6, "");
  }
  const value = decodeWindow(message.read, message.type, bytes, headerBytes, end, limits, options);
  if (end < bytes.length) {
    throw new SdpError("trailing_bytes", end, "");
  }
  return value;
}

function writeHeader(bytes: Uint8Array, view: DataView, mark: number, id: number, payload: number): void {
  bytes.set(magic);
  bytes[3] = mark;
  view.setUint16(4, id, true);
  view.setUint32(6, payload, true);
}

/**
 * The bytes that stand in front of a type's messages in a stream, whose readers hold its layout against
 * their own [WIRE-11.7]. Readers of releases before 0.4 refuse them as another version.
 */
export function encodePreamble(type: Type & { readonly id: number }): Uint8Array {
  const text = layoutOf(type);
  if (text.length > layoutTextBytes) {
    throw new SdpError("value_too_large", -1, "", `expected ${layoutTextBytes} bytes at most, got ${text.length}`);
  }
  const bytes = new Uint8Array(headerBytes + text.length);
  writeHeader(bytes, new DataView(bytes.buffer), preambleVersion, type.id, text.length);
  for (let i = 0; i < text.length; i++) {
    bytes[headerBytes + i] = text.charCodeAt(i);
  }
  return bytes;
}

/** Encodes a value in message mode: the header, then its bytes; for generated code. */
export function encodeMessage<T>(
  writer: (w: Writer, value: T) => void, type: Type<T> & { readonly id: number }, value: T, output?: Uint8Array,
): Uint8Array {
  return write(writer, type, value, headerBytes, (w) => {
    const payload = w.at - headerBytes;
    if (payload > 4294967295) {
      throw new SdpError("value_too_large", -1, "", `expected 4294967295 bytes at most, got ${payload}`);
    }
    writeHeader(w.bytes, w.view, version, type.id, payload);
    return handOver(w, output);
  });
}
