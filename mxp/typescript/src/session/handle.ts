import type { Frame } from "../frame/index.js";
import { fail } from "./ending.js";
import type { Exchange } from "./exchange.js";
import { lengthBytes } from "./queue.js";
import { lengthAt, Values } from "./records.js";
import type { State } from "./state.js";

/** Ends the session, whose peer has sent a payload that can't be decoded. */
export function failPayload(s: State, error: unknown, now: bigint): void {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string") {
    throw error;
  }
  fail(s, "session_payload", now, code);
}

/** The start of a payload, and where it ends; undefined where it ends the session. */
export function startOf<T>(s: State, f: Frame, decode: (bytes: Uint8Array, options: { prefix: { used: number } }) => T, now: bigint): { readonly start: T; readonly rest: Uint8Array } | undefined {
  const prefix = { used: 0 };
  try {
    const start = decode(f.payload, { prefix });
    return { start, rest: f.payload.subarray(prefix.used) };
  } catch (error) {
    failPayload(s, error, now);
    return undefined;
  }
}

/** The records of a batch; undefined where they end the session. */
export function recordsOf(s: State, data: Uint8Array, now: bigint): Values | undefined {
  let at = 0;
  let count = 0;
  do {
    if (data.length - at < lengthBytes) {
      fail(s, "session_payload", now, "truncated");
      return undefined;
    }
    at += lengthBytes + lengthAt(data, at);
    if (at > data.length) {
      fail(s, "session_payload", now, "length_exceeds_input");
      return undefined;
    }
    count++;
  } while (at < data.length);
  return Values.records(data, count);
}

/**
 * The exchange that a frame names, of a kind that it can belong to. A frame that is late gives none
 * [MXP-5.7], as does one that ends the session.
 */
export function find(s: State, id: bigint, belongs: (e: Exchange) => boolean, now: bigint): Exchange | undefined {
  const e = (s.isMine(id) ? s.mine : s.theirs).get(id);
  if (e !== undefined && !e.ended) {
    if (e.mine && !e.sent) {
      fail(s, "session_id", now);
      return undefined;
    }
    if (belongs(e)) {
      return e;
    }
  }
  s.stats.late++;
  return undefined;
}
