import type { Request, Metadatum, Reply, TraceContext } from "../engine/request.js";

export type { Request, Metadatum, Reply, TraceContext };

/** The options of a request. */
export interface CallOptions {
  /** The time that the request may take, in milliseconds, with all repetitions; for ever if it is absent. */
  readonly timeoutMs?: number;
  /** Ends the request. */
  readonly signal?: AbortSignal;
  readonly metadata?: readonly Metadatum[];
  readonly trace?: TraceContext;
}

/** The options of an event. */
export interface EventOptions extends CallOptions {
  /** Waits until the peer's handler has taken the event. */
  readonly ack?: boolean;
}

/** Stands around requests: it may change them, refuse them by throwing, and change their answers. */
export type Interceptor = (request: Request, next: (request: Request) => Promise<Reply>) => Promise<Reply>;

/** A handler with interceptors around it, of which the first is the outermost. */
export function intercepted(interceptors: readonly Interceptor[], last: (request: Request) => Promise<Reply>): (request: Request) => Promise<Reply> {
  return interceptors.reduceRight<(request: Request) => Promise<Reply>>((next, interceptor) => (request) => interceptor(request, next), last);
}
