import { SdpError } from "./error.js";
import { described } from "./expectation.js";

const perMillisecond = 1_000_000n;

/** A timestamp of milliseconds since 1970, as `Date.now()` gives them. Fractions count to the nanosecond. */
export function timestampFromMs(milliseconds: number): bigint {
  return nanosecondsOf(milliseconds);
}

/** The whole milliseconds since 1970 of a timestamp; a rest is dropped towards the past. */
export function timestampMs(timestamp: bigint): number {
  const rest = timestamp % perMillisecond;
  return Number(timestamp / perMillisecond) - (rest < 0n ? 1 : 0);
}

/** The timestamp of a Date. */
export function timestampFromDate(date: Date): bigint {
  return nanosecondsOf(date.getTime());
}

/** The Date of a timestamp, to the millisecond. */
export function timestampDate(timestamp: bigint): Date {
  return new Date(timestampMs(timestamp));
}

/** The timestamp of now, by the system's clock. */
export function timestampNow(): bigint {
  return nanosecondsOf(Date.now());
}

/** A duration of milliseconds, as timers take them. Fractions count to the nanosecond. */
export function durationFromMs(milliseconds: number): bigint {
  return nanosecondsOf(milliseconds);
}

/** The milliseconds of a duration, with their fraction. */
export function durationMs(duration: bigint): number {
  return Number(duration / perMillisecond) + Number(duration % perMillisecond) / 1e6;
}

/** Nanoseconds of milliseconds, if 64 bits hold them: from 1677 to 2262, or 292 years. */
function nanosecondsOf(milliseconds: number): bigint {
  if (!Number.isFinite(milliseconds)) {
    throw new SdpError("value_invalid", -1, "", `expected a finite number of milliseconds, got ${described(milliseconds)}`);
  }
  const whole = Math.floor(milliseconds);
  const nanoseconds = BigInt(whole) * perMillisecond + BigInt(Math.round((milliseconds - whole) * 1e6));
  if (nanoseconds !== BigInt.asIntN(64, nanoseconds)) {
    throw new SdpError("value_invalid", -1, "", `expected milliseconds whose nanoseconds have 64 bits, got ${described(milliseconds)}`);
  }
  return nanoseconds;
}
