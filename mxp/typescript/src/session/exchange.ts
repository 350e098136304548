import { never } from "./config.js";
import type { QueuedFrame, Sender } from "./queue.js";

/** The purpose of a request [MXP-5.4]. */
export type ExchangeKind = "call" | "stream" | "event" | "agents";

/** A request from when it is made until it is answered, on the side that made it or on the other. */
export class Exchange implements Sender {
  readonly id: bigint;
  /** Of the headers of its frames [MXP-5.5]. */
  readonly trace: bigint;
  readonly kind: ExchangeKind;
  readonly mine: boolean;
  /** The bytes of the request's payload. */
  readonly bytes: number;
  /** When it was made. */
  readonly made: bigint;
  deadline: bigint = never;
  /** The place among the deadlines; -1 without one. */
  place = -1;
  /** Whether the request of this side's was given out. */
  sent = false;
  /** Its frames that wait, of a request of this side's, in the order of the queue. */
  readonly frames: QueuedFrame[] = [];
  /** Whether it is the peer's, has ended, and keeps its place [MXP-7.8]. */
  ended = false;
  #out: Direction | undefined;
  #in: Direction | undefined;

  constructor(id: bigint, trace: bigint, kind: ExchangeKind, isOwn: boolean, bytes: number, start: bigint) {
    this.id = id;
    this.trace = trace;
    this.kind = kind;
    this.mine = isOwn;
    this.bytes = bytes;
    this.made = start;
  }

  /** The directions of a stream; calls have none. */
  get out(): Direction {
    return (this.#out ??= new Direction());
  }

  get in(): Direction {
    return (this.#in ??= new Direction());
  }
}

/** A direction of a stream: what was granted and is left, and its chunks. */
class Direction {
  messages = 0n;
  bytes = 0n;
  /** The most bytes that were left [MXP-8.7]. */
  window = 0n;
  /** The last chunk, the last that requires an Ack, and the last that was acked. */
  number = 0n;
  asked = 0n;
  acked = 0n;
  ended = false;

  grant(messages: number, bytes: bigint): void {
    this.messages = sum(this.messages, BigInt(messages));
    this.bytes = sum(this.bytes, bytes);
    this.window = max(this.window, this.bytes);
  }

  /** Whether chunks with so many bytes together may be sent [MXP-8.3]. */
  fits(chunks: number, bytes: number): boolean {
    return !this.ended && BigInt(chunks) <= this.messages && BigInt(bytes) <= this.bytes;
  }

  /** Counts chunks that fit. `final` and `ack` describe the last chunk. */
  take(chunks: number, bytes: number, final: boolean, ack: boolean): void {
    this.messages -= BigInt(chunks);
    this.bytes -= BigInt(bytes);
    this.number += BigInt(chunks);
    this.ended = final;
    if (ack) {
      this.asked = this.number;
    }
  }

  /** Counts an Ack, and says whether it is one that can be. */
  ack(number: bigint): boolean {
    if (number <= this.acked || number > this.asked) {
      return false;
    }
    this.acked = number;
    return true;
  }

  get over(): boolean {
    return this.ended && this.acked === this.asked;
  }
}

/** A sum that is at most the largest number of 64 bits. */
export function sum(a: bigint, b: bigint): bigint {
  const all = a + b;
  return all > never ? never : all;
}

export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The exchanges of one side that have a deadline, as a heap. */
export class Deadlines {
  #heap: Exchange[] = [];

  /** Gives an exchange its deadline, so many microseconds from now; 0 is none. */
  set(e: Exchange, now: bigint, delay: bigint): void {
    e.deadline = delay > 0n ? sum(now, delay) : never;
    if (e.deadline !== never) {
      e.place = this.#heap.length;
      this.#heap.push(e);
      this.#up(e.place);
    }
  }

  remove(e: Exchange): void {
    const { place } = e;
    if (place < 0) {
      return;
    }
    const last = this.#heap.pop() as Exchange;
    e.place = -1;
    if (last !== e) {
      this.#put(last, place);
      this.#up(place);
      this.#down(last.place);
    }
  }

  /** The first whose deadline has passed, which has none any more. */
  due(now: bigint): Exchange | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.deadline > now) {
      return undefined;
    }
    this.remove(first);
    return first;
  }

  get next(): bigint {
    return this.#heap[0]?.deadline ?? never;
  }

  clear(): void {
    this.#heap = [];
  }

  #put(e: Exchange, index: number): void {
    this.#heap[index] = e;
    e.place = index;
  }

  #isBefore(a: Exchange, b: Exchange): boolean {
    return a.deadline < b.deadline || (a.deadline === b.deadline && a.id < b.id);
  }

  #up(index: number): void {
    const e = this.#heap[index] as Exchange;
    let at = index;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = this.#heap[above] as Exchange;
      if (!this.#isBefore(e, other)) {
        break;
      }
      this.#put(other, at);
      at = above;
    }
    this.#put(e, at);
  }

  #down(index: number): void {
    const e = this.#heap[index] as Exchange;
    let at = index;
    for (;;) {
      let below = 2 * at + 1;
      const right = this.#heap[below + 1];
      if (right !== undefined && this.#isBefore(right, this.#heap[below] as Exchange)) {
        below++;
      }
      const other = this.#heap[below];
      if (other === undefined || !this.#isBefore(other, e)) {
        break;
      }
      this.#put(other, at);
      at = below;
    }
    this.#put(e, at);
  }
}
