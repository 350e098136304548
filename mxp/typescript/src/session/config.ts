import * as spec from "./spec_gen.js";

/** The side of a connection that a session is [MXP-5.2]: the opener has connected. */
export type Role = "opener" | "acceptor";

/** Times are microseconds that never decrease, from any start; this one does not come. */
export const never = 0xffff_ffff_ffff_ffffn;

/** A method of a service. */
export interface Method {
  /** The service's full name. */
  readonly service: string;
  readonly name: string;
  readonly number: number;
}

/** A type, by what tells whether two sides mean the same by it [MXP-13.3]. */
export interface TypeInfo {
  readonly name: string;
  readonly fingerprints: readonly bigint[];
  readonly layout: string;
  /**
   * The methods whose requests and responses are of the type, here or at the peer. If the peer's type
   * is another, these are refused, and all others work. Without any, the session ends [MXP-6.6].
   */
  readonly requests: readonly Method[];
  readonly responses: readonly Method[];
}

/** Bounds of a session. Bytes and counts are numbers, times are bigints in microseconds. */
export interface Limits {
  /** Requests of either side that have a place, and the payloads of either side's requests. */
  readonly inFlight: number;
  readonly inFlightBytes: number;
  /** Frames that wait to be sent; the same, where a chunk or a large value is to join them. */
  readonly queueBytes: number;
  readonly bulkBytes: number;
  /** Of these, the session's own. */
  readonly replyBytes: number;
  /** The most bytes that the owner of a connection holds for it beside the frame that it reads [MXP-15.3]. */
  readonly connectionBytes: number;
  /** Refusals that the peer may cause beyond what is answered, and how many each millisecond takes off. */
  readonly refusals: number;
  readonly refusalsPerMs: number;
  /** Until the peer's Hello. */
  readonly hello: bigint;
  /** From a frame's first byte to its last; and bytes a second, at which what has come of it adds to that. */
  readonly frame: bigint;
  readonly frameRate: number;
  /** While the peer takes nothing. */
  readonly stall: bigint;
  /** Without a byte, until a Ping, of which there are none where this is 0; from a Ping until anything comes. */
  readonly ping: bigint;
  readonly pong: bigint;
  /** Without a request, until an acceptor drains; never, where this is 0. */
  readonly idle: bigint;
  /** Until a peer that answers no Drain is not waited for any more. */
  readonly linger: bigint;
}

export const defaultLimits: Limits = {
  inFlight: spec.inFlight,
  inFlightBytes: spec.inFlightBytes,
  queueBytes: spec.queueBytes,
  bulkBytes: spec.bulkBytes,
  replyBytes: spec.replyBytes,
  connectionBytes: spec.connectionBytes,
  refusals: spec.refusals,
  refusalsPerMs: spec.refusalsPerMs,
  hello: BigInt(spec.helloUs),
  frame: BigInt(spec.frameUs),
  frameRate: spec.frameBytesPerS,
  stall: BigInt(spec.stallUs),
  ping: BigInt(spec.pingUs),
  pong: BigInt(spec.pongUs),
  idle: BigInt(spec.idleUs),
  linger: BigInt(spec.lingerUs),
};

/** The configuration of a session. */
export interface Config {
  readonly role: Role;
  /** The services that this side serves, by full name. Peers name them by their positions. */
  readonly services?: readonly string[];
  /** The types that the services which this side serves or uses reach. */
  readonly types?: readonly TypeInfo[];
  /** The longest payload that is taken, at most 16 MiB. */
  readonly payloadBytes?: number;
  /** Offers to leave out trailers, for transports that protect the bytes [MXP-6.7]. */
  readonly offerChecksumOff?: boolean;
  /** Offers to put small chunks and Events into batches [MXP-17.2]. */
  readonly offerBatches?: boolean;
  /** Has the session hand agent requests to its user [MXP-12.2]. */
  readonly agents?: boolean;
  readonly limits?: Partial<Limits>;
}
