import type { Entry } from "./generated/ledger.js";

/** The possible marks: the value that was set, or the default, if the server is of the older release. */
export const marks = ["seven", "none"];

/** The number to round, which is a bigint in this release. */
export const five = 5n;

/** Sets what only the newer release has. */
export function mark(entry: Entry): Entry {
  return { ...entry, note: "seven" };
}

/** Gives what only the newer release has. */
export function marked(entry: Entry): string {
  return entry.note ?? "";
}
