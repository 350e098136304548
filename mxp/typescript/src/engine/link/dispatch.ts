import { type Incoming, type Session, Status } from "../../session/index.js";
import { compact, nothing, own } from "../bytes.js";
import type { Driver } from "../driver.js";
import { attempt, errorOf, type MxpError, refusalError } from "../failure.js";
import { beforeHello } from "../outage.js";
import type { Order } from "../order.js";
import type { Outlier } from "../outlier.js";
import type { Calls } from "./call.js";
import type { Ending } from "./ending.js";
import type { Load } from "./load.js";
import type { Places } from "./place.js";
import type { Stream } from "./stream.js";

/** The parts of a connection, each of which owns its state. */
export interface Parts {
  readonly session: Session;
  readonly driver: Driver;
  /** Microseconds of the session's clock. */
  now(): bigint;
  readonly calls: Calls;
  /** The streams of both sides, by their ids. */
  readonly streams: Map<bigint, Stream>;
  readonly places: Places;
  readonly order: Order;
  readonly load: Load;
  readonly outlier: Outlier;
  readonly ending: Ending;
}

/** Gives a session's event to its waiting caller. */
export function dispatch(parts: Parts, incoming: Incoming): void {
  switch (incoming.kind) {
    case "ready":
      parts.ending.readyAt = parts.driver.clock();
      parts.driver.opened(parts.session);
      return;
    case "response":
      parts.outlier.ended();
      parts.calls.take(incoming.id)?.resolve({ value: own(incoming.value), metadata: incoming.metadata.map(({ key, value }) => ({ key, value: value.slice() })) });
      return;
    case "acked":
      parts.outlier.ended();
      parts.calls.take(incoming.id)?.resolve({ value: nothing, metadata: [] });
      return;
    case "ended":
      fail(parts, incoming.id, errorOf(incoming.failure));
      return;
    case "chunks":
      parts.streams.get(incoming.id)?.push(incoming.values, incoming.ack ? incoming.number + BigInt(incoming.values.length - 1) : undefined);
      if (incoming.final) {
        finish(parts, incoming.id);
      }
      return;
    case "finished":
      finish(parts, incoming.id);
      return;
    case "granted":
      parts.streams.get(incoming.id)?.flush();
      return;
    case "cancelled":
      cancel(parts, incoming);
      return;
    case "draining":
      drain(parts);
      return;
    case "call":
    case "open":
    case "event":
    case "events":
      begin(parts, incoming);
      return;
    case "end":
      end(parts, incoming);
      return;
    default: // agent requests are refused by the session
  }
}

/** A request of this side's has failed. */
function fail({ outlier, calls, streams }: Parts, id: bigint, error: MxpError): void {
  outlier.ended(error);
  calls.take(id)?.reject(error);
  const stream = streams.get(id);
  streams.delete(id);
  stream?.lost(error);
}

/** The peer's direction of a stream has ended. */
function finish({ outlier, streams }: Parts, id: bigint): void {
  const stream = streams.get(id);
  if (stream?.mine === true) {
    outlier.ended();
  }
  stream?.peerEnded();
}

/**
 * A request of the peer's has ended, and nothing is to be done for it any more. A request that has not begun does not
 * begin.
 */
function cancel(parts: Parts, { id, why }: Extract<Incoming, { kind: "cancelled" }>): void {
  const { session, streams, ending, order } = parts;
  streams.get(id)?.fail(why === "deadline" ? refusalError("deadline_exceeded") : ending.cancelled);
  streams.delete(id);
  if (order.remove(id)) {
    attempt(() => session.release(id, parts.now()));
  } else {
    parts.places.get(id)?.abort();
  }
}

/** Either side takes no more requests. */
export function drain({ ending, driver }: Parts): void {
  if (!ending.isDraining) {
    ending.isDraining = true;
    driver.drains();
  }
}

/** A request of the peer's has come. */
function begin({ load, order }: Parts, request: Extract<Incoming, { kind: "call" | "open" | "event" | "events" }>): void {
  if (load.isHungUp && (request.kind === "call" || request.kind === "open")) {
    return;
  }
  order.add(request.kind === "events" ? request : compact(request));
  if (!load.weigh() && load.overruns) {
    load.overrun(); // what else was read does not begin
  }
}

/** The session has ended. A waiter for its Hello need not wait for the connection's end. */
function end(parts: Parts, { failure, remote, refused }: Extract<Incoming, { kind: "end" }>): void {
  const { ending, driver, session } = parts;
  ending.failure = failure;
  ending.isRejected = remote && refused && session.stats.isSilent;
  if (!ending.isGone) {
    driver.failed(errorOf(beforeHello(failure, "the peer has closed the connection", Status.Unavailable)));
  }
  drain(parts);
}
