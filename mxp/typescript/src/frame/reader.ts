import { checkHeader, checkStart, type Frame, FrameError, type FrameOptions, headerSize, openFrame, overhead, viewOf } from "./frame.js";

/** The most bytes by which a buffer is larger than the received bytes, beside an eighth of them [MXP-4.3]. */
const stepBytes = 64 << 10;

/** Bytes that came, of which a part was used. */
export interface Piece {
  bytes: Uint8Array;
}

/**
 * Takes frames out of bytes that arrive in pieces of any lengths [MXP-4.1]. The payload of a frame is
 * a part of the piece that has all of it, or of a buffer of its own.
 */
export class FrameReader {
  #options: FrameOptions;
  #error: FrameError | undefined;
  /** The bytes so far of a frame that no piece holds whole: a buffer for all of it, or parts. */
  #buffer: Uint8Array | undefined;
  #parts: Uint8Array[] = [];
  #arrived = 0;
  /** The bytes of the frame whose header was checked; else 0. */
  #size = 0;

  constructor(options: FrameOptions = {}) {
    this.#options = options;
  }

  /** Says whether the trailers of the frames that follow are checked. */
  setChecksum(checksum: boolean): void {
    this.#options = { ...this.#options, checksum };
  }

  /** How many bytes of an incomplete frame have arrived. */
  get buffered(): number {
    return this.#arrived;
  }

  /**
   * Takes the next frame out of a piece, and cuts the used bytes off the piece. Without a frame, all of it was used. A
   * refusal ends the stream: every later call throws it again [MXP-4.4].
   */
  next(piece: Piece): Frame | undefined {
    if (this.#error !== undefined) {
      throw this.#error;
    }
    if (piece.bytes.length === 0) {
      return undefined;
    }
    try {
      return this.#arrived === 0 ? (this.#whole(piece) ?? this.#rest(piece)) : this.#rest(piece);
    } catch (error) {
      if (error instanceof FrameError) {
        this.#error = error;
        this.release();
      }
      throw error;
    }
  }

  /** The frame that the piece has from start to end. */
  #whole(piece: Piece): Frame | undefined {
    const { bytes } = piece;
    if (bytes.length < headerSize) {
      return undefined;
    }
    const view = viewOf(bytes);
    const size = checkHeader(view, this.#options) + overhead;
    if (bytes.length < size) {
      this.#size = size;
      return undefined;
    }
    const frame = openFrame(bytes, view, size - overhead, this.#options);
    piece.bytes = bytes.subarray(size);
    return frame;
  }

  #rest(piece: Piece): Frame | undefined {
    for (;;) {
      const missing = (this.#size === 0 ? headerSize : this.#size) - this.#arrived;
      if (piece.bytes.length < missing) {
        this.#take(piece, piece.bytes.length);
        if (this.#size === 0) {
          checkStart((this.#buffer as Uint8Array).subarray(0, this.#arrived));
        }
        return undefined;
      }
      this.#take(piece, missing);
      const buffer = this.#buffer as Uint8Array;
      if (this.#size > 0) {
        const size = this.#size;
        this.release();
        return openFrame(buffer, viewOf(buffer), size - overhead, this.#options);
      }
      this.#size = checkHeader(viewOf(buffer.subarray(0, headerSize)), this.#options) + overhead;
    }
  }

  /** Moves bytes from a piece to the arrived bytes: to a buffer for the whole frame once most of it is there. */
  #take(piece: Piece, n: number): void {
    const came = piece.bytes.subarray(0, n);
    piece.bytes = piece.bytes.subarray(n);
    const received = this.#arrived + n;
    const whole = this.#size === 0 ? headerSize : this.#size;
    if (this.#buffer === undefined || this.#buffer.length < whole) {
      if (whole > received + received / 8 + stepBytes) {
        this.#spread(came);
        return;
      }
      this.#gather(whole);
    }
    (this.#buffer as Uint8Array).set(came, this.#arrived);
    this.#arrived = received;
  }

  /** Puts bytes behind the bytes in parts. */
  #spread(input: Uint8Array): void {
    if (this.#buffer !== undefined) {
      const begun = this.#buffer.subarray(0, this.#arrived);
      this.#buffer = undefined;
      this.#arrived = 0;
      this.#spread(begun);
    }
    for (let rest = input; rest.length > 0; ) {
      const at = this.#arrived % stepBytes;
      if (at === 0) {
        this.#parts.push(new Uint8Array(stepBytes));
      }
      const some = rest.subarray(0, stepBytes - at);
      (this.#parts.at(-1) as Uint8Array).set(some, at);
      this.#arrived += some.length;
      rest = rest.subarray(some.length);
    }
  }

  /** Makes a buffer for a whole frame, and moves all that has arrived into it. */
  #gather(size: number): void {
    const all = new Uint8Array(size);
    const parts = this.#buffer === undefined ? this.#parts : [this.#buffer];
    let at = 0;
    for (const part of parts) {
      all.set(part.subarray(0, this.#arrived - at), at);
      at += Math.min(part.length, this.#arrived - at);
    }
    this.#parts = [];
    this.#buffer = all;
  }

  /** Lets go of the arrived part of a frame. */
  release(): void {
    this.#buffer = undefined;
    this.#parts = [];
    this.#arrived = 0;
    this.#size = 0;
  }

  /** How the stream has ended: by a refusal, or inside a frame [MXP-4.5]; undefined where a frame ended. */
  end(): FrameError | undefined {
    if (this.#error === undefined && this.#arrived > 0) {
      this.#error = new FrameError("frame_truncated", this.#arrived);
    }
    return this.#error;
  }
}
