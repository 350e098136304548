import { FrameReader, FrameType, type Header } from "../frame/index.js";
import { payloadBytes } from "../frame/spec_gen.js";
import type { Clash, Difference } from "./clash.js";
import { type Config, defaultLimits, type Limits, never } from "./config.js";
import { Deadlines, type Exchange } from "./exchange.js";
import { type Failure, failureOf, type RefusalName, statusOf } from "./failure.js";
import type { Incoming } from "./incoming.js";
import { isSign, Queue, type QueuedFrame } from "./queue.js";
import { rules } from "./rules_gen.js";
import { controlBytes } from "./spec_gen.js";
import { Stats } from "./stats.js";
import { Tally } from "./tally.js";

/** How far a session is: the peer's Hello is awaited, its Layouts, nothing; only an Error is left to be sent; nothing is. */
export type Phase = "greeting" | "comparing" | "ready" | "ended" | "finished";

/** From which length on a payload is large [MXP-9.1]. */
const bulk = 16 << 10;

/** The bytes counted for an exchange, and for a text of the peer's Hello beside its own bytes [MXP-15.1]. */
const exchangeBytes = 1 << 10;
export const textBytes = 32;

export const nothing: Uint8Array = new Uint8Array(0);

/** The exchange of a frame that is made, and the properties of the frame. */
export interface Mark {
  readonly exchange?: Exchange | undefined;
  readonly reply?: boolean;
  readonly spare?: boolean;
}

/** The state of one side of one connection, which the modules beside this one change. */
export class State {
  readonly config: Config;
  readonly limits: Limits;
  readonly payloadBytes: number;
  readonly reader: FrameReader;
  readonly queue: Queue = new Queue();
  readonly stats: Stats = new Stats();
  readonly refused: Tally;
  /** Made here, and not yet given to the user. */
  events: Incoming[] = [];

  phase: Phase = "greeting";
  readonly started: bigint;
  /** The peer's services, the longest payload that it takes, and whether trailers are written and batches made. */
  services: readonly string[] = [];
  accepts: number = payloadBytes;
  checksum = true;
  batches = false;
  /** While the peer's Layouts are awaited; and why methods are refused, by their keys. */
  clashes: Clash[] = [];
  readonly refusals: Map<string, string> = new Map();
  readonly differences: Difference[] = [];
  /** The joint layout text as it was sent. */
  joint = "";
  /** Types of which fingerprints alone are compared, by their names. */
  readonly uncompared: string[] = [];

  /** The last id that was given out here, and the last that came. */
  lastId: bigint;
  peerId = 0n;
  readonly mine: Map<bigint, Exchange> = new Map();
  readonly theirs: Map<bigint, Exchange> = new Map();
  readonly myTime: Deadlines = new Deadlines();
  readonly theirTime: Deadlines = new Deadlines();
  /** The payloads of the peer's requests, the payloads of this side's, and the texts of the peer's Hello. */
  bytes = 0;
  mineBytes = 0;
  texts = 0;

  /** Why Drain is to be made once the session is ready, and since when. */
  leaving: string | undefined;
  left = 0n;
  /** Drain was made; Drain has come; the last of this side's requests that had come to the peer then. */
  drained = false;
  draining = false;
  taken: bigint = never;
  /** Since when nothing but Pings and Pongs is left to do, once Drain was made. */
  rested: bigint = never;
  /** The user knows of the end. */
  reported = false;

  /** A frame has begun to come, and when; when the last byte came. */
  partial = false;
  since = 0n;
  heard: bigint;
  /** The id of a Ping that waits for anything to come, or 0; when one was made; the id of the last until its Pong has come. */
  pinged = 0n;
  asked = 0n;
  ponged = 0n;
  /** When something went out, or into the empty queue; was given out last; and when the transport moved last. */
  progress = 0n;
  gave: bigint;
  moved = 0n;
  /** When another frame than Ping and Pong came or went. */
  busy: bigint;
  /** The user does not read, and since when. */
  paused = false;
  pause = 0n;

  constructor(config: Config, now: bigint) {
    const { payloadBytes: most = payloadBytes } = config;
    this.config = config;
    this.payloadBytes = most <= 0 || most > payloadBytes ? payloadBytes : most;
    const limits = { ...defaultLimits, ...config.limits };
    this.limits = { ...limits, ping: limits.ping || never, idle: limits.idle || never };
    this.reader = new FrameReader({ limit: this.payloadBytes });
    this.refused = new Tally(this.limits.refusals, this.limits.refusalsPerMs, now);
    this.started = now;
    this.heard = now;
    this.gave = now;
    this.busy = now;
    this.lastId = config.role === "opener" ? -1n : 0n; // the first is 1 or 2
  }

  get over(): boolean {
    return this.phase === "ended" || this.phase === "finished";
  }

  /** How many bytes the session holds [MXP-15.1]. */
  get held(): number {
    const reading = this.over ? 0 : this.reader.buffered; // one that has ended reads nothing any more
    return this.backlog + reading;
  }

  get backlog(): number {
    return this.queue.bytes + this.bytes + exchangeBytes * (this.mine.size + this.theirs.size) + this.texts;
  }

  /** Whether as much waits as can where a frame with a payload of so many bytes is to join it, or a chunk [MXP-9.1]. */
  full(payload: number, chunk: boolean): boolean {
    return this.queue.bytes >= this.most(payload, chunk);
  }

  most(payload: number, chunk: boolean): number {
    const { bulkBytes, queueBytes } = this.limits;
    return chunk || payload >= bulk ? Math.min(bulkBytes, queueBytes) : queueBytes;
  }

  /** Makes an event that the user is given. */
  tell(event: Incoming): void {
    this.events.push(event);
  }

  /** The longest payload of a frame of a type. */
  longest(type: number): number {
    return rules[type]?.own === true ? Math.min(this.accepts, controlBytes) : this.accepts;
  }

  /** Makes a frame, which others may join if it `opens`. */
  put(header: Header, start: Uint8Array, values: Uint8Array[], mark: Mark, now: bigint, opens = false): void {
    if (this.queue.empty) {
      this.progress = now;
    }
    const size = 40 + start.length + values.reduce((n, value) => n + value.length, 0);
    const { exchange, reply = false, spare = false } = mark;
    const checksum = this.checksum || header.type === FrameType.Hello; // [MXP-6.1]
    this.queue.add({ header, start, values, size, checksum, exchange, reply, spare }, opens);
  }

  /**
   * Makes a frame of the protocol's own, without a check of the length that the peer takes: a peer that takes no Error
   * learns nothing from one.
   */
  send(header: Partial<Header> & { readonly type: number }, payload: Uint8Array, now: bigint, mark: Mark = {}): void {
    this.put({ flags: 0, id: 0n, trace: 0n, ...header }, payload, [], mark, now);
  }

  /** Makes a frame that nobody has asked the user about [MXP-9.4]. */
  reply(header: Partial<Header> & { readonly type: number }, payload: Uint8Array, now: bigint): void {
    this.send(header, payload, now, { reply: true });
  }

  /** Counts a frame that was given out. */
  gone(f: QueuedFrame, now: bigint): void {
    this.progress = now;
    this.gave = now;
    this.stirred(f.header.type, now);
    this.stats.frame("out", f.header.type, f.size);
    if (f.exchange !== undefined) {
      f.exchange.sent = true;
    }
    this.settle(now);
  }

  /** Notes that a frame came or went [MXP-10.7]. */
  stirred(type: number, now: bigint): void {
    if (!isSign(type)) {
      this.busy = now;
    }
  }

  /** Whether an id is one of this side's [MXP-5.2]. */
  isMine(id: bigint): boolean {
    return id !== 0n && (id & 1n) === (this.lastId & 1n);
  }

  /** Counts a refusal that the peer has caused [MXP-9.7]. */
  caused(now: bigint): void {
    if (this.refused.caused(now)) {
      this.stats.refusal("limit_refusals");
    }
  }

  /** Whether no frame is read, until some of the session's own frames were sent [MXP-9.4], or for a while [MXP-9.7]. */
  get deaf(): boolean {
    return this.queue.replies >= this.limits.replyBytes || this.refused.over;
  }

  /** Finds out whether the session is finished [MXP-11.1, MXP-11.2]. */
  settle(now: bigint): void {
    const rests = this.queue.waiting === this.queue.signs && this.drained && this.mine.size + this.theirs.size === 0;
    if (this.phase === "ended" && this.queue.empty) {
      this.phase = "finished";
    } else if (this.phase !== "ready") {
      return;
    } else if (!rests) {
      this.rested = never;
    } else if (this.draining && this.queue.empty) {
      this.phase = "finished";
    } else if (this.rested === never) {
      this.rested = now;
    }
  }

  /** The failure of a refusal of this side's. */
  failure(name: RefusalName, more: Partial<Failure> = {}): Failure {
    return failureOf(statusOf(name), name, more);
  }

  /** Forgets all exchanges. */
  clear(): void {
    this.mine.clear();
    this.theirs.clear();
    this.myTime.clear();
    this.theirTime.clear();
    this.bytes = 0;
    this.mineBytes = 0;
    this.reader.release();
  }

  /** Takes an exchange that was made here out of the table. */
  forget(e: Exchange): void {
    this.myTime.remove(e);
    this.mineBytes -= e.bytes;
    this.mine.delete(e.id);
  }

  /** Gives the place of a request of the peer's away. */
  free(e: Exchange, now: bigint): void {
    this.theirTime.remove(e);
    this.bytes -= e.bytes;
    this.theirs.delete(e.id);
    this.settle(now);
  }
}

