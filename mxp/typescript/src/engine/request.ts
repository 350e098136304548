import { type Metadatum, Refusal, type SessionRequest } from "../session/index.js";
import type { Method } from "./method.js";
import type { PeerRequest } from "./order.js";

export type { Metadatum };

/** W3C's trace context. */
export interface TraceContext {
  /** 16 bytes. */
  readonly id: Uint8Array;
  readonly parent: bigint;
  readonly flags: number;
  /** The value of `tracestate`, which travels as metadata. */
  readonly state?: string;
}

/** A request, as interceptors see it: at the side that asks, and at the side that is asked. */
export interface Request {
  readonly kind: "call" | "event" | "stream";
  /** The full name of the service; and the method's name and number. */
  readonly service: string;
  readonly name: string;
  readonly number: number;
  readonly idempotent: boolean;
  /** Encoded; empty for a stream of requests. */
  readonly value: Uint8Array;
  readonly metadata: readonly Metadatum[];
  readonly trace: TraceContext | undefined;
}

/** The answer of a call, encoded; of an event or a stream without a value. */
export interface Reply {
  readonly value: Uint8Array;
  readonly metadata: readonly Metadatum[];
}

/** The head of a request to a service with a number; so many milliseconds are left of its deadline, if it has one. */
export function headOf({ number, metadata, trace }: Request, service: number | undefined, leftMs: number | undefined): SessionRequest {
  if (service === undefined) {
    throw new Refusal("service_unknown");
  }
  const state = trace?.state === undefined || trace.state === "" ? [] : [{ key: "tracestate", value: new TextEncoder().encode(trace.state) }];
  return {
    service, method: number, deadline: leftMs === undefined ? 0n : BigInt(Math.max(1, Math.ceil(leftMs * 1000))), metadata: [...metadata, ...state],
    trace: trace === undefined ? null : { id: trace.id, parent: trace.parent, flags: trace.flags },
  };
}

/** A request of the peer's, as interceptors see it. */
export function requestOf(request: Exclude<PeerRequest, { kind: "events" }>, service: string, { name, number, idempotent }: Method): Request {
  const { kind, value, trace } = request;
  const metadata = request.metadata.map(({ key, value: bytes }) => ({ key, value: bytes.slice() }));
  const state = trace === null ? undefined : metadata.find(({ key }) => key === "tracestate");
  return {
    kind: kind === "open" ? "stream" : kind, service, name, number, idempotent, value, metadata,
    trace: trace === null ? undefined : { id: trace.id.slice(), parent: trace.parent, flags: trace.flags, ...(state === undefined ? {} : { state: new TextDecoder().decode(state.value) }) },
  };
}
