import { type CallHead, decodeCallStart, encodeFailure, encodeResponseStart, type Metadatum } from "../control/mxp_control.js";
import {
  type Agent, decodeHeartbeat, decodeQuery, decodeRegistration, encodeAgents, encodeLease, type Lease,
} from "../control/mxp_registry.js";
import { Flag, type Frame, FrameType } from "../frame/index.js";
import { refusalKey } from "./clash.js";
import { Exchange, type ExchangeKind } from "./exchange.js";
import { type Failure, Refusal } from "./failure.js";
import type { Head, Incoming, Why } from "./incoming.js";
import { prepare, traceOf, usable } from "./request.js";
import type { SessionRefusal } from "./spec_gen.js";
import { nothing, type State } from "./state.js";
import { failPayload, recordsOf, startOf } from "./handle.js";

const noHead: CallHead = { service: 0, method: 0, deadline: 0n, trace: null, metadata: [] };

/** Gives a request of the peer's its place, or refuses it. `wrong` is why it can't be served at all. */
export function accept(s: State, f: Frame, kind: ExchangeKind, wrong: SessionRefusal | undefined, head: CallHead, now: bigint): Exchange | undefined {
  const trace = traceOf(head.trace);
  let why = wrong;
  if (s.drained) {
    why = "session_draining";
  } else if (why === undefined && s.theirs.size >= s.limits.inFlight) {
    why = "limit_in_flight";
  } else if (why === undefined && f.payload.length > s.limits.inFlightBytes - s.bytes) {
    why = "limit_in_flight_bytes";
  }
  if (why !== undefined) {
    s.caused(now);
    refuse(s, f.id, trace, why, true, now);
    return undefined;
  }
  const e = new Exchange(f.id, trace, kind, false, f.payload.length, now);
  s.theirTime.set(e, now, head.deadline);
  s.bytes += e.bytes;
  s.theirs.set(e.id, e);
  return e;
}

/** Why a method can't be served [MXP-6.8, MXP-7.3]. */
export function unserved(s: State, head: CallHead): SessionRefusal | undefined {
  if (head.service >= (s.config.services?.length ?? 0)) {
    return "service_unknown";
  }
  return s.refusals.has(refusalKey(true, head.service, head.method)) ? "session_schema" : undefined;
}

/** Answers a request with a refusal [MXP-7.2]. */
export function refuse(s: State, id: bigint, trace: bigint, why: SessionRefusal, isRefusal: boolean, now: bigint): void {
  s.stats.refusal(why);
  const { status, name } = s.failure(why);
  s.reply({ type: FrameType.Error, id, trace }, encodeFailure({ status, refused: isRefusal, name, text: "", details: nothing }), now);
}

/** The head of a request of the peer. */
export function headIn(f: Frame, head: CallHead): Head {
  const { service, method, deadline, trace, metadata } = head;
  return { id: f.id, service, method, deadline, trace: trace ?? null, metadata };
}

export function takeCall(s: State, f: Frame, now: bigint): Incoming | undefined {
  const read = startOf(s, f, decodeCallStart, now);
  if (read === undefined) {
    return undefined;
  }
  const { head } = read.start;
  return accept(s, f, "call", unserved(s, head), head, now) && { kind: "call", ...headIn(f, head), value: read.rest };
}

export function takeEvent(s: State, f: Frame, now: bigint): Incoming | undefined {
  const read = startOf(s, f, decodeCallStart, now);
  if (read === undefined) {
    return undefined;
  }
  const head = { ...read.start.head, deadline: 0n };
  const wrong = unserved(s, head);
  const ack = (f.flags & Flag.RequiresAck) !== 0;
  if (ack) {
    if (accept(s, f, "event", wrong, head, now) === undefined) {
      return undefined;
    }
  } else if (wrong !== undefined) {
    passOver(s, wrong, 1, now);
    return undefined;
  }
  return { kind: "event", ...headIn(f, head), ack, value: read.rest };
}

export function takeEvents(s: State, f: Frame, now: bigint): Incoming | undefined {
  const read = startOf(s, f, decodeCallStart, now);
  const values = read && recordsOf(s, read.rest, now);
  if (read === undefined || values === undefined) {
    return undefined;
  }
  const { head } = read.start;
  const wrong = unserved(s, head);
  if (wrong !== undefined) {
    passOver(s, wrong, values.length, now);
    return undefined;
  }
  return { kind: "events", ...headIn(f, head), values };
}

/** Counts Events that can't be served [MXP-7.3]. */
function passOver(s: State, why: SessionRefusal, events: number, now: bigint): void {
  for (let i = 0; i < events; i++) {
    s.caused(now);
  }
  s.stats.refusal(why, events);
}

export function takeAgent(s: State, f: Frame, now: bigint): Incoming | undefined {
  let asked: Incoming;
  try {
    asked = agentAsked(f);
  } catch (error) {
    failPayload(s, error, now);
    return undefined;
  }
  return accept(s, f, "agents", s.config.agents === true ? undefined : "agents_off", noHead, now) && asked;
}

function agentAsked(f: Frame): Incoming {
  switch (f.type) {
    case FrameType.AgentRegister:
      return { kind: "register", id: f.id, registration: decodeRegistration(f.payload) };
    case FrameType.AgentHeartbeat:
      return { kind: "heartbeat", id: f.id, name: decodeHeartbeat(f.payload).name };
    default:
      return { kind: "discover", id: f.id, query: decodeQuery(f.payload) };
  }
}

export function takeCancel(s: State, f: Frame, now: bigint): Incoming | undefined {
  const e = s.theirs.get(f.id);
  if (e === undefined || e.ended) {
    s.stats.late++;
    return undefined;
  }
  if (e.out.number === 0n) {
    s.caused(now);
  }
  s.theirTime.remove(e);
  e.ended = true;
  return { kind: "cancelled", id: e.id, why: "peer" };
}

/** Ends a request of the peer's, which keeps its place [MXP-7.8]. */
export function abandon(s: State, e: Exchange, why: Why): void {
  e.ended = true;
  s.tell({ kind: "cancelled", id: e.id, why });
}

/** A live request of the peer's. An ended request loses its place. */
function serving(s: State, id: bigint, now: bigint): Exchange {
  usable(s);
  const e = s.theirs.get(id);
  if (e?.ended === true) {
    s.free(e, now);
  }
  if (e === undefined || e.ended) {
    throw new Refusal("exchange_ended");
  }
  return e;
}

/** Answers a call. */
export function respond(s: State, id: bigint, metadata: readonly Metadatum[], value: Uint8Array, now: bigint): void {
  const e = serving(s, id, now);
  if (e.kind !== "call" && e.kind !== "agents") {
    throw new Refusal("exchange_ended");
  }
  const start = prepare(s, FrameType.Response, () => encodeResponseStart({ head: { metadata: [...metadata] } }), value.length);
  if (s.full(start.length + value.length, false)) {
    throw new Refusal("limit_queue_bytes");
  }
  s.put({ type: FrameType.Response, flags: 0, id, trace: e.trace }, start, [value], {}, now);
  s.refused.answered();
  s.free(e, now);
}

/** Answers a registration, or a heartbeat. */
export function respondLease(s: State, id: bigint, lease: Lease, now: bigint): void {
  respond(s, id, [], encodeLease(lease), now);
}

/** Answers a query. */
export function respondAgents(s: State, id: bigint, agents: readonly Agent[], now: bigint): void {
  respond(s, id, [], prepare(s, FrameType.Response, () => encodeAgents({ agents: [...agents] }), 0), now);
}

/** Answers a request of any kind with an Error. */
export function failRequest(s: State, id: bigint, f: Failure, now: bigint): void {
  const e = serving(s, id, now);
  const { status, name, text, details, acted } = f;
  const payload = prepare(s, FrameType.Error, () => encodeFailure({ status, refused: !acted, name, text, details }), 0);
  s.put({ type: FrameType.Error, flags: 0, id, trace: e.trace }, payload, [], {}, now);
  if (!acted) {
    s.caused(now);
  }
  s.free(e, now);
}

/**
 * Gives the place of a request away that was cancelled. A request that is still to be answered is failed with
 * `cancelled`.
 */
export function release(s: State, id: bigint, now: bigint): void {
  usable(s);
  const e = s.theirs.get(id);
  if (e === undefined) {
    throw new Refusal("exchange_ended");
  }
  if (!e.ended) {
    refuse(s, id, e.trace, "cancelled", false, now);
  }
  s.free(e, now);
}
