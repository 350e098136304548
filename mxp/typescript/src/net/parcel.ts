import type { Values } from "../session/index.js";
import { own } from "../engine/bytes.js";

/** A frame that waits is counted as its bytes and so many more: the objects that keep it [MXP-15.2]. */
export const parcelBytes = 336;

/** The values of one frame that nobody has taken. Their memory is one, and counts until the last of them is taken [MXP-17.8]. */
export class Parcel {
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
