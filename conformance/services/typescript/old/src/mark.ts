import type { Entry } from "./generated/ledger.js";

/** The possible marks. */
export const marks = ["-"];

/** The number to round, which is no bigint in this release. */
export const five = 5;

/** Sets what only the newer release has. */
export function mark(entry: Entry): Entry {
  return entry;
}

/** Gives what only the newer release has. */
export function marked(entry: Entry): string {
  void entry;
  return "-";
}
