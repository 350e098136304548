import { decodeFailure, decodeFarewell, decodeResponseStart, decodeTaken } from "../control/mxp_control.js";
import { type Frame, FrameError, FrameType, type Piece } from "../frame/index.js";
import { overhead } from "../frame/frame.js";
import { endAll, fail } from "./ending.js";
import { min } from "./exchange.js";
import type { Exchange } from "./exchange.js";
import type { Failure } from "./failure.js";
import { hello } from "./hello.js";
import type { Incoming } from "./incoming.js";
import { farewell } from "./request.js";
import { type IdRule, type Rule, rules } from "./rules_gen.js";
import { takeAgent, takeCall, takeCancel, takeEvent, takeEvents } from "./serve.js";
import { batchBytes, controlBytes } from "./spec_gen.js";
import { nothing, type State } from "./state.js";
import { streamed, takeChunk, takeChunks, takeClose, takeCredit, takeOpen } from "./stream.js";
import { failPayload, find, startOf } from "./handle.js";

/** Takes received bytes, cuts the used bytes off the piece, and gives the next event. */
export function receive(s: State, piece: Piece, now: bigint): Incoming | undefined {
  for (;;) {
    const made = s.events.shift();
    if (made !== undefined) {
      return made;
    }
    if (s.over) {
      piece.bytes = nothing;
      return undefined;
    }
    if (piece.bytes.length > 0) {
      s.heard = now;
      s.pinged = 0n;
    }
    if (s.refused.over) {
      s.refused.pass(now);
    }
    if (s.deaf) {
      return undefined;
    }
    let f: Frame | undefined;
    try {
      f = s.reader.next(piece);
    } catch (error) {
      if (!(error instanceof FrameError)) {
        throw error;
      }
      fail(s, error.code, now);
      continue;
    }
    if (f === undefined) {
      if (!s.partial && s.reader.buffered > 0) {
        s.partial = true;
        s.since = now;
      }
      return undefined;
    }
    s.partial = false;
    s.stirred(f.type, now);
    s.stats.frame("in", f.type, f.payload.length + overhead);
    const event = checked(s, f, now);
    s.settle(now);
    if (event !== undefined) {
      return event;
    }
  }
}

/** Makes the checks of MXP-5.6, and does what the frame says. */
function checked(s: State, f: Frame, now: bigint): Incoming | undefined {
  const r = rules[f.type] as Rule;
  // While Layouts are awaited, an Error is about the session.
  const strays = s.phase === "comparing" && f.type === FrameType.Error && f.id !== 0n;
  if (strays || !r.states.includes(s.phase)) {
    fail(s, "session_hello", now);
  } else if (r.batch && !s.batches) {
    fail(s, "session_batch", now);
  } else if ((f.flags & ~r.flags) !== 0) {
    fail(s, "session_flags", now);
  } else if (r.own && f.payload.length > controlBytes) {
    fail(s, "limit_control_bytes", now);
  } else if (r.batch && f.payload.length > batchBytes) {
    fail(s, "limit_batch_bytes", now);
  } else if (!isNamed(s, f.id, r.id)) {
    fail(s, "session_id", now);
  } else {
    if (r.id === "new") {
      s.peerId = f.id;
    }
    return take(s, f, now);
  }
  return undefined;
}

/** Whether a frame may have an id. */
function isNamed(s: State, id: bigint, rule: IdRule): boolean {
  const mine = s.isMine(id) && id <= s.lastId;
  const theirs = id !== 0n && !s.isMine(id);
  switch (rule) {
    case "zero":
      return id === 0n;
    case "new":
      return theirs && id > s.peerId;
    case "ofReceiver":
      return mine;
    case "ofReceiverOrZero":
      return mine || id === 0n;
    case "ofSender":
      return theirs && id <= s.peerId;
    case "ofEither":
      return mine || (theirs && id <= s.peerId);
  }
}

const takers: Readonly<Record<number, (s: State, f: Frame, now: bigint) => Incoming | undefined>> = {
  [FrameType.Hello]: (s, f, now) => {
    hello(s, f.payload, now);
    return undefined;
  },
  [FrameType.Drain]: takeDrain,
  [FrameType.Call]: takeCall,
  [FrameType.Event]: takeEvent,
  [FrameType.Events]: takeEvents,
  [FrameType.StreamOpen]: takeOpen,
  [FrameType.AgentRegister]: takeAgent,
  [FrameType.AgentDiscover]: takeAgent,
  [FrameType.AgentHeartbeat]: takeAgent,
  [FrameType.Ping]: (s, f, now) => {
    s.reply({ type: FrameType.Pong, id: f.id }, nothing, now);
    return undefined;
  },
  [FrameType.Pong]: takePong,
  [FrameType.Response]: takeResponse,
  [FrameType.Error]: takeError,
  [FrameType.Cancel]: takeCancel,
  [FrameType.StreamChunk]: takeChunk,
  [FrameType.StreamChunks]: takeChunks,
  [FrameType.StreamClose]: takeClose,
  [FrameType.Credit]: takeCredit,
  [FrameType.Ack]: takeAck,
};

/** Does what a frame says whose header is right. */
function take(s: State, f: Frame, now: bigint): Incoming | undefined {
  return takers[f.type]?.(s, f, now);
}

function takeDrain(s: State, f: Frame, now: bigint): Incoming | undefined {
  let reason: string;
  let last: bigint | null;
  try {
    ({ reason, last = null } = decodeFarewell(f.payload));
  } catch (error) {
    failPayload(s, error, now);
    return undefined;
  }
  if (last !== null && !s.draining) {
    s.taken = last;
  }
  s.draining = true;
  farewell(s, reason, now);
  return { kind: "draining", reason };
}

/** Passes over Pongs: any byte shows that the peer is there. */
function takePong(s: State, f: Frame, now: bigint): undefined {
  if (f.id === s.ponged) {
    s.ponged = 0n;
  } else {
    find(s, f.id, () => false, now);
  }
}

function takeResponse(s: State, f: Frame, now: bigint): Incoming | undefined {
  const read = startOf(s, f, decodeResponseStart, now);
  const e = read && find(s, f.id, (exchange) => exchange.kind === "call" || exchange.kind === "agents", now);
  if (read === undefined || e === undefined) {
    return undefined;
  }
  answered(s, e, now);
  return { kind: "response", id: f.id, metadata: read.start.head.metadata, value: read.rest };
}

/** Ends a request that was made here. */
function answered(s: State, e: Exchange, now: bigint): void {
  if (e.kind === "call") {
    s.stats.took(now - min(now, e.made));
  }
  s.forget(e);
}

function takeError(s: State, f: Frame, now: bigint): Incoming | undefined {
  let failure: Failure;
  try {
    const { status, name, text, details, refused } = decodeFailure(f.payload);
    failure = { status, name, text, details, acted: !refused };
  } catch (error) {
    failPayload(s, error, now);
    return undefined;
  }
  if (f.id === 0n) {
    s.queue.clear(false);
    s.phase = "finished";
    endAll(s, failure, true);
    return undefined;
  }
  const e = find(s, f.id, () => true, now);
  if (e === undefined) {
    return undefined;
  }
  answered(s, e, now);
  return { kind: "ended", id: e.id, failure };
}

function takeAck(s: State, f: Frame, now: bigint): Incoming | undefined {
  let number: bigint;
  try {
    number = decodeTaken(f.payload).chunk;
  } catch (error) {
    failPayload(s, error, now);
    return undefined;
  }
  const e = find(s, f.id, (exchange) => (exchange.kind === "event" && exchange.mine && number === 0n) || exchange.kind === "stream", now);
  if (e === undefined) {
    return undefined;
  }
  if (e.kind === "event") {
    s.forget(e);
  } else if (e.out.ack(number)) {
    streamed(s, e, now);
  } else {
    s.stats.late++;
    return undefined;
  }
  return { kind: "acked", id: e.id, chunk: number };
}
