import { decodeGrant, decodeStreamStart, encodeGrant, encodeTaken } from "../control/mxp_control.js";
import { Flag, type Frame, FrameType, type Header } from "../frame/index.js";
import { fail } from "./ending.js";
import type { Exchange } from "./exchange.js";
import { Refusal } from "./failure.js";
import type { Incoming, Why } from "./incoming.js";
import { Values } from "./records.js";
import { add, prepare, takeBack, usable } from "./request.js";
import { abandon, accept, headIn, refuse, unserved } from "./serve.js";
import type { SessionRefusal } from "./spec_gen.js";
import { type Mark, nothing, type State } from "./state.js";
import { failPayload, find, recordsOf, startOf } from "./handle.js";

/** A live stream of either side. */
function streamOf(s: State, id: bigint): Exchange {
  usable(s);
  const e = (s.isMine(id) ? s.mine : s.theirs).get(id);
  if (e === undefined || e.ended || e.kind !== "stream") {
    throw new Refusal("exchange_ended");
  }
  return e;
}

/** A live stream whose own direction has not ended. */
function sending(s: State, id: bigint): Exchange {
  const e = streamOf(s, id);
  if (e.out.ended) {
    throw new Refusal("exchange_ended");
  }
  return e;
}

function header(e: Exchange, type: number, flags = 0): Header {
  return { type, flags, id: e.id, trace: e.trace };
}

/** Frames of an exchange leave the queue with it, where it was made here. */
function marked(e: Exchange): Mark {
  return e.mine ? { exchange: e } : {};
}

/** Sends a chunk, and returns its number. It takes credit [MXP-8.3]. */
export function chunk(s: State, id: bigint, value: Uint8Array, final: boolean, ack: boolean, now: bigint): bigint {
  const e = sending(s, id);
  prepare(s, FrameType.StreamChunk, () => nothing, value.length);
  if (!e.out.fits(1, value.length)) {
    throw new Refusal("stream_credit");
  }
  if (s.full(value.length, true)) {
    throw new Refusal("limit_queue_bytes");
  }
  e.out.take(1, value.length, final, ack);
  const { number } = e.out;
  add(s, header(e, FrameType.StreamChunk, (final ? Flag.Final : 0) | (ack ? Flag.RequiresAck : 0)), nothing, value, marked(e), now);
  streamed(s, e, now);
  return number;
}

/** Whether a chunk of so many bytes would be taken now. */
export function sendable(s: State, id: bigint, bytes: number): boolean {
  const e = sending(s, id);
  return e.out.fits(1, bytes) && !s.full(bytes, true);
}

/** How many bytes a chunk may have that is sure to be granted, in time [MXP-8.7]; undefined until something was granted. */
export function largestChunk(s: State, id: bigint): bigint | undefined {
  const { window } = streamOf(s, id).out;
  return window > 0n ? window / 2n : undefined;
}

/** Ends this side's direction of a stream. */
export function finish(s: State, id: bigint, now: bigint): void {
  const e = sending(s, id);
  e.out.ended = true;
  s.send(header(e, FrameType.StreamClose), nothing, now, marked(e));
  streamed(s, e, now);
}

/** Lets the peer send more on a stream. */
export function grant(s: State, id: bigint, messages: number, bytes: bigint, now: bigint): void {
  const e = streamOf(s, id);
  e.in.grant(messages, bytes);
  s.send(header(e, FrameType.Credit), encodeGrant({ messages, bytes }), now, marked(e));
}

/** Says that a chunk, and all before it, were taken. */
function ackStream(s: State, id: bigint, number: bigint, now: bigint): void {
  const e = streamOf(s, id);
  if (!e.in.ack(number)) {
    throw new Refusal("exchange_ended");
  }
  s.send(header(e, FrameType.Ack), encodeTaken({ chunk: number }), now, marked(e));
  streamed(s, e, now);
}

/** Says that a chunk, and all before it, were taken; or an Event, whose chunk is 0. */
export function ack(s: State, id: bigint, chunk: bigint, now: bigint): void {
  usable(s);
  const e = s.theirs.get(id);
  if (e === undefined || e.ended || e.kind !== "event" || chunk !== 0n) {
    ackStream(s, id, chunk, now);
    return;
  }
  s.send({ type: FrameType.Ack, id, trace: e.trace }, encodeTaken({ chunk: 0n }), now);
  s.refused.answered();
  s.free(e, now);
}

/** Ends a stream whose directions both have ended [MXP-8.1]. */
export function streamed(s: State, e: Exchange, now: bigint): void {
  if (e.out.over && e.in.over) {
    if (e.mine) {
      s.forget(e);
    } else {
      s.refused.answered();
      s.free(e, now);
    }
  }
  s.settle(now);
}

export function takeOpen(s: State, f: Frame, now: bigint): Incoming | undefined {
  const read = startOf(s, f, decodeStreamStart, now);
  if (read === undefined) {
    return undefined;
  }
  const { head, grant: { messages, bytes } } = read.start;
  const e = accept(s, f, "stream", unserved(s, head), head, now);
  if (e === undefined) {
    return undefined;
  }
  const final = (f.flags & Flag.Final) !== 0;
  e.out.grant(messages, bytes);
  e.in.ended = final;
  return { kind: "open", ...headIn(f, head), messages, bytes, final, value: read.rest };
}

export function takeChunk(s: State, f: Frame, now: bigint): Incoming | undefined {
  return takeValues(s, f, Values.one(f.payload), now);
}

export function takeChunks(s: State, f: Frame, now: bigint): Incoming | undefined {
  const values = recordsOf(s, f.payload, now);
  return values && takeValues(s, f, values, now);
}

function takeValues(s: State, f: Frame, values: Values, now: bigint): Incoming | undefined {
  const e = receiving(s, f, values.length, values.bytes, now);
  if (e === undefined) {
    return undefined;
  }
  const final = (f.flags & Flag.Final) !== 0;
  const ack = (f.flags & Flag.RequiresAck) !== 0;
  const number = e.in.number + 1n;
  e.in.take(values.length, values.bytes, final, ack);
  streamed(s, e, now);
  return { kind: "chunks", id: f.id, number, final, ack, values };
}

/** The stream that takes the chunks of a frame, if there is one. */
function receiving(s: State, f: Frame, chunks: number, bytes: number, now: bigint): Exchange | undefined {
  const e = find(s, f.id, (exchange) => exchange.kind === "stream", now);
  if (e === undefined) {
    return undefined;
  }
  if (e.in.ended) {
    s.stats.late++;
    return undefined;
  }
  if (!e.in.fits(chunks, bytes)) {
    overdrawn(s, e, now);
    return undefined;
  }
  return e;
}

export function takeClose(s: State, f: Frame, now: bigint): Incoming | undefined {
  const e = find(s, f.id, (exchange) => exchange.kind === "stream", now);
  if (e === undefined) {
    return undefined;
  }
  if (e.in.ended) {
    s.stats.late++;
    return undefined;
  }
  e.in.ended = true;
  streamed(s, e, now);
  return { kind: "finished", id: e.id };
}

export function takeCredit(s: State, f: Frame, now: bigint): Incoming | undefined {
  let granted: { messages: number; bytes: bigint };
  try {
    granted = decodeGrant(f.payload);
  } catch (error) {
    failPayload(s, error, now);
    return undefined;
  }
  const e = find(s, f.id, (exchange) => exchange.kind === "stream", now);
  if (e === undefined) {
    return undefined;
  }
  const { messages, bytes } = granted;
  e.out.grant(messages, bytes);
  return { kind: "granted", id: e.id, messages, bytes };
}

/** Ends a stream on which more was sent than granted [MXP-8.3]. */
function overdrawn(s: State, e: Exchange, now: bigint): void {
  if (!e.mine) {
    s.caused(now);
  }
  stop(s, e, "stream_credit", "credit", now);
}

/** Ends a stream at both ends. */
function stop(s: State, e: Exchange, why: SessionRefusal, reason: Why, now: bigint): void {
  if (e.mine) {
    s.stats.refusal(why);
    takeBack(s, e, why, now);
    return;
  }
  refuse(s, e.id, e.trace, why, false, now);
  s.theirTime.remove(e);
  abandon(s, e, reason);
}

/** Ends the stream that has most of the chunks that nobody takes, of a connection that holds more than it may [MXP-15.3]. */
export function overrunStream(s: State, id: bigint, now: bigint): void {
  stop(s, streamOf(s, id), "limit_connection_bytes", "memory", now);
}

/** Ends the session of the connection that holds most, where all together hold more than they may [MXP-15.4]. */
export function overrun(s: State, now: bigint): void {
  if (!s.over) {
    fail(s, "limit_server_bytes", now);
  }
}
