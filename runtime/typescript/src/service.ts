// Services of a schema, as data: what clients and servers of MXP are made of. It needs none to be
// compiled.

import type { Fingerprints, Type } from "./type.js";

/** How the values of a type are written and read, and what peers compare of it [MXP-13.3]. */
export interface Codec<T> {
  readonly type: Type<T>;
  readonly fingerprints: Fingerprints;
  readonly encode: (value: T) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => T;
}

/** Puts together what is generated for a type; for generated code. */
export function codec<T>(
  type: Type<T>, fingerprints: Fingerprints, encode: (value: T) => Uint8Array, decode: (bytes: Uint8Array) => T,
): Codec<T> {
  return { type, fingerprints, encode, decode };
}

interface MethodOf<Q> {
  /** The name in the schema. */
  readonly name: string;
  readonly number: number;
  /** Whether to ask twice does what asking once does. */
  readonly idempotent: boolean;
  readonly request: Codec<Q>;
}

interface MethodWithResponse<K, Q, A> extends MethodOf<Q> {
  readonly kind: K;
  readonly response: Codec<A>;
}

/** A method that nothing answers. */
export interface EventMethod<Q> extends MethodOf<Q> {
  readonly kind: "event";
}

/** A method whose requests have an answer each. */
export type CallMethod<Q, A> = MethodWithResponse<"call", Q, A>;

/** A method whose requests are answered by a stream. */
export type ServerStreamMethod<Q, A> = MethodWithResponse<"serverStream", Q, A>;

/** A method in which a stream of requests has one answer. */
export type ClientStreamMethod<Q, A> = MethodWithResponse<"clientStream", Q, A>;

/** A method that streams both ways. */
export type BidiStreamMethod<Q, A> = MethodWithResponse<"bidiStream", Q, A>;

/** A codec of any type. */
export interface AnyCodec {
  readonly type: Type;
  readonly fingerprints: Fingerprints;
  readonly encode: (value: never) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
}

/** A method of a service, of any kind and types. */
export interface Method {
  readonly kind: "event" | "call" | "serverStream" | "clientStream" | "bidiStream";
  readonly name: string;
  readonly number: number;
  readonly idempotent: boolean;
  readonly request: AnyCodec;
  readonly response?: AnyCodec;
}

/** A service, whose methods M has by their names in TypeScript. */
export interface Service<M> {
  /** The package and the name, joined by a dot. */
  readonly name: string;
  readonly methods: M;
}
