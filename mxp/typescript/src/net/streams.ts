import type { Stream } from "../engine/link/stream.js";

/** A stream of either side, of encoded values. */
export class RawStream {
  readonly #stream: Stream;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** The bytes that nobody has taken. */
  get held(): number {
    return this.#stream.held;
  }

  /** Sends a value, when there is room for it. */
  send(value: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => this.#stream.send(value, resolve, reject));
  }

  /** Ends this side's direction, behind what waits. */
  end(): void {
    this.#stream.end();
  }

  /** The next value; undefined when the peer's direction has ended. */
  next(): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => this.#stream.next({ resolve, reject }));
  }

  /** Ends a stream that was opened here. */
  cancel(): void {
    this.#stream.cancel();
  }
}
