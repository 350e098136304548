import type { Session } from "../session/index.js";

/** Told, a line at a time, what an operator should know of a connection. */
export type Notice = (line: string) => void;

/** Tells of methods of a connection that are refused [MXP-6.8], and of types that were not compared [MXP-6.5], each in a line. */
export function noticeDifferences({ differences, uncompared }: Session, peer: string, notice: Notice = console.warn): void {
  const [first] = differences;
  if (first !== undefined) {
    notice(`${peer}: methods refused: ${differences.length}, the first is ${first.method.service}/${first.method.name}: ${first.text}`);
  }
  if (uncompared.length > 0) {
    notice(`${peer}: types compared by fingerprints alone: ${uncompared.length}, the first is ${uncompared[0]}`);
  }
}

/** Tells of events that were dropped, since their peer has hung up and such peers have left too many [MXP-15.5]. */
export function noticeDropped(events: number, peer: string, notice: Notice = console.warn): void {
  if (events > 0) {
    notice(`${peer}: events of a lost connection dropped: ${events}, limit_server_bytes`);
  }
}
