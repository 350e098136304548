import type { Asked, Metadatum, Reply, TraceContext } from "../engine/request.js";

export type { Asked, Metadatum, Reply, TraceContext };

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

/** Stands around requests: it may change them, refuse them by throwing, and change their answers. */
export type Interceptor = (request: Asked, next: (request: Asked) => Promise<Reply>) => Promise<Reply>;

/** A handler with interceptors around it, of which the first is the outermost. */
export function intercepted(interceptors: readonly Interceptor[], last: (request: Asked) => Promise<Reply>): (request: Asked) => Promise<Reply> {
  return interceptors.reduceRight<(request: Asked) => Promise<Reply>>((next, interceptor) => (request) => interceptor(request, next), last);
}
