import { fail } from "./ending.js";
import { lengthBytes } from "./queue.js";
import type { State } from "./state.js";

/** The values of a batch [MXP-17.3], which are parts of the data; undefined where they end the session. */
export function cutRecords(s: State, data: Uint8Array, now: bigint): Uint8Array[] | undefined {
  const values: Uint8Array[] = [];
  let at = 0;
  do {
    if (data.length - at < lengthBytes) {
      fail(s, "session_payload", now, "truncated");
      return undefined;
    }
    const n = (data[at] as number) | ((data[at + 1] as number) << 8);
    at += lengthBytes;
    if (n > data.length - at) {
      fail(s, "session_payload", now, "length_exceeds_input");
      return undefined;
    }
    values.push(data.subarray(at, at + n));
    at += n;
  } while (at < data.length);
  return values;
}
