import { type Parameter, Scale } from "../out/rack.js";

/** How many places a slider has whose parameter has all numbers between its ends. */
const places = 1000;

/** How many places a parameter's slider has, from 0. */
export function placesOf({ scale, low, high }: Parameter): number {
  return scale === Scale.Whole ? Math.max(1, Math.round(high - low)) : places;
}

/** The value at a place of the slider. */
export function valueAt(p: Parameter, place: number): number {
  const part = place / placesOf(p);
  const value = p.scale === Scale.Logarithmic ? p.low * (p.high / p.low) ** part : p.low + part * (p.high - p.low);
  // The ends are f32, as the host compares them.
  return Math.min(Math.max(Math.fround(value), p.low), p.high);
}

/** The slider's place for a value. */
export function placeOf(p: Parameter, value: number): number {
  const part = p.scale === Scale.Logarithmic ? Math.log(value / p.low) / Math.log(p.high / p.low) : (value - p.low) / (p.high - p.low);
  return Math.round(part * placesOf(p)) || 0;
}

const units: Readonly<Record<string, string>> = { db: "dB", hz: "Hz", pc: "%", degree: "°", coef: "", semitone12TET: "st", midiNote: "" };

/** A value as it is read. */
export function textOf({ scale, unit, low, high }: Parameter, value: number): string {
  if (scale === Scale.Switch) {
    return value > (low + high) / 2 ? "on" : "off";
  }
  const digits = scale === Scale.Whole || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const shown = units[unit] ?? unit;
  return `${value.toFixed(digits)}${shown === "" ? "" : `\u202f${shown}`}`;
}
