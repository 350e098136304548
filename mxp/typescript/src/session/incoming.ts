import type { Values } from "./records.js";
import type { Metadatum, Trace } from "../control/mxp_control.js";
import type { Query, Registration } from "../control/mxp_registry.js";
import type { Failure } from "./failure.js";

export type { Metadatum, Query, Registration, Trace };

/** The head of a request of the peer. */
export interface Head {
  readonly id: bigint;
  readonly service: number;
  readonly method: number;
  /** Microseconds from now; 0 is for ever. Events have none. */
  readonly deadline: bigint;
  readonly trace: Trace | null;
  readonly metadata: readonly Metadatum[];
}

/** A request of the peer's, to be answered by respond or fail. */
export interface Call extends Head {
  readonly kind: "call";
  readonly value: Uint8Array;
}

/** A stream that the peer has opened. */
export interface Open extends Head {
  readonly kind: "open";
  readonly value: Uint8Array;
  /** The credit for messages on it. */
  readonly messages: number;
  readonly bytes: bigint;
  /** Whether the peer sends nothing but the value. */
  readonly final: boolean;
}

/** An event of the peer's. If it asks for it, it is to be answered by ack. */
export interface PeerEvent extends Head {
  readonly kind: "event";
  readonly ack: boolean;
  readonly value: Uint8Array;
}

/** Several events of the peer's with one head. None asks for an Ack. */
export interface PeerEvents extends Head {
  readonly kind: "events";
  readonly values: Values;
}

/** The answer to a request of this side's. */
export interface Response {
  readonly kind: "response";
  readonly id: bigint;
  readonly metadata: readonly Metadatum[];
  readonly value: Uint8Array;
}

/** A request of this side's has ended without an answer. */
export interface Ended {
  readonly kind: "ended";
  readonly id: bigint;
  readonly failure: Failure;
}

/** Chunks of a stream, of which there is at least one. `number` is that of the first, from 1 in each direction. */
export interface Chunks {
  readonly kind: "chunks";
  readonly id: bigint;
  readonly number: bigint;
  /** The properties of the last chunk. */
  readonly final: boolean;
  readonly ack: boolean;
  readonly values: Values;
}

/** Why a request of the peer's has ended. */
export type Why = "peer" | "deadline" | "credit" | "end" | "memory";

/** The notices of a session to its user. Values are parts of the bytes that came. */
export type Incoming =
  // The peer's Hello has come, and requests can be made. A position in the list is a service's number.
  | { readonly kind: "ready"; readonly services: readonly string[] }
  | Call
  | Open
  | PeerEvent
  | PeerEvents
  | Response
  | Ended
  | Chunks
  // The peer sends no more on a stream.
  | { readonly kind: "finished"; readonly id: bigint }
  // More may be sent on a stream.
  | { readonly kind: "granted"; readonly id: bigint; readonly messages: number; readonly bytes: bigint }
  // The peer's user has taken an event, or a stream's chunks up to a number.
  | { readonly kind: "acked"; readonly id: bigint; readonly chunk: bigint }
  // A request of the peer's has ended, and nothing is to be done for it any more. It has its place until release.
  | { readonly kind: "cancelled"; readonly id: bigint; readonly why: Why }
  // The peer takes no new requests.
  | { readonly kind: "draining"; readonly reason: string }
  // Requests of agents, to be answered by respondLease, respondAgents or fail.
  | { readonly kind: "register"; readonly id: bigint; readonly registration: Registration }
  | { readonly kind: "heartbeat"; readonly id: bigint; readonly name: string }
  | { readonly kind: "discover"; readonly id: bigint; readonly query: Query }
  // The last that a session tells. The status is 0 if nothing was left to do. `remote` says that the peer
  // has ended it, `refused` that it says nobody has acted on anything.
  | { readonly kind: "end"; readonly failure: Failure; readonly remote: boolean; readonly refused: boolean };
