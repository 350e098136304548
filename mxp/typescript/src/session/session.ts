import { encodeHeartbeat, encodeQuery, encodeRegistration, type Agent, type Lease, type Query, type Registration } from "../control/mxp_registry.js";
import { FrameType, type Piece } from "../frame/index.js";
import type { Config } from "./config.js";
import { endWith, lose } from "./ending.js";
import type { Failure } from "./failure.js";
import { greet } from "./hello.js";
import type { Incoming, Metadatum } from "./incoming.js";
import { putQueued, type QueuedFrame } from "./queue.js";
import { receive } from "./receive.js";
import { agentRequest, call, cancel, drain, event, type Full, open, type SessionRequest } from "./request.js";
import { type Difference, refusalKey } from "./clash.js";
import { failRequest, release, respond, respondAgents, respondLease } from "./serve.js";
import { State } from "./state.js";
import type { Gauges, Stats } from "./stats.js";
import { ack, chunk, finish, grant, largestChunk, overrun, overrunStream, sendable } from "./stream.js";
import { fail } from "./ending.js";
import { nextTimeout, pause, resume, tick } from "./timing.js";

/**
 * One side of one connection, as sections 5 to 12 of spec/mxp.md have it. It does no input or output
 * and reads no clock. The owner of a connection hands it bytes and the time, and asks it for events, frames and the
 * next timeout. Times are microseconds that never decrease, from any start.
 *
 * Values that are given to it must not change any more. An impossible call is refused by a `Refusal`, and then nothing
 * has changed.
 */
export class Session {
  readonly #s: State;

  /** Made at the time at which the connection was. */
  constructor(config: Config, now: bigint) {
    this.#s = new State(config, now);
    greet(this.#s, now);
  }

  /** Whether requests can be made. */
  get ready(): boolean {
    return this.#s.phase === "ready";
  }

  /** Whether nothing is left to do, and the connection is to be closed [MXP-11.1]. */
  get finished(): boolean {
    return this.#s.phase === "finished";
  }

  /** The services that the peer serves; a position is a service's number. */
  get services(): readonly string[] {
    return this.#s.services;
  }

  /** How many requests of this side's and of the peer's have a place. */
  get places(): { readonly mine: number; readonly theirs: number } {
    return { mine: this.#s.mine.size, theirs: this.#s.theirs.size };
  }

  /** How many bytes wait to be sent, and how many the session holds [MXP-15.1]. */
  get queued(): number {
    return this.#s.queue.bytes;
  }

  get held(): number {
    return this.#s.held;
  }

  /** How many of them are no part of a frame that has not come whole [MXP-15.3]. */
  get backlog(): number {
    return this.#s.backlog;
  }

  /** How many bytes have come of a frame that has not come whole. */
  get reading(): number {
    return this.#s.reader.buffered;
  }

  /** The methods that are refused [MXP-6.8]. */
  get differences(): readonly Difference[] {
    return this.#s.differences;
  }

  /**
   * The names of the types of which the sides compared fingerprints alone [MXP-6.5]: the peer is of a
   * release before 0.4, or the texts were too long.
   */
  get uncompared(): readonly string[] {
    return this.#s.uncompared;
  }

  /** Why requests of a method of the peer's are refused, or nothing. */
  difference(service: number, method: number): string {
    return this.#s.refusals.get(refusalKey(false, service, method)) ?? "";
  }

  /**
   * Takes received bytes, cuts the used bytes off the piece, and gives the next event. It is to be called until there
   * is none. If bytes are left then, they are to be given again once something was sent [MXP-9.4], or the next timeout
   * has come [MXP-9.7].
   */
  receive(piece: Piece, now: bigint): Incoming | undefined {
    return receive(this.#s, piece, now);
  }

  /** The next event that was made here: by tick, by lost, or by a call of the user. */
  next(): Incoming | undefined {
    return this.#s.events.shift();
  }

  /** The next frame, which then counts as sent [MXP-7.4]. */
  pollFrame(now: bigint): Uint8Array | undefined {
    return this.#poll(0, now);
  }

  /** The next frames side by side, until they have so many bytes: what is not given out can still be taken back. */
  poll(bytes: number, now: bigint): Uint8Array | undefined {
    return this.#poll(bytes, now);
  }

  #poll(most: number, now: bigint): Uint8Array | undefined {
    const frames: QueuedFrame[] = [];
    let size = 0;
    do {
      const f = this.#s.queue.take();
      if (f === undefined) {
        break;
      }
      frames.push(f);
      size += f.size;
    } while (size < most);
    if (frames.length === 0) {
      return undefined;
    }
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const f of frames) {
      at = putQueued(bytes, at, f);
      this.#s.gone(f, now);
    }
    return bytes;
  }

  /** When tick has something to do [MXP-10.2]; undefined if that is never. */
  get nextTimeout(): bigint | undefined {
    return nextTimeout(this.#s);
  }

  /** Does what is due [MXP-10.1]. */
  tick(now: bigint): void {
    tick(this.#s, now);
  }

  /** Says that the connection is gone [MXP-11.3]. */
  lost(): void {
    lose(this.#s);
  }

  /** Says that the transport has taken further bytes of given frames, after it had not taken all at once [MXP-10.6]. */
  moved(now: bigint): void {
    this.#s.moved = now;
  }

  /** Says that the transport has taken nothing for as long as the limit has it [MXP-10.5]. */
  stalled(now: bigint): void {
    if (!this.#s.over) {
      fail(this.#s, "session_stalled", now);
    }
  }

  /** Says that the user reads no more for now, by his own choice; resume, that he goes on [MXP-10.8]. */
  pause(now: bigint): void {
    pause(this.#s, now);
  }

  resume(now: bigint): void {
    resume(this.#s, now);
  }

  /** Ends the session of a peer that is not let in, which is told why, and that nobody has acted on anything. */
  reject(failure: Failure, now: bigint): void {
    if (!this.#s.over) {
      endWith(this.#s, failure, true, now);
    }
  }

  /** Ends the session of a connection that holds too much [MXP-15.4]; or a stream of it, by its id [MXP-15.3]. */
  overrun(now: bigint, id?: bigint): void {
    if (id === undefined) {
      overrun(this.#s, now);
    } else {
      overrunStream(this.#s, id, now);
    }
  }

  /** Asks for an answer, and returns the request's id. It ends by a response, or ended. */
  call(r: SessionRequest, value: Uint8Array, now: bigint): bigint {
    return call(this.#s, r, value, now);
  }

  /** Opens a stream, and grants the peer what it may send on it. A final one sends nothing but the value. */
  open(r: SessionRequest, messages: number, bytes: bigint, value: Uint8Array, final: boolean, now: bigint): bigint {
    return open(this.#s, r, messages, bytes, value, final, now);
  }

  /** Sends an Event. If it asks for an Ack, it is a request. The id is undefined if it was dropped. */
  event(r: SessionRequest, value: Uint8Array, ack: boolean, full: Full, now: bigint): bigint | undefined {
    return event(this.#s, r, value, ack, full, now);
  }

  /** Takes a request back, which ends with `cancelled` [MXP-7.6]. */
  cancel(id: bigint, now: bigint): void {
    cancel(this.#s, id, now);
  }

  /** Sends a chunk, and returns its number. It takes credit [MXP-8.3]. */
  chunk(id: bigint, value: Uint8Array, final: boolean, ack: boolean, now: bigint): bigint {
    return chunk(this.#s, id, value, final, ack, now);
  }

  /** Whether a chunk of so many bytes would be taken now. */
  sendable(id: bigint, bytes: number): boolean {
    return sendable(this.#s, id, bytes);
  }

  /** How many bytes a chunk may have that is sure to be granted, in time [MXP-8.7]; undefined until something was granted. */
  largestChunk(id: bigint): bigint | undefined {
    return largestChunk(this.#s, id);
  }

  /** Ends this side's direction of a stream. */
  finish(id: bigint, now: bigint): void {
    finish(this.#s, id, now);
  }

  /** Lets the peer send more on a stream. */
  grant(id: bigint, messages: number, bytes: bigint, now: bigint): void {
    grant(this.#s, id, messages, bytes, now);
  }

  /** Says that a chunk, and all before it, were taken; or an Event, whose chunk is 0. */
  ack(id: bigint, number: bigint, now: bigint): void {
    ack(this.#s, id, number, now);
  }

  /** Answers a call. */
  respond(id: bigint, metadata: readonly Metadatum[], value: Uint8Array, now: bigint): void {
    respond(this.#s, id, metadata, value, now);
  }

  respondLease(id: bigint, lease: Lease, now: bigint): void {
    respondLease(this.#s, id, lease, now);
  }

  respondAgents(id: bigint, agents: readonly Agent[], now: bigint): void {
    respondAgents(this.#s, id, agents, now);
  }

  /** Answers a request of any kind with an Error. */
  fail(id: bigint, failure: Failure, now: bigint): void {
    failRequest(this.#s, id, failure, now);
  }

  /**
   * Gives the place of a request away that was cancelled. A request that is still to be answered is failed with
   * `cancelled`.
   */
  release(id: bigint, now: bigint): void {
    release(this.#s, id, now);
  }

  /** Says that this side takes no new requests [MXP-11.1]; as soon as the session is ready, if it is not. */
  drain(reason: string, now: bigint): void {
    drain(this.#s, reason, now);
  }

  /** Asks the peer for a lease of a name. It is answered by a response whose value is a Lease. */
  register(r: Registration, now: bigint): bigint {
    return agentRequest(this.#s, FrameType.AgentRegister, () => encodeRegistration(r), now);
  }

  /** Renews a lease, and is answered as register is. */
  heartbeat(name: string, now: bigint): bigint {
    return agentRequest(this.#s, FrameType.AgentHeartbeat, () => encodeHeartbeat({ name }), now);
  }

  /** Asks the peer for agents. It is answered by a response whose value is Agents. */
  discover(q: Query, now: bigint): bigint {
    return agentRequest(this.#s, FrameType.AgentDiscover, () => encodeQuery(q), now);
  }

  /** The counters. */
  get stats(): Stats {
    return this.#s.stats;
  }

  /** The gauges of this moment. */
  get gauges(): Gauges {
    const { mine, theirs, queue, held } = this.#s;
    return { inFlightHere: mine.size, inFlightPeer: theirs.size, queueBytes: queue.bytes, queueFrames: queue.waiting, heldBytes: held };
  }

  /** The counters, in the text format of Prometheus. */
  prometheus(): string {
    return this.stats.prometheus(this.gauges);
  }
}
