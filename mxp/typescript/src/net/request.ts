import type { Metadatum } from "../session/index.js";

export type { Metadatum };

/** W3C's trace context. */
export interface TraceContext {
  /** 16 bytes. */
  readonly id: Uint8Array;
  readonly parent: bigint;
  readonly flags: number;
  /** What `tracestate` has, which travels as metadata. */
  readonly state?: string;
}

/** What a request may be told. */
export interface CallOptions {
  /** How long the request may take, in milliseconds, with all repetitions; for ever where nothing is said. */
  readonly timeoutMs?: number;
  /** Ends the request. */
  readonly signal?: AbortSignal;
  readonly metadata?: readonly Metadatum[];
  readonly trace?: TraceContext;
}

/** What an event may be told. */
export interface EventOptions extends CallOptions {
  /** Waits until the peer's handler has taken the event. */
  readonly ack?: boolean;
}

/** A request, as interceptors see it: at the side that asks, and at the side that is asked. */
export interface Asked {
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

/** Stands around requests: it may change them, refuse them by throwing, and change their answers. */
export type Interceptor = (asked: Asked, next: (asked: Asked) => Promise<Reply>) => Promise<Reply>;

/** A handler with interceptors around it, of which the first is the outermost. */
export function intercepted(interceptors: readonly Interceptor[], last: (asked: Asked) => Promise<Reply>): (asked: Asked) => Promise<Reply> {
  return interceptors.reduceRight<(asked: Asked) => Promise<Reply>>((next, one) => (asked) => one(asked, next), last);
}
