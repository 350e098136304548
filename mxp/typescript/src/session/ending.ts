import { encodeFailure } from "../control/mxp_control.js";
import { FrameType } from "../frame/index.js";
import type { Exchange } from "./exchange.js";
import { type Failure, failureOf, type RefusalName, Status } from "./failure.js";
import type { State } from "./state.js";

/** Ends the session with a refusal [MXP-11.2]. */
export function fail(s: State, why: RefusalName, now: bigint, text = "", refused = false): void {
  s.stats.refusal(why);
  endWith(s, s.failure(why, { text }), refused, now);
}

/** Ends the session, and tells the peer why. */
export function endWith(s: State, failure: Failure, isRefusal: boolean, now: bigint): void {
  const { status, name, text, details } = failure;
  s.queue.clear(true);
  s.phase = "ended";
  s.reply({ type: FrameType.Error }, encodeFailure({ status, refused: isRefusal, name, text, details }), now);
  endAll(s, failureOf(status, name, { text }), false);
}

/** Tells the user of the end of everything; of requests that were not sent that nobody has acted on them. */
export function endAll(s: State, failure: Failure, remote: boolean): void {
  const refused = remote && !failure.acted;
  for (const e of ascending(s.mine)) {
    s.tell({ kind: "ended", id: e.id, failure: { ...failure, acted: e.sent && !refused && e.id <= s.taken } });
  }
  for (const e of ascending(s.theirs)) {
    if (!e.ended) {
      s.tell({ kind: "cancelled", id: e.id, why: "end" });
    }
  }
  s.tell({ kind: "end", failure: { ...failure, acted: false }, remote, refused });
  s.reported = true;
  s.clear();
}

function ascending(table: ReadonlyMap<bigint, Exchange>): Exchange[] {
  return [...table.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Says that the connection is gone [MXP-11.3]. */
export function lose(s: State): void {
  const left = s.drained || s.draining || s.leaving !== undefined;
  if (!s.reported && (s.phase === "finished" || (!s.over && left && !isLive(s)))) {
    s.tell({ kind: "end", failure: failureOf(Status.Ok, ""), remote: false, refused: false });
    s.reported = true;
    s.clear();
  } else if (!s.reported) {
    endAll(s, s.failure("session_lost"), false);
  }
  s.queue.clear(false);
  s.phase = "finished";
}

/** Whether an answer is awaited on either side. */
function isLive(s: State): boolean {
  return s.mine.size > 0 || [...s.theirs.values()].some((e) => !e.ended);
}
