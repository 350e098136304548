import type { Entry } from "./generated/ledger.js";

/** What marked can be. */
export const marks = ["-"];

/** What is rounded, which is a number in this release. */
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
