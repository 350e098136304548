// Long messages, cut into short ones before the package ws reads them: it keeps a message until it is there
// whole. Messages of MXP are bytes that follow each other, and one need not fit into memory [MXP-19.3].

const finalBit = 0x80;
const reservedBits = 0x70;
const opcodeBits = 0x0f;
const maskBit = 0x80;
const lengthBits = 0x7f;
const maskBytes = 4;
const length16 = 126;
const length64 = 127;
const closeCode = 8;
const pongCode = 10;
const binaryCode = 2;
/** The most bytes of a frame that is no message's. */
const controlBytes = 125;
/** A code that no frame has: ws refuses it as a frame that a peer may not send. */
const noCode = 3;

const closeBytes = 2 + maskBytes + controlBytes;
const noBytes = Buffer.alloc(0);

/** The head of a frame. */
interface Head {
  readonly first: number;
  /** How many bytes the head has, and its payload. */
  readonly bytes: number;
  readonly length: number;
  readonly masked: boolean;
}

/** The head that begins at a place; undefined if it is not there whole. */
function headAt(input: Buffer, offset: number): Head | undefined {
  const [first, second] = [input[offset], input[offset + 1]];
  if (first === undefined || second === undefined) {
    return undefined;
  }
  const short = second & lengthBits;
  const long = short === length16 ? 2 : short === length64 ? 8 : 0;
  const masked = (second & maskBit) !== 0;
  const bytes = 2 + long + (masked ? maskBytes : 0);
  if (input.length < offset + bytes) {
    return undefined;
  }
  return { first, bytes, length: long === 0 ? short : long === 2 ? input.readUInt16BE(offset + 2) : Number(input.readBigUInt64BE(offset + 2)), masked };
}

/** A frame that ws refuses. */
const noFrame = Buffer.of(finalBit | noCode, maskBit, 0, 0, 0, 0);

/** The part of a message that a frame has, as it comes. */
interface Part {
  readonly code: number;
  /** The mask of its next byte, and of the bytes behind that. */
  mask: Buffer;
}

/** Takes the frames that a peer sends, and hands on frames that ws has whole at once. */
export class Cut {
  readonly #to: (frames: Buffer) => void;
  readonly #closing: () => void;
  /** The beginning of a head. */
  #begun: Buffer | undefined;
  /** How many bytes of a frame are still to come, and the message that they are of; undefined of a frame that is of none. */
  #left = 0;
  #part: Part | undefined;
  /** The code of a message that goes on in a later frame. */
  #goesOn: number | undefined;
  /** A frame was refused, and nothing behind it counts. */
  #isBroken = false;
  /** The peer's Close, which is kept back until it is released. */
  #close: Buffer | undefined;
  #isReleased = false;

  /** `closing` is called once, when a Close begins. */
  constructor(sink: (frames: Buffer) => void, closing: () => void) {
    this.#to = sink;
    this.#closing = closing;
  }

  /** Takes bytes as they come. */
  take(piece: Buffer): void {
    if (this.#isBroken || this.#isReleased) {
      this.#to(piece);
    } else if (this.#close !== undefined) {
      this.#keep(this.#close, piece);
    } else {
      const came = this.#begun === undefined ? piece : Buffer.concat([this.#begun, piece]);
      this.#begun = undefined;
      let at = 0;
      while (at < came.length) {
        at = this.#left > 0 ? this.#payload(came, at) : this.#frame(came, at);
      }
    }
  }

  /** Hands on the Close that was kept back. */
  release(): void {
    if (!this.#isReleased && this.#close !== undefined) {
      this.#isReleased = true;
      this.#to(this.#close);
    }
  }

  #keep(close: Buffer, piece: Buffer): void {
    this.#close = Buffer.concat([close, piece.subarray(0, closeBytes - close.length)]); // and nothing is behind it
  }

  /** Takes bytes of a payload, and returns where what follows them begins. */
  #payload(input: Buffer, offset: number): number {
    const piece = input.subarray(offset, offset + this.#left);
    this.#left -= piece.length;
    if (this.#part === undefined) {
      this.#to(piece);
    } else {
      this.#message(piece, this.#part);
    }
    return offset + piece.length;
  }

  /** Takes the head of a frame, and what of it is to be handed on as it is, and returns where what follows begins. */
  #frame(input: Buffer, offset: number): number {
    const head = headAt(input, offset);
    if (head === undefined) {
      this.#begun = Buffer.from(input.subarray(offset));
      return input.length;
    }
    const code = head.first & opcodeBits;
    if (this.#isFaulty(head, code)) {
      this.#isBroken = true;
      this.#to(this.#goesOn === undefined ? input.subarray(offset) : noFrame);
      return input.length;
    }
    if (code === closeCode) {
      this.#keep(Buffer.alloc(0), input.subarray(offset));
      this.#closing();
      return input.length;
    }
    const payload = offset + head.bytes;
    const isFinal = (head.first & finalBit) !== 0;
    const end = payload + head.length;
    if (code === binaryCode && isFinal && end <= input.length) {
      this.#to(input.subarray(offset, end));
      return end;
    }
    this.#left = head.length;
    if (code > closeCode) {
      this.#part = undefined;
      this.#to(input.subarray(offset, payload));
      return payload;
    }
    this.#part = { code: this.#goesOn ?? code, mask: Buffer.from(input.subarray(payload - maskBytes, payload)) };
    this.#goesOn = isFinal ? undefined : this.#part.code;
    if (head.length === 0) {
      this.#message(noBytes, this.#part);
    }
    return payload;
  }

  /** Whether a peer may not send a frame. */
  #isFaulty({ first, length, masked }: Head, code: number): boolean {
    if (!masked || (first & reservedBits) !== 0 || !Number.isSafeInteger(length)) {
      return true;
    }
    if (code >= closeCode) {
      return code > pongCode || (first & finalBit) === 0 || length > controlBytes || (code === closeCode && length === 1);
    }
    return code > binaryCode || (code === 0) !== (this.#goesOn !== undefined);
  }

  /** Hands on bytes of a message as a message of their own. */
  #message(piece: Buffer, part: Part): void {
    const { length } = piece;
    const head = Buffer.alloc(length < length16 ? 2 : length < 1 << 16 ? 4 : 10);
    head[0] = finalBit | part.code;
    if (length < length16) {
      head[1] = maskBit | length;
    } else if (length < 1 << 16) {
      head[1] = maskBit | length16;
      head.writeUInt16BE(length, 2);
    } else {
      head[1] = maskBit | length64;
      head.writeBigUInt64BE(BigInt(length), 2);
    }
    this.#to(head);
    this.#to(part.mask);
    if (length > 0) {
      this.#to(piece);
    }
    const turned = length % maskBytes;
    part.mask = Buffer.concat([part.mask.subarray(turned), part.mask.subarray(0, turned)]);
  }
}
