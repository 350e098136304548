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
