// Bytes as text: two digits for each, sixteen in a line.

export const bytesPerLine = 16;

/** Digits are the bytes that a text is of. */
export interface Digits {
  /** hex has the digits alone. */
  hex: string;
  /** places has for each byte where its first digit is. */
  places: number[];
  /** fault is where something is that is no byte, or -1. */
  fault: number;
}

/** layOut writes digits with blanks between bytes, and a line for each sixteen. */
export function layOut(hex: string): string {
  const lines: string[] = [];
  for (let at = 0; at < hex.length; at += 2 * bytesPerLine) {
    const line = hex.slice(at, at + 2 * bytesPerLine);
    lines.push((line.match(/../g) ?? []).join(" "));
  }
  return lines.join("\n");
}

/** readDigits reads a text that anyone may have written, up to its first fault. */
export function readDigits(text: string): Digits {
  const found: Digits = { hex: "", places: [], fault: -1 };
  const pairs: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if (/\s/.test(text[at]!)) continue;
    const pair = text.slice(at, at + 2);
    if (!/^[0-9a-fA-F]{2}$/.test(pair)) {
      found.fault = /[0-9a-fA-F]/.test(text[at]!) && at + 1 < text.length ? at + 1 : at;
      break;
    }
    pairs.push(pair.toLowerCase());
    found.places.push(at);
    at++;
  }
  found.hex = pairs.join("");
  return found;
}

/** byteAt is the byte that a place is at or behind, or -1. */
export function byteAt(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
