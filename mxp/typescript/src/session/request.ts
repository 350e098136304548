import {
  type CallHead, encodeCallStart, encodeFarewell, encodeStreamStart, type Metadatum, type Trace,
} from "../control/mxp_control.js";
import { Flag, FrameType, type Header } from "../frame/index.js";
import { refusalKey } from "./clash.js";
import { Exchange, type ExchangeKind } from "./exchange.js";
import { Refusal } from "./failure.js";
import { batchedBytes, type SessionRefusal } from "./spec_gen.js";
import { type Mark, nothing, type State } from "./state.js";

/** The request of a Call, an Event or a stream. */
export interface SessionRequest {
  /** The position of the service in the peer's list. */
  readonly service: number;
  readonly method: number;
  /** Microseconds from now; 0 is for ever. Events have none. */
  readonly deadline?: bigint;
  readonly trace?: Trace | null;
  readonly metadata?: readonly Metadatum[];
}

/** The treatment of an Event when as much waits as can [MXP-9.5]: it is refused; it is dropped; or the oldest are. */
export type Full = "refuse" | "newest" | "oldest";

function headOf(r: SessionRequest, deadline: bigint): CallHead {
  return { service: r.service, method: r.method, deadline, trace: r.trace ?? null, metadata: [...(r.metadata ?? [])] };
}

/** The low half of a trace's id [MXP-5.5]. */
export function traceOf(trace: Trace | null | undefined): bigint {
  return trace == null ? 0n : new DataView(trace.id.buffer, trace.id.byteOffset, 16).getBigUint64(8);
}

/** Encodes the start of a payload, and refuses one that is too long [MXP-9.2]. */
export function prepare(s: State, type: number, encode: () => Uint8Array, value: number): Uint8Array {
  let start: Uint8Array;
  try {
    start = encode();
  } catch {
    throw new Refusal("payload_too_large"); // a text or a list does not fit its length
  }
  const most = s.longest(type);
  if (start.length + value > most) {
    throw new Refusal("payload_too_large", `a payload of ${start.length + value} bytes, where the peer takes ${most}`);
  }
  return start;
}

/** Refuses what can't be done before Hello and after the end. */
export function usable(s: State): void {
  if (s.over) {
    throw new Refusal("session_closed");
  }
  if (s.phase !== "ready") {
    throw new Refusal("session_not_ready");
  }
}

/** Refuses requests that can't be made now. */
function requesting(s: State): void {
  usable(s);
  if (s.drained || s.draining) {
    throw new Refusal("session_draining");
  }
}

/** Refuses requests of methods that can't be made now [MXP-5.9]. */
function checkMethods(s: State, r: SessionRequest): void {
  requesting(s);
  const difference = s.refusals.get(refusalKey(false, r.service, r.method));
  if (difference !== undefined) {
    throw new Refusal("session_schema", difference);
  }
}

/** Queues a request that was prepared, and gives it its place. */
function request(
  s: State, type: number, flags: number, kind: ExchangeKind, trace: bigint, deadline: bigint, start: Uint8Array, value: Uint8Array | undefined, now: bigint,
): Exchange {
  const bytes = start.length + (value?.length ?? 0);
  if (s.mine.size >= s.limits.inFlight) {
    throw new Refusal("limit_in_flight");
  }
  if (s.mineBytes > 0 && bytes > s.limits.inFlightBytes - s.mineBytes) {
    throw new Refusal("limit_in_flight_bytes");
  }
  if (s.full(bytes, false)) {
    throw new Refusal("limit_queue_bytes");
  }
  s.lastId += 2n;
  const e = new Exchange(s.lastId, trace, kind, true, bytes, now);
  s.mineBytes += bytes;
  s.myTime.set(e, now, deadline);
  s.mine.set(e.id, e);
  s.put({ type, flags, id: e.id, trace }, start, value === undefined ? [] : [value], { exchange: e }, now);
  return e;
}

/** Asks for an answer, and returns the request's id. It ends by a response, or ended. */
export function call(s: State, r: SessionRequest, value: Uint8Array, now: bigint): bigint {
  checkMethods(s, r);
  const deadline = r.deadline ?? 0n;
  const start = prepare(s, FrameType.Call, () => encodeCallStart({ head: headOf(r, deadline) }), value.length);
  return request(s, FrameType.Call, 0, "call", traceOf(r.trace), deadline, start, value, now).id;
}

/** Opens a stream, and grants the peer what it may send on it. A final one sends nothing but the value. */
export function open(s: State, r: SessionRequest, messages: number, bytes: bigint, value: Uint8Array, final: boolean, now: bigint): bigint {
  checkMethods(s, r);
  const deadline = r.deadline ?? 0n;
  const start = prepare(s, FrameType.StreamOpen, () => encodeStreamStart({ head: headOf(r, deadline), grant: { messages, bytes } }), value.length);
  const e = request(s, FrameType.StreamOpen, final ? Flag.Final : 0, "stream", traceOf(r.trace), deadline, start, value, now);
  e.in.grant(messages, bytes);
  e.out.ended = final;
  return e.id;
}

/** Sends an Event. If it asks for an Ack, it is a request. The id is undefined if it was dropped. */
export function event(s: State, r: SessionRequest, value: Uint8Array, ack: boolean, full: Full, now: bigint): bigint | undefined {
  checkMethods(s, r);
  const start = prepare(s, FrameType.Event, () => encodeCallStart({ head: headOf(r, 0n) }), value.length);
  const trace = traceOf(r.trace);
  if (ack) {
    return request(s, FrameType.Event, Flag.RequiresAck, "event", trace, 0n, start, value, now).id;
  }
  const n = start.length + value.length;
  if (full === "oldest") {
    s.stats.dropped += s.queue.dropEvents(s.most(n, false));
  }
  if (s.full(n, false)) {
    if (full === "refuse") {
      throw new Refusal("limit_queue_bytes");
    }
    s.stats.dropped++;
    return undefined;
  }
  return add(s, { type: FrameType.Event, flags: 0, id: 0n, trace }, start, value, { spare: true }, now);
}

/** Puts a value into the frame that was made last, if it can join that [MXP-17.6]; else it makes a frame. Gives the frame's id. */
export function add(s: State, header: Header, start: Uint8Array, value: Uint8Array, mark: Mark, now: bigint): bigint {
  const joins = s.batches && value.length <= batchedBytes;
  if (joins) {
    const id = s.queue.join(header, start, value, s.accepts);
    if (id !== undefined) {
      return id;
    }
  }
  let { id } = header;
  if (id === 0n) {
    s.lastId += 2n;
    id = s.lastId;
  }
  s.put({ ...header, id }, start, [value], mark, now, joins && header.flags === 0);
  return id;
}

/** Takes a request back, which ends with `cancelled` [MXP-7.6]. */
export function cancel(s: State, id: bigint, now: bigint): void {
  usable(s);
  const e = s.mine.get(id);
  if (e === undefined) {
    throw new Refusal("exchange_ended");
  }
  takeBack(s, e, "cancelled", now);
  s.settle(now);
}

/** Ends a request that was made here, at both ends. */
export function takeBack(s: State, e: Exchange, why: SessionRefusal, now: bigint): void {
  s.forget(e);
  s.tell({ kind: "ended", id: e.id, failure: s.failure(why, { acted: e.sent }) });
  if (e.sent) {
    s.send({ type: FrameType.Cancel, id: e.id, trace: e.trace }, nothing, now);
  } else {
    s.queue.dropAll(e);
  }
}

/** Asks the peer for a sign of life [MXP-10.3], or is one where this side does not read [MXP-10.8]. */
export function ping(s: State, now: bigint): void {
  s.lastId += 2n;
  s.ponged = s.lastId;
  s.asked = now;
  if (!s.paused) {
    s.pinged = s.lastId;
  }
  s.send({ type: FrameType.Ping, id: s.lastId }, nothing, now);
}

/** Says that this side takes no new requests [MXP-11.1]; as soon as the session is ready, if it is not. */
export function drain(s: State, reason: string, now: bigint): void {
  if (s.over) {
    throw new Refusal("session_closed");
  }
  if (s.drained) {
    return;
  }
  prepare(s, FrameType.Drain, () => encodeFarewell({ reason, last: s.peerId }), 0);
  if (s.phase === "ready") {
    farewell(s, reason, now);
  } else if (s.leaving === undefined) {
    s.leaving = reason;
    s.left = now;
  }
}

/** Sends Drain, once. */
export function farewell(s: State, reason: string, now: bigint): void {
  if (!s.drained) {
    s.drained = true;
    s.send({ type: FrameType.Drain }, encodeFarewell({ reason, last: s.peerId }), now);
  }
}

/** Makes an agent request. */
export function agentRequest(s: State, type: number, encode: () => Uint8Array, now: bigint): bigint {
  requesting(s);
  const start = prepare(s, type, encode, 0);
  return request(s, type, 0, "agents", 0n, 0n, start, undefined, now).id;
}
