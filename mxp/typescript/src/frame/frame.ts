import { isHash, putHash } from "./hash.js";
import { type FrameRefusal, payloadBytes } from "./spec_gen.js";
import { allFlags, frameNames } from "./types_gen.js";

/** The bytes around a payload [MXP-1.1]. */
export const headerSize = 32;
export const trailerSize = 8;
export const overhead = 40;

const magic = 0x4d585031;

/** The fields of a frame besides its payload. Ids and traces are any number of 64 bits. */
export interface Header {
  readonly type: number;
  readonly flags: number;
  readonly id: bigint;
  /** The low half of the id of a trace. */
  readonly trace: bigint;
}

/** A header and a payload. */
export interface Frame extends Header {
  readonly payload: Uint8Array;
}

/** How frames are read. */
export interface FrameOptions {
  /** Whether trailers are checked [MXP-1.7]; they are unless this is false. */
  readonly checksum?: boolean;
  /** The longest payload that is taken; 16 MiB, and never more. */
  readonly limit?: number;
}

/** Why bytes are no frame, or why a frame can't be written. */
export class FrameError extends Error {
  readonly code: FrameRefusal;
  /** Counted from the frame's first byte; -1 where there is none. */
  readonly offset: number;

  constructor(code: FrameRefusal, offset: number) {
    super(offset < 0 ? code : `${code} at offset ${offset}`);
    this.name = "FrameError";
    this.code = code;
    this.offset = offset;
  }
}

function limitOf(options: FrameOptions): number {
  const { limit } = options;
  return limit === undefined || limit <= 0 || limit > payloadBytes ? payloadBytes : limit;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Refuses what begins otherwise than a header does, of which these bytes have come [MXP-4.2]. */
export function checkStart(input: Uint8Array): void {
  if (input.subarray(0, 4).some((byte, index) => byte !== ((magic >>> (8 * index)) & 0xff))) {
    throw new FrameError("frame_magic", 0);
  }
}

/** Makes the checks of a header [MXP-3.1], and gives the length of the payload. */
export function checkHeader(view: DataView, options: FrameOptions): number {
  const refuse = (code: FrameRefusal, offset: number): never => {
    throw new FrameError(code, offset);
  };
  if (view.byteLength < headerSize) {
    refuse("frame_truncated", view.byteLength);
  }
  if (view.getUint32(0, true) !== magic) {
    refuse("frame_magic", 0);
  }
  if (frameNames[view.getUint8(4)] === undefined) {
    refuse("frame_type", 4);
  }
  if ((view.getUint8(5) & ~allFlags) !== 0) {
    refuse("frame_flags", 5);
  }
  if (view.getUint16(6, true) !== 0) {
    refuse("frame_reserved", 6);
  }
  const payload = view.getUint32(24, true);
  if (view.getUint32(28, true) !== 0 || payload > limitOf(options)) {
    refuse("frame_too_large", 24);
  }
  return payload;
}

/** The frame of bytes whose header was checked, and which are all there. */
export function openFrame(bytes: Uint8Array, view: DataView, payload: number, options: FrameOptions): Frame {
  const end = headerSize + payload;
  if (options.checksum !== false && !isHash(bytes.subarray(0, end), view, end)) {
    throw new FrameError("frame_checksum", end);
  }
  return {
    type: view.getUint8(4),
    flags: view.getUint8(5),
    id: view.getBigUint64(8, true),
    trace: view.getBigUint64(16, true),
    payload: bytes.subarray(headerSize, end),
  };
}

/** Reads the frame that bytes start with. Its payload is a part of them. */
export function decodePrefix(bytes: Uint8Array, options: FrameOptions = {}): { readonly frame: Frame; readonly size: number } {
  const view = viewOf(bytes);
  const payload = checkHeader(view, options);
  const size = payload + overhead;
  if (bytes.length < size) {
    throw new FrameError("frame_truncated", bytes.length);
  }
  return { frame: openFrame(bytes, view, payload, options), size };
}

/** Reads the one frame that bytes are. Its payload is a part of them. */
export function decodeFrame(bytes: Uint8Array, options: FrameOptions = {}): Frame {
  const { frame, size } = decodePrefix(bytes, options);
  if (size < bytes.length) {
    throw new FrameError("frame_trailing", size);
  }
  return frame;
}

/** Refuses what a decoder would refuse [MXP-2.1]. */
function checkFrame(header: Header, payload: number): void {
  if (frameNames[header.type] === undefined) {
    throw new FrameError("frame_type", 4);
  }
  if ((header.flags & ~allFlags) !== 0) {
    throw new FrameError("frame_flags", 5);
  }
  if (payload > payloadBytes) {
    throw new FrameError("frame_too_large", 24);
  }
}

/** The length of pieces together. */
export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((n, piece) => n + piece.length, 0);
}

/** Writes a frame, whose payload lies in pieces, into a buffer at a place, and returns where it ends. */
export function putFrame(output: Uint8Array, offset: number, header: Header, payload: readonly Uint8Array[], checksum: boolean): number {
  const length = lengthOf(payload);
  checkFrame(header, length);
  if (output.length - offset < length + overhead) {
    throw new FrameError("frame_buffer_too_small", -1);
  }
  const view = new DataView(output.buffer, output.byteOffset + offset, length + overhead);
  view.setUint32(0, magic, true);
  view.setUint8(4, header.type);
  view.setUint8(5, header.flags);
  view.setUint16(6, 0);
  view.setBigUint64(8, header.id, true);
  view.setBigUint64(16, header.trace, true);
  view.setUint32(24, length, true);
  view.setUint32(28, 0);
  let end = offset + headerSize;
  for (const piece of payload) {
    output.set(piece, end);
    end += piece.length;
  }
  if (checksum) {
    putHash(output.subarray(offset, end), view, headerSize + length);
  } else {
    output.fill(0, end, end + trailerSize);
  }
  return end + trailerSize;
}

/** A frame in memory of its own. */
export function encodeFrame(frame: Frame, checksum = true): Uint8Array {
  checkFrame(frame, frame.payload.length);
  const bytes = new Uint8Array(frame.payload.length + overhead);
  putFrame(bytes, 0, frame, [frame.payload], checksum);
  return bytes;
}
