import { Refusal, type Session, type Values } from "../../session/index.js";
import { failureFrom, type MxpError, refusalError, toError } from "../failure.js";
import { Inbox } from "../inbox.js";
import { windowMessages } from "../window.js";

/** The bytes that a chunk is counted as beside its own [MXP-15.2]. */
const chunkBytes = 64;

/** A chunk that waits to be sent. */
interface Outgoing {
  readonly value: Uint8Array;
  resolve(): void;
  reject(error: MxpError): void;
}

/** The waiter for the next chunk. */
export interface Reader {
  resolve(value: Uint8Array | undefined): void;
  reject(error: MxpError): void;
}

/** The connection of a stream, as that knows it. */
export interface StreamLink {
  /** How many bytes may be on their way to the reader of a stream. */
  readonly windowBytes: number;
  /** The account of the connection: chunks that nobody has taken, and chunks that wait at their senders. */
  readonly load: { holds(bytes: number): void; waits(bytes: number): void };
  /** Does something with the session at once. */
  do(run: (session: Session, now: bigint) => void): void;
  /** Does something with the session for a stream, which says whether more of it waits for room. */
  sendOn(stream: Stream, run: (session: Session, now: bigint) => boolean): void;
  /** Lets go of a stream that is over. */
  forget(stream: Stream): void;
}

/** A stream of either side, of encoded values. */
export class Stream {
  /** How many chunks may be on their way. */
  readonly messages: number;
  readonly mine: boolean;
  #id: bigint;
  #link: StreamLink;
  readonly #inbox: Inbox = new Inbox();
  #reader: Reader | undefined;
  readonly #outbox: Outgoing[] = [];
  #sendEnds = false;
  #sent: boolean;
  #peerEnded = false;
  #error: MxpError | undefined;
  /** Called when the stream is over, at the latest. */
  onOver: () => void = () => undefined;
  /** Opens a stream of this side's again, after a failure that nobody has acted before: `move` or `fail` follows. */
  reopen: ((error: MxpError) => void) | undefined;
  /** Whether nothing was sent but StreamOpen and its end, and nothing came but Credit. */
  #isUntouched = true;
  #isMoving = false;
  /** The chunks that were taken since the peer was granted more. */
  #takenMessages = 0;
  #takenBytes = 0;

  constructor(link: StreamLink, id: bigint, isOwn: boolean, isSent: boolean, messages: number = windowMessages) {
    this.#link = link;
    this.#id = id;
    this.mine = isOwn;
    this.messages = messages;
    this.#sent = isSent;
  }

  /** The id that it has on its connection. */
  get id(): bigint {
    return this.#id;
  }

  /** Whether this side's end was sent. */
  get hasEnded(): boolean {
    return this.#sent;
  }

  /** The bytes that nobody has taken. */
  get held(): number {
    return this.#inbox.held;
  }

  // News from the connection.

  /** Takes chunks that have come. Where they ask for an Ack, the last of them has the number. */
  push(values: Values, asks?: bigint): void {
    this.#isUntouched = false;
    const { held } = this.#inbox;
    this.#inbox.push(values, asks);
    this.#link.load.holds(this.#inbox.held - held);
    this.#serve();
  }

  peerEnded(): void {
    this.#isUntouched = false;
    this.#peerEnded = true;
    this.#serve();
    this.#release();
  }

  /** The exchange has ended: it is opened again, if it may be [MXP-14.6], or fails. */
  lost(error: MxpError): void {
    if (error.acted || !this.#isUntouched || this.reopen === undefined || this.#error !== undefined) {
      this.fail(error);
      return;
    }
    this.#wait(-1);
    this.#isMoving = true;
    this.reopen(error);
  }

  /** Goes on as another exchange. */
  move(link: StreamLink, id: bigint): void {
    this.#link = link;
    this.#id = id;
    this.#isMoving = false;
    this.#wait(1);
    if (this.#error === undefined) {
      this.flush();
    } else { // it was cancelled meanwhile
      this.#attempt((session, now) => session.cancel(id, now));
      link.forget(this);
    }
  }

  /** Counts what waits to be sent, or no more: while it is opened again, it counts nowhere. */
  #wait(sign: 1 | -1): void {
    this.#outbox.forEach(({ value }) => this.#waits(sign * (value.length + chunkBytes)));
  }

  #waits(bytes: number): void {
    if (!this.#isMoving) {
      this.#link.load.waits(bytes);
    }
  }

  fail(error: MxpError): void {
    this.#error ??= error;
    const { held } = this.#inbox;
    this.#inbox.clear();
    this.#link.load.holds(-held);
    this.onOver();
    for (const waiting of this.#outbox.splice(0)) {
      this.#waits(-(waiting.value.length + chunkBytes));
      waiting.reject(error);
    }
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  // Acts of the user.

  /** Sends a value, when there is room for it. */
  send(value: Uint8Array, resolve: () => void, reject: (error: MxpError) => void): void {
    if (this.#error !== undefined || this.#sendEnds) {
      reject(this.#error ?? refusalError("exchange_ended"));
      return;
    }
    this.#outbox.push({ value, resolve, reject });
    this.#waits(value.length + chunkBytes);
    this.flush();
  }

  /** Ends this side's direction, behind what waits. */
  end(): void {
    this.#sendEnds = true;
    this.flush();
  }

  /** Gives the next value; undefined when the peer's direction has ended. */
  next(reader: Reader): void {
    if (this.#reader !== undefined) {
      reader.reject(refusalError("exchange_ended", "somebody waits for the next value already"));
      return;
    }
    this.#reader = reader;
    this.#serve();
  }

  /** Ends a stream that was opened here. */
  cancel(): void {
    if (this.#error === undefined && !this.#isOver) {
      this.fail(refusalError("cancelled"));
      if (this.#isMoving) {
        return;
      }
      this.#attempt((session, now) => session.cancel(this.id, now));
    }
    this.#link.forget(this);
  }

  /** Ends a stream of the peer's whose handler has returned. */
  served(): void {
    this.end();
    if (this.#error !== undefined) {
      return;
    }
    if (!this.#peerEnded) { // the peer still sends, and nobody reads it
      this.#attempt((session, now) => session.fail(this.id, failureFrom(refusalError("cancelled", "the handler has returned")), now));
    } else { // what it has not read is taken
      this.#acknowledge(this.#inbox.length);
    }
  }

  get #isOver(): boolean {
    return this.#peerEnded && this.#sent && this.#inbox.isEmpty;
  }

  /** Gives received chunks to the waiting reader. */
  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) {
      return;
    }
    const { held } = this.#inbox;
    const value = this.#inbox.pop();
    if (value !== undefined) {
      this.#reader = undefined;
      if (this.#inbox.held < held) {
        this.#link.load.holds(this.#inbox.held - held);
      }
      this.#took(value);
      reader.resolve(value);
    } else if (this.#error !== undefined) {
      this.#reader = undefined;
      reader.reject(this.#error);
    } else if (this.#peerEnded) {
      this.#reader = undefined;
      reader.resolve(undefined);
      this.#release();
    }
  }

  /** Grants anew what was taken, when that is half of the window [MXP-8.7]. */
  #took(value: Uint8Array): void {
    this.#takenMessages++;
    this.#takenBytes += value.length;
    this.#acknowledge(1);
    const half = this.#takenMessages >= this.messages / 2 || this.#takenBytes >= this.#link.windowBytes / 2;
    if (half && !this.#peerEnded && this.#error === undefined) {
      const [messages, bytes] = [this.#takenMessages, this.#takenBytes];
      this.#takenMessages = 0;
      this.#takenBytes = 0;
      this.#attempt((session, now) => session.grant(this.id, messages, BigInt(bytes), now));
    }
  }

  /** Says that chunks were taken, if one of them asks for that [MXP-8.5]. */
  #acknowledge(chunks: number): void {
    const number = this.#inbox.owes(chunks);
    if (number !== undefined) {
      this.#attempt((session, now) => session.ack(this.id, number, now));
    }
  }

  /** Does something with a stream that may have ended, whose end is then on the way. */
  #attempt(run: (session: Session, now: bigint) => void): void {
    try {
      this.#link.do(run);
    } catch {
      // it has ended
    }
  }

  /** Sends what waits, as far as there is room and credit. */
  flush(): void {
    if (this.#error !== undefined || this.#sent || this.#isMoving) {
      return;
    }
    try {
      this.#link.sendOn(this, this.#send);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "exchange_ended") {
        this.fail(toError(error));
      }
    }
    this.#release();
  }

  readonly #send = (session: Session, now: bigint): boolean => {
    for (let first = this.#outbox[0]; first !== undefined; first = this.#outbox[0]) {
      const most = session.largestChunk(this.id);
      if (most !== undefined && BigInt(first.value.length) > most) {
        first.reject(refusalError("stream_window", `a chunk of ${first.value.length} bytes, where ${most} are granted`, true));
      } else if (session.sendable(this.id, first.value.length)) {
        session.chunk(this.id, first.value, false, false, now);
        this.#isUntouched = false;
        first.resolve();
      } else {
        return true;
      }
      this.#outbox.shift();
      this.#waits(-(first.value.length + chunkBytes));
    }
    if (this.#sendEnds && !this.#sent) {
      this.#sent = true;
      session.finish(this.id, now);
    }
    return false;
  };

  /** Lets go of a stream whose directions have ended. */
  #release(): void {
    if (this.mine && this.#isOver) {
      this.onOver();
      this.#link.forget(this);
    }
  }
}
