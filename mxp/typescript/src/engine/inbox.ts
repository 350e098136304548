import type { Values } from "../session/index.js";
import { own } from "./bytes.js";

/** A frame that waits is counted as its bytes and so many more: the objects that keep it [MXP-15.2]. */
const parcelBytes = 336;

/** The values of one frame that nobody has taken. Their memory is one, and counts until the last of them is taken [MXP-17.8]. */
class Parcel {
  readonly #values: Values;
  #place = 0;
  /** How many were not taken. */
  left: number;
  /** How many bytes less are held once all were taken. */
  readonly counts: number;

  /** The values are kept without the buffer that they came in, where that is much larger. */
  constructor(values: Values) {
    this.#values = values.in(own(values.data));
    this.left = values.length;
    this.counts = values.data.length + parcelBytes;
  }

  /** Takes the next value, of which there is one. It does not keep the others in memory. */
  take(): Uint8Array {
    const [value, next] = this.#values.at(this.#place);
    this.#place = next;
    this.left--;
    return own(value);
  }
}

/** The chunks that came on a stream, and the numbers of chunks that ask for an Ack [MXP-8.5]. */
export class Inbox {
  #parcels: Parcel[] = [];
  /** How many chunks were taken, and the numbers of the chunks behind them that ask for an Ack. */
  #taken = 0n;
  readonly #asking: bigint[] = [];
  /** The bytes that nobody has taken. */
  held = 0;

  get isEmpty(): boolean {
    return this.#parcels.length === 0;
  }

  /** Adds the chunks of a frame. Where they ask for an Ack, the last of them has the number. */
  push(values: Values, asks: bigint | undefined): void {
    const parcel = new Parcel(values);
    this.#parcels.push(parcel);
    this.held += parcel.counts;
    if (asks !== undefined) {
      this.#asking.push(asks);
    }
  }

  /** Takes the next chunk. */
  pop(): Uint8Array | undefined {
    const first = this.#parcels[0];
    const value = first?.take();
    if (first?.left === 0) {
      this.#parcels.shift();
      this.held -= first.counts;
    }
    return value;
  }

  /** The number of an Ack that is owed once so many more chunks are taken. */
  owes(chunks: number): bigint | undefined {
    this.#taken += BigInt(chunks);
    let last: bigint | undefined;
    while (this.#asking[0] !== undefined && this.#asking[0] <= this.#taken) {
      last = this.#asking.shift();
    }
    return last;
  }

  /** How many chunks nobody has taken. */
  get length(): number {
    return this.#parcels.reduce((n, parcel) => n + parcel.left, 0);
  }

  /** Forgets what nobody has taken. */
  clear(): void {
    this.#parcels = [];
    this.held = 0;
  }
}
