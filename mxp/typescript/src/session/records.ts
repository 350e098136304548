import { lengthBytes } from "./queue.js";

/** Values that came in one frame: one, or the records of a batch [MXP-17.3], as they lie in its payload. They are cut when they are asked for. */
export class Values implements Iterable<Uint8Array> {
  /** Where the values are: records with their lengths. */
  readonly data: Uint8Array;
  /** How many there are, which is at least one. */
  readonly length: number;
  readonly #isBatch: boolean;

  private constructor(data: Uint8Array, length: number, isBatch: boolean) {
    this.data = data;
    this.length = length;
    this.#isBatch = isBatch;
  }

  /** One value. */
  static one(value: Uint8Array): Values {
    return new Values(value, 1, false);
  }

  /** So many records, which were checked. */
  static records(data: Uint8Array, length: number): Values {
    return new Values(data, length, true);
  }

  /** The bytes of all values, without the lengths of records. */
  get bytes(): number {
    return this.data.length - (this.#isBatch ? lengthBytes * this.length : 0);
  }

  /** The same values in other memory, which has the same bytes. */
  in(data: Uint8Array): Values {
    return data === this.data ? this : new Values(data, this.length, this.#isBatch);
  }

  /** The value at a place in the data, and the place of the next. */
  at(place: number): readonly [value: Uint8Array, next: number] {
    if (!this.#isBatch) {
      return [this.data, this.data.length];
    }
    const start = place + lengthBytes;
    const next = start + lengthAt(this.data, place);
    return [this.data.subarray(start, next), next];
  }

  /** The values, which are parts of the data. */
  *[Symbol.iterator](): Iterator<Uint8Array> {
    let place = 0;
    for (let i = 0; i < this.length; i++) {
      const [value, next] = this.at(place);
      place = next;
      yield value;
    }
  }
}

/** The length of the record at a place. */
export function lengthAt(data: Uint8Array, place: number): number {
  return (data[place] as number) | ((data[place + 1] as number) << 8);
}
