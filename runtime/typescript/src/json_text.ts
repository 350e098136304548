// Texts of scalars in JSON, both ways. A refused text gives undefined.

/** A text in quotes; JSON.stringify escapes just as [JSON-3.1] does, for all texts that have UTF-8. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** An integer by its digits [JSON-2.3]. */
export function readInteger(text: string, low: bigint, high: bigint): bigint | undefined {
  if (text.length > 20 || !integerForm.test(text)) {
    return undefined;
  }
  const number = BigInt(text);
  return low <= number && number <= high ? number : undefined;
}

const integerForm = /^(?:0|-?[1-9][0-9]*)$/;

const quiet: Readonly<Record<4 | 8, bigint>> = { 4: 0x7fc00000n, 8: 0x7ff8000000000000n };

/** A float [JSON-2.4] to [JSON-2.6]; `bits` are the bits of a NaN, where they are known. */
export function floatText(value: number, width: 4 | 8, bits: bigint = quiet[width]): string {
  if (value !== value) {
    return bits === quiet[width] ? '"NaN"' : `"NaN:${bits.toString(16).padStart(2 * width, "0")}"`;
  }
  if (value === Infinity || value === -Infinity) {
    return value > 0 ? '"Infinity"' : '"-Infinity"';
  }
  if (value === 0) {
    return Object.is(value, -0) ? "-0" : "0";
  }
  return width === 8 ? String(value) : quickest(value) ?? shortest(value);
}

/** The digits of which a double has no two numbers of an f32's, and the most that an f32 needs. */
const [tellingDigits, mostDigits] = [6, 9];

/**
 * The fewest digits that read back as an f32, where a double's arithmetic finds them for sure: six that
 * read back are the only ones, and of more those next to the value are tried.
 */
function quickest(value: number): string | undefined {
  const magnitude = Math.abs(value);
  if (magnitude < 16777216 && Number.isInteger(magnitude)) {
    return String(value); // no other number of as few digits is as near
  }
  if (magnitude < 1e-5 || magnitude >= 1e15) {
    return undefined;
  }
  let whole = 0; // digits before the point, or less than 0 as many zeros behind it
  while (magnitude >= (powers[whole] as number)) {
    whole++;
  }
  while (whole <= 0 && magnitude * (powers[1 - whole] as number) < 1) {
    whole--;
  }
  for (let digits = tellingDigits; digits <= mostDigits; digits++) {
    const scale = digits - whole;
    const exact = scale < 0 ? magnitude / (powers[-scale] as number) : magnitude * (powers[scale] as number);
    const near = Math.round(exact);
    const decimal = scale < 0 ? near * (powers[-scale] as number) : near / (powers[scale] as number);
    const isSure = Math.abs(exact - Math.floor(exact) - 0.5) > 1e-4;
    if (!isSure || isMiddle(decimal, Math.fround(decimal))) {
      return undefined;
    }
    if (Math.fround(decimal) === magnitude) {
      return String(value < 0 ? -decimal : decimal);
    }
    if (isPower(magnitude)) {
      return undefined; // below it values lie closer together than above
    }
  }
  return undefined;
}

const scratch = /* @__PURE__ */ new Float32Array(1);
const scratchBits = /* @__PURE__ */ new Uint32Array(scratch.buffer);

/** Whether an f32 is a power of two: it has no bits but one. */
function isPower(magnitude: number): boolean {
  scratch[0] = magnitude;
  return ((scratchBits[0] as number) & 0x7fffff) === 0;
}

/** Whether a double may lie in the middle of two f32, of which one is given. */
export function isMiddle(value: number, single: number): boolean {
  const beyond = single + 2 * (value - single);
  return value !== single && beyond === Math.fround(beyond);
}

/** Powers of ten that doubles are: what is divided by one is rounded once. */
export const powers: readonly number[] = /* @__PURE__ */ Array.from({ length: 23 }, (_, n) => Number(`1e${n}`));

/**
 * The fewest digits that read back as an f32, in the layout of Number's own. A double's digits tell
 * apart more values than there are, so that fewer are tried, from one on: of so many digits only the
 * two numbers next to the value can be it.
 */
function shortest(value: number): string {
  const magnitude = Math.abs(value);
  const [whole, exponent] = magnitude.toExponential(99).split("e") as [string, string];
  const digits = whole.replace(".", "");
  for (let k = 1; ; k++) {
    const below = BigInt(digits.slice(0, k));
    const behind = digits.slice(k);
    const half = "5".padEnd(behind.length, "0");
    const isUpFirst = behind > half || (behind === half && below % 2n === 1n);
    const near = isUpFirst ? [below + 1n, below] : [below, below + 1n];
    for (const one of near) {
      const text = `${one}e${Number(exponent) - k + 1}`;
      if (one > 0n && readSingle(text) === magnitude) {
        return (value < 0 ? "-" : "") + String(Number(text));
      }
    }
  }
}

/** A float by a number of JSON, rounded once [JSON-2.7]. */
export function readFloat(text: string, width: 4 | 8): number | undefined {
  const value = width === 8 ? Number(text) : readSingle(text);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * A decimal rounded once to an f32. The nearest double is rounded, which is the same but where that
 * lies in the middle of two: there the decimal is compared with it.
 */
function readSingle(text: string): number {
  const value = Number(text);
  const single = Math.fround(value);
  if (value === single) {
    return single;
  }
  const other = next(single, value > single);
  const isBetween = Number.isFinite(single)
    ? Math.abs(value - single) === Math.abs(other - value)
    : Math.abs(value) === beyondSingles;
  const side = isBetween ? compareDecimal(text, value) : 0;
  return side !== 0 && side < 0 === other < single ? other : single;
}

/** Where f32 would have its next value if its exponent were wider, half of the way. */
const beyondSingles = 2 ** 128 - 2 ** 103;

/** The f32 next to one, upwards or downwards. */
function next(single: number, isUp: boolean): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, single);
  if (single === 0) {
    view.setUint32(0, isUp ? 1 : 0x80000001);
  } else {
    view.setUint32(0, view.getUint32(0) + (isUp === single > 0 ? 1 : -1));
  }
  return view.getFloat32(0);
}

/** How a decimal compares with a double that is not 0: exactly, by all digits of both. */
function compareDecimal(text: string, value: number): number {
  let scale = 0;
  let mantissa = Math.abs(value);
  for (; !Number.isInteger(mantissa); scale++) {
    mantissa *= 2;
  }
  const [a, b] = [significant(text), significant(`${BigInt(mantissa) * 5n ** BigInt(scale)}e-${scale}`)];
  const n = Math.max(a.digits.length, b.digits.length);
  const [left, right] = [a.digits.padEnd(n, "0"), b.digits.padEnd(n, "0")];
  const order = a.point - b.point || (left < right ? -1 : left > right ? 1 : 0);
  return value < 0 ? -order : order;
}

/** The digits of a decimal from the first that is not 0 on, and how many of them stand before its point. */
function significant(text: string): { readonly digits: string; readonly point: number } {
  const [, whole = "", fraction = "", power = "0"] = /([0-9]+)(?:\.([0-9]+))?(?:e(.+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  return { digits, point: digits.length - fraction.length + Number(power) };
}

/** A float by a string of JSON: what has no digits [JSON-2.6]. Gives the bits of a NaN, too. */
export function readSpecial(text: string, width: 4 | 8): { readonly value: number; readonly bits: bigint } | undefined {
  if (text === "Infinity" || text === "-Infinity") {
    return { value: Number(text), bits: 0n };
  }
  if (text === "NaN") {
    return { value: Number.NaN, bits: quiet[width] };
  }
  if (!text.startsWith("NaN:") || text.length !== 4 + 2 * width || !/^[0-9a-f]+$/.test(text.slice(4))) {
    return undefined;
  }
  const bits = BigInt(`0x${text.slice(4)}`);
  const infinity = width === 4 ? 0x7f800000n : 0x7ff0000000000000n;
  const magnitude = bits & ((1n << BigInt(8 * width - 1)) - 1n);
  return magnitude > infinity ? { value: Number.NaN, bits } : undefined;
}

const second = 1_000_000_000n;

function fraction(nanoseconds: bigint): string {
  return nanoseconds === 0n ? "" : `.${nanoseconds.toString().padStart(9, "0").replace(/0+$/, "")}`;
}

/** Nanoseconds since 1970 as a date and time in UTC [JSON-2.8]. */
export function timestampText(nanoseconds: bigint): string {
  const rest = ((nanoseconds % second) + second) % second;
  return `${dateText(Number((nanoseconds - rest) / 1_000_000n))}${fraction(rest)}Z`;
}

function dateText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19);
}

/** The nanoseconds of a timestamp [JSON-2.9]. */
export function readTimestamp(text: string): bigint | undefined {
  const found = /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?Z$/.exec(text);
  const milliseconds = Date.parse(`${found?.[1]}Z`);
  if (found === null || Number.isNaN(milliseconds) || dateText(milliseconds) !== found[1]) {
    return undefined; // engines take the 30th of February for a day of March
  }
  return fitting(BigInt(milliseconds) * 1_000_000n + BigInt((found[2] ?? "").padEnd(9, "0")));
}

/** Nanoseconds as decimal seconds [JSON-2.10]. */
export function durationText(nanoseconds: bigint): string {
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return `${nanoseconds < 0n ? "-" : ""}${magnitude / second}${fraction(magnitude % second)}s`;
}

/** The nanoseconds of a duration [JSON-2.11]. */
export function readDuration(text: string): bigint | undefined {
  const found = /^(-?)(0|[1-9][0-9]{0,19})(?:\.([0-9]{1,9}))?s$/.exec(text);
  if (found === null) {
    return undefined;
  }
  const magnitude = BigInt(found[2] as string) * second + BigInt((found[3] ?? "").padEnd(9, "0"));
  return fitting(found[1] === "-" ? -magnitude : magnitude);
}

function fitting(nanoseconds: bigint): bigint | undefined {
  return BigInt.asIntN(64, nanoseconds) === nanoseconds ? nanoseconds : undefined;
}

/** How many bytes are made characters at once. */
const binaryBytes = 8192;

/** Bytes in padded base64 [JSON-3.2]. */
export function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += binaryBytes) {
    binary += String.fromCharCode(...bytes.subarray(at, at + binaryBytes));
  }
  return btoa(binary);
}

/** The bytes of base64 in its one form. */
export function readBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !base64Form.test(text)) {
    return undefined;
  }
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes;
}

/** Before what pads it the last digit has no bits of a further byte. */
const base64Form = /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/;
