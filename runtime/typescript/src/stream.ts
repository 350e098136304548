import { decodeWindow, type DecodeOptions, limitsOf } from "./codec.js";
import { SdpError } from "./error.js";
import { layoutOf } from "./layout.js";
import { layoutDifference } from "./layout_comparison.js";
import { isText } from "./layout_text.js";
import { checkPayload, type Framed, isPreamble, readHeader } from "./message.js";
import { headerBytes, layoutTextBytes } from "./spec_gen.js";
import type { Type } from "./type.js";

/** The source of messages: a stream of the web's, or of Node's, or anything that yields bytes. */
export type Source = Readable | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A ReadableStream, whose type is not known in every environment. */
interface Readable {
  getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> };
}

/**
 * Reads messages that stand one behind another. It holds the received bytes of one message, and makes no room for a
 * length that a header only declares [WIRE-11.6].
 */
export class MessageReader<M> implements AsyncIterable<M> {
  private readonly chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  private readonly all: readonly Framed[];
  private readonly name: (message: Framed, value: unknown) => M;
  private readonly options: DecodeOptions;
  private buffer: Uint8Array = new Uint8Array(0);
  private from = 0;
  private to = 0;
  private failure: unknown;

  /** For generated code, which knows the types of a package. */
  constructor(source: Source, types: readonly Framed[], name: (message: Framed, value: unknown) => M, options: DecodeOptions = {}) {
    this.chunks = chunksOf(source);
    this.all = types;
    this.name = name;
    this.options = options;
  }

  /**
   * The next message; undefined at the end of the source. Behind the refusal `type_id_unknown` the
   * message was passed over, and reading can go on. All others end the stream: later reads have the
   * same one.
   */
  async next(): Promise<M | undefined> {
    if (this.failure !== undefined) {
      throw this.failure;
    }
    try {
      return await this.read();
    } catch (error) {
      if (!(error instanceof SdpError && error.code === "type_id_unknown")) {
        this.failure = error;
      }
      throw error;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<M, void, undefined> {
    for (let one = await this.next(); one !== undefined; one = await this.next()) {
      yield one;
    }
  }

  private async read(): Promise<M | undefined> {
    const limits = limitsOf(this.options);
    for (;;) {
      await this.fill(headerBytes);
      if (this.from === this.to) {
        return undefined;
      }
      const start = this.buffer.subarray(this.from, Math.min(this.to, this.from + headerBytes));
      const preamble = isPreamble(start);
      const { id, payload } = readHeader(start, preamble);
      const of = this.all.find((item) => item.type.id === id);
      const size = headerBytes + payload;
      if (of === undefined) {
        await this.pass(size);
        if (preamble) {
          continue;
        }
        throw new SdpError("type_id_unknown", 4, "");
      }
      checkPayload(payload, preamble ? { ...limits, messageBytes: Math.min(limits.messageBytes, layoutTextBytes) } : limits);
      if (!(await this.fill(size))) {
        throw new SdpError("truncated", 6, "");
      }
      const bytes = this.buffer.subarray(this.from, this.from + size);
      this.from += size;
      if (!preamble) {
        return this.name(of, decodeWindow(of.read, of.type, bytes, headerBytes, size, limits, this.options));
      }
      checkPreamble(of.type, bytes.subarray(headerBytes));
    }
  }

  /** Takes bytes from the source until so many are there; says whether they are. */
  private async fill(size: number): Promise<boolean> {
    while (this.to - this.from < size) {
      const chunk = await this.chunks.next();
      if (chunk.done === true) {
        return false;
      }
      this.append(chunk.value);
    }
    return true;
  }

  private append(chunk: Uint8Array): void {
    if (this.to + chunk.length > this.buffer.length) {
      const held = this.to - this.from;
      const grown = new Uint8Array(Math.max(2 * held, held + chunk.length, 4096));
      grown.set(this.buffer.subarray(this.from, this.to));
      this.buffer = grown;
      this.from = 0;
      this.to = held;
    }
    this.buffer.set(chunk, this.to);
    this.to += chunk.length;
  }

  /** Passes over a message, of which nothing is held. */
  private async pass(size: number): Promise<void> {
    for (let left = size; left > 0; ) {
      if (this.from === this.to && !(await this.fill(1))) {
        throw new SdpError("truncated", 6, "");
      }
      const some = Math.min(left, this.to - this.from);
      this.from += some;
      left -= some;
    }
  }
}

/** Refuses a preamble with a layout text that the type's own does not read [WIRE-11.9]. */
function checkPreamble(type: Type, bytes: Uint8Array): void {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) {
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  if (!isText(text)) {
    throw new SdpError("layout_mismatch", headerBytes, "");
  }
  const difference = layoutDifference(layoutOf(type), text);
  if (difference !== "") {
    const [path = "", sides] = difference.split(": ");
    throw new SdpError("layout_mismatch", headerBytes, path, sides);
  }
}

function chunksOf(source: Source): AsyncIterator<Uint8Array> | Iterator<Uint8Array> {
  if (Symbol.asyncIterator in source) {
    return source[Symbol.asyncIterator]();
  }
  if (Symbol.iterator in source) {
    return source[Symbol.iterator]();
  }
  return pulled(source.getReader());
}

/** The chunks of a stream, in browsers whose streams can't be iterated. */
async function* pulled(reader: ReturnType<Readable["getReader"]>): AsyncGenerator<Uint8Array, void, undefined> {
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    if (chunk.value !== undefined) {
      yield chunk.value;
    }
  }
}
