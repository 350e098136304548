/** The types that keys of maps have. */
export type Key = boolean | number | bigint | string;

/** The entries of a map in the order of the wire [WIRE-5.12]. */
export function sorted<K extends Key, V>(map: ReadonlyMap<K, V>): [K, V][] {
  const entries = [...map];
  return entries.length < 2 ? entries : entries.sort(([a], [b]) => (isBefore(a, b) ? -1 : 1)); // no two keys are the same
}

/** Whether a key comes before another on the wire: a text by its UTF-8, in which surrogate pairs come last. */
export function isBefore(a: Key, b: Key): boolean {
  if (typeof a !== "string" || typeof b !== "string") {
    return a < b;
  }
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const p = a.charCodeAt(i);
    const q = b.charCodeAt(i);
    if (p !== q) {
      return weight(p) < weight(q);
    }
  }
  return a.length < b.length;
}

/** A UTF-16 unit by its place in the order of UTF-8. */
function weight(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
