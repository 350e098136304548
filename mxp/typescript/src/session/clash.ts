import type { Method, TypeInfo } from "./config.js";

/** A type that is not compatible with the peer's type of the same name. */
export interface Clash {
  readonly type: TypeInfo;
  /** Whether both sides gave the hash of the layout: the joint text has the type. */
  readonly hashed: boolean;
  /** Whether one list of fingerprints begins with the other. */
  readonly alike: boolean;
  /** The layout text as it was sent, where the joint text has not the type. */
  text: string;
  /** Why this side does not read what the peer writes, and the reverse; or nothing. */
  inward: string;
  outward: string;
}

/** A method that is refused, since its request or its response is of a type that the two sides can't exchange. */
export interface Difference {
  readonly method: Method;
  /** Whether this side serves it; else the peer does. */
  readonly served: boolean;
  /** Where the types differ first. */
  readonly text: string;
}

/** The key of a method of this side's or of the peer's, by numbers. */
export function refusalKey(isServed: boolean, service: number, method: number): string {
  return `${isServed ? "here" : "peer"} ${service} ${method}`;
}
