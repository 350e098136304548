import { Duplex } from "node:stream";
import { Cut } from "./cut.js";

type Callback = (error?: Error | null) => void;

/** The time between two looks whether a paused reader has gone on, in milliseconds. */
const lookMs = 10;

/** A socket whose frames are cut before the package ws reads them. */
export class LowerSocket extends Duplex {
  readonly #socket: Duplex;
  readonly #cut: Cut;
  readonly #closing: () => void;

  /** `closing` is called when the peer's Close has come, which is kept back until `release`. */
  constructor(socket: Duplex, closing: () => void) {
    super();
    this.#socket = socket;
    this.#closing = closing;
    this.#cut = new Cut((frames) => {
      if (!this.push(frames)) {
        socket.pause();
      }
    }, () => setImmediate(this.#told));
    socket.on("data", (piece: Buffer) => this.#cut.take(piece));
    socket.on("end", () => this.push(null));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  /** Tells of the Close, once all that came before it is read. */
  readonly #told = (): void => {
    if (this.readableLength === 0 || this.destroyed) {
      this.#closing();
    } else {
      setTimeout(this.#told, lookMs);
    }
  };

  release(): void {
    if (!this.destroyed) {
      this.#cut.release();
    }
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _: BufferEncoding, callback: Callback): void {
    this.#socket.write(bytes, callback);
  }

  override _writev(chunks: { chunk: Buffer }[], callback: Callback): void {
    this.#socket.cork();
    chunks.forEach(({ chunk }, i) => this.#socket.write(chunk, i === chunks.length - 1 ? callback : undefined));
    this.#socket.uncork();
  }

  override _final(callback: Callback): void {
    this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#socket.destroy();
    callback(error);
  }
}
