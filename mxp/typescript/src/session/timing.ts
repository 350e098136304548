import { never } from "./config.js";
import { fail } from "./ending.js";
import { max, min, sum } from "./exchange.js";
import { farewell, ping, takeBack } from "./request.js";
import { abandon, refuse } from "./serve.js";
import type { State } from "./state.js";

const second = 1_000_000n;

function isDue(time: bigint, now: bigint): boolean {
  return time <= now && time !== never;
}

/** When tick has something to do [MXP-10.2]; undefined if that is never. */
export function nextTimeout(s: State): bigint | undefined {
  if (s.over) {
    return undefined;
  }
  let at = min(min(s.myTime.next, s.theirTime.next), s.refused.due);
  at = min(min(min(at, frameDue(s)), min(pingDue(s), stallDue(s))), min(idleDue(s), lingerDue(s)));
  at = s.phase === "ready" ? at : min(at, min(helloDue(s), leavingDue(s)));
  return at < never ? at : undefined;
}

function helloDue(s: State): bigint {
  return s.phase === "ready" ? never : sum(s.started, s.limits.hello);
}

/** When a peer whose Hello has not come is not waited for any more [MXP-11.1]. */
function leavingDue(s: State): bigint {
  return s.phase === "ready" || s.leaving === undefined ? never : sum(s.left, s.limits.linger);
}

function frameDue(s: State): bigint {
  if (!s.partial || s.paused) {
    return never;
  }
  const come = (BigInt(s.reader.buffered) * second) / BigInt(s.limits.frameRate);
  return sum(sum(s.since, s.limits.frame), come);
}

function pingDue(s: State): bigint {
  if (s.phase !== "ready") {
    return never;
  }
  if (s.paused) {
    return sum(max(s.gave, s.asked), s.limits.ping); // it says that it lives, and awaits nothing [MXP-10.8]
  }
  return s.pinged !== 0n ? sum(max(s.asked, s.moved), s.limits.pong) : sum(s.heard, s.limits.ping);
}

function stallDue(s: State): bigint {
  return s.queue.empty ? never : sum(max(s.progress, s.moved), s.limits.stall);
}

/** When an acceptor has been idle for long enough [MXP-10.7]. */
function idleDue(s: State): bigint {
  const rests = s.phase === "ready" && s.config.role === "acceptor" && !s.drained && s.mine.size + s.theirs.size === 0;
  return rests ? sum(s.busy, s.limits.idle) : never;
}

/** When a peer is not waited for any more that answers no Drain [MXP-11.1]. */
function lingerDue(s: State): bigint {
  return sum(s.rested, s.limits.linger);
}

/** Does what is due [MXP-10.1]. */
export function tick(s: State, now: bigint): void {
  if (s.over) {
    return;
  }
  s.refused.pass(now);
  for (let e = s.myTime.due(now); e !== undefined; e = s.myTime.due(now)) {
    takeBack(s, e, "deadline_exceeded", now);
  }
  for (let e = s.theirTime.due(now); e !== undefined; e = s.theirTime.due(now)) {
    refuse(s, e.id, e.trace, "deadline_exceeded", false, now);
    abandon(s, e, "deadline");
  }
  if (isDue(helloDue(s), now)) {
    fail(s, "session_silent", now);
  } else if (isDue(leavingDue(s), now)) {
    // No request that the peer may make before it knows can have been acted on.
    fail(s, "session_draining", now, "", true);
  } else if (isDue(frameDue(s), now)) {
    fail(s, "session_slow", now);
  } else if (isDue(pingDue(s), now) && s.pinged !== 0n) {
    fail(s, "session_silent", now);
  } else {
    tickLater(s, now);
  }
  s.settle(now);
}

function tickLater(s: State, now: bigint): void {
  if (isDue(pingDue(s), now)) {
    ping(s, now);
  }
  if (isDue(stallDue(s), now)) {
    fail(s, "session_stalled", now);
    return;
  }
  if (isDue(idleDue(s), now)) {
    farewell(s, "idle", now);
  }
  if (isDue(lingerDue(s), now)) {
    s.phase = "finished";
  }
}

/** Says that the user reads no more for now [MXP-10.6, MXP-10.8]. */
export function pause(s: State, now: bigint): void {
  if (!s.paused) {
    s.paused = true;
    s.pause = now;
    s.pinged = 0n;
  }
}

/** Ends pause. */
export function resume(s: State, now: bigint): void {
  if (s.paused) {
    s.paused = false;
    s.heard = now;
    s.pinged = 0n;
    s.since = sum(s.since, now - min(now, s.pause));
  }
}
