import { FrameType, type Header, putFrame } from "../frame/index.js";
import { overhead } from "../frame/frame.js";
import { batchBytes, batchedBytes } from "./spec_gen.js";

/** The request of this side's that frames belong to. */
export interface Sender {
  /** Its frames that wait, in the order of the queue. */
  readonly frames: QueuedFrame[];
  /** Whether the request was given out. */
  sent: boolean;
}

/** A frame that waits. Its bytes are made when it is given out. */
export interface QueuedFrame {
  header: Header;
  /** The payload before the values. */
  readonly start: Uint8Array;
  /** One value, or the values of a batch. */
  readonly values: Uint8Array[];
  /** The bytes of the whole frame. */
  size: number;
  readonly checksum: boolean;
  /** The request of this side's that it leaves the queue with. */
  readonly exchange: Sender | undefined;
  /** It is of the session's own making [MXP-9.4]. */
  readonly reply: boolean;
  /** It may be dropped, as an Event [MXP-9.5]. */
  readonly spare: boolean;
}

/** The bytes of a record before its value. */
export const lengthBytes = 2;

/** Whether a frame only says that its sender lives, or asks for that. */
export function isSign(type: number): boolean {
  return type === FrameType.Ping || type === FrameType.Pong;
}

/** Frames in the order in which they were made. */
export class Queue {
  readonly #frames = new Set<QueuedFrame>();
  /** The frame that was made last, while others may join it [MXP-17.6]. */
  #last: QueuedFrame | undefined;
  /** The bytes of all frames, and of the replies among them; and the number of Pings and Pongs. */
  bytes = 0;
  replies = 0;
  signs = 0;

  get waiting(): number {
    return this.#frames.size;
  }

  get empty(): boolean {
    return this.#frames.size === 0;
  }

  /** Whether there is a frame that anything can join. */
  get joinable(): boolean {
    return this.#last !== undefined;
  }

  /** Puts a frame into the queue, which others may join if it `opens`. */
  add(f: QueuedFrame, opens: boolean): void {
    this.#last = opens ? f : undefined;
    this.#frames.add(f);
    f.exchange?.frames.push(f);
    this.bytes += f.size;
    this.replies += f.reply ? f.size : 0;
    this.signs += isSign(f.header.type) ? 1 : 0;
  }

  /** Gives the next frame out. */
  take(): QueuedFrame | undefined {
    const [first] = this.#frames;
    if (first !== undefined) {
      this.#remove(first);
    }
    return first;
  }

  #remove(f: QueuedFrame): void {
    if (f === this.#last) {
      this.#last = undefined;
    }
    this.#frames.delete(f);
    f.exchange?.frames.shift(); // all that leave are the first of their exchange
    this.bytes -= f.size;
    this.replies -= f.reply ? f.size : 0;
    this.signs -= isSign(f.header.type) ? 1 : 0;
  }

  /** Makes all frames of an exchange leave the queue unsent. */
  dropAll(e: Sender): void {
    for (let f = e.frames[0]; f !== undefined; f = e.frames[0]) {
      this.#remove(f);
    }
  }

  /** Drops the oldest Events until less than a limit waits, or none is left, and gives how many. */
  dropEvents(limit: number): number {
    let dropped = 0;
    for (const f of this.#frames) {
      if (this.bytes < limit) {
        break;
      }
      if (f.spare) {
        dropped += f.values.length;
        this.#remove(f);
      }
    }
    return dropped;
  }

  /** Empties the queue, but for Hello frames if those are to stay. */
  clear(hello: boolean): void {
    for (const f of this.#frames) {
      if (!(hello && f.header.type === FrameType.Hello)) {
        this.#remove(f);
      }
    }
  }

  /**
   * Puts a value into the frame that was made last, if that has the same header and start, and its
   * payload is then at most so long. Gives the frame's id, or undefined where it can't join.
   */
  join(h: Header, start: Uint8Array, value: Uint8Array, most: number): bigint | undefined {
    const f = this.#last;
    if (f === undefined || !this.#takes(f, h, start, lengthBytes + value.length, most)) {
      return undefined;
    }
    const grows = lengthBytes + value.length + (f.values.length === 1 ? lengthBytes : 0);
    f.values.push(value);
    f.size += grows;
    this.bytes += grows;
    const type = h.type === FrameType.Event ? FrameType.Events : FrameType.StreamChunks;
    f.header = { ...f.header, type, flags: h.flags };
    if (h.flags !== 0) {
      this.#last = undefined;
    }
    return f.header.id;
  }

  /** Whether a record of so many bytes can join a frame. */
  #takes(f: QueuedFrame, h: Header, start: Uint8Array, record: number, most: number): boolean {
    let limit = Math.min(most, batchBytes);
    const isEvent = f.header.type === FrameType.Event || f.header.type === FrameType.Events;
    if (h.type === FrameType.Event) {
      if (!f.spare || !isSame(f.start, start)) {
        return false;
      }
      limit = Math.min(limit, batchedBytes);
    } else if (isEvent || f.header.id !== h.id) {
      return false;
    }
    const payload = f.size - overhead + (f.values.length === 1 ? lengthBytes : 0);
    return payload + record <= limit;
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The payload of a frame, in pieces: in a batch, each value has its length before it. */
function piecesOf(f: QueuedFrame): Uint8Array[] {
  if (f.values.length === 1) {
    return [f.start, f.values[0] as Uint8Array];
  }
  const pieces = [f.start];
  for (const value of f.values) {
    pieces.push(new Uint8Array([value.length & 0xff, value.length >> 8]), value);
  }
  return pieces;
}

/** Writes a frame into a buffer at a place, and returns where it ends. */
export function putQueued(output: Uint8Array, offset: number, f: QueuedFrame): number {
  return putFrame(output, offset, f.header, piecesOf(f), f.checksum);
}
