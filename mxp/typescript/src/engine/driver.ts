import type { Session } from "../session/index.js";
import type { MxpError } from "./failure.js";
import type { RequestDriver } from "./order.js";
import type { Pace } from "./pace.js";

/**
 * The bytes of one connection, in both directions [MXP-16.2]: what a transport makes. It calls its
 * owner back, and never from within a call of the owner's.
 */
export interface Wire {
  /** Whether the kernel or encryption protects the bytes, so that trailers may be switched off [MXP-6.7]. */
  readonly protects: boolean;
  /** How many bytes wait to be handed over since the wire is paused, where it knows that. */
  readonly ahead?: number;
  /** Whether the peer has hung up, as far as a wire can know that is paused [MXP-15.3]. */
  readonly isHungUp?: boolean;
  /** Begins to hand over what comes. */
  start(owner: WireOwner): void;
  /**
   * Writes bytes, which must not change any more. False says that enough waits to be written:
   * `drained` is called once there is room.
   */
  write(bytes: Uint8Array): boolean;
  /** Reads nothing for now, where the transport can; `resume` goes on. */
  pause(): void;
  resume(): void;
  /** Ends this side's direction behind what was written [MXP-16.3]. */
  end(): void;
  /** Closes the connection at once. `closed` is called, if it was not. */
  destroy(): void;
}

/** The owner of a wire. */
export interface WireOwner {
  /** Bytes have come, which are the owner's. */
  bytes(piece: Uint8Array): void;
  /**
   * Some of the written bytes were taken, and there is no room yet. A wire that never says so has to have room again
   * within `stall`.
   */
  moved(): void;
  /** There is room again. */
  drained(): void;
  /** The peer's direction has ended. */
  ended(): void;
  /** The connection is gone. Nothing is called after it. The status is that of an attempt that it ends, where that is not Unavailable. */
  closed(cause: string, status?: number): void;
}

/** An alarm of a connection: the next look at its session's deadlines, three of its load, and the last wait for its peer. */
export type Alarm = "tick" | "turn" | "look" | "last" | "linger";

/** The program around a connection, as the engine asks it. */
export interface Driver extends RequestDriver {
  readonly pace: Pace;
  /** Milliseconds of a clock that all connections have. */
  clock(): number;
  /** Does something when all is done that is to be done now. */
  soon(run: () => void): void;
  /** Lets an alarm ring after so many milliseconds, and not before; or never. */
  alarm(name: Alarm, ms: number | undefined): void;
  /** Requests can be made. */
  opened(session: Session): void;
  /** Requests can't be made, if they could not yet. */
  failed(error: MxpError): void;
  /** Either side takes no more requests, which is said once. */
  drains(): void;
  /** Events of a peer that is gone were dropped. */
  dropped(events: number): void;
  /** The connection is gone. */
  closed(): void;
}
