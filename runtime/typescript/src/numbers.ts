import type { Numbers, NumbersOf } from "./reader.js";
import type { ScalarName } from "./spec_gen.js";
import type { AnyType, ScalarType } from "./type.js";

/** Scalars whose values are numbers or bigints. */
export type NumberName = Exclude<ScalarName, "bool" | "uuid">;

/** How a number is loaded, and the array that lists of it are. */
interface NumberKind {
  readonly load: (view: DataView, offset: number) => number | bigint;
  readonly array: NumbersOf<Numbers>;
}

const wide: NumberKind = { load: (view, offset) => view.getBigInt64(offset, true), array: BigInt64Array };

export const numbers: Readonly<Record<NumberName, NumberKind>> = {
  u8: { load: (view, offset) => view.getUint8(offset), array: Uint8Array },
  u16: { load: (view, offset) => view.getUint16(offset, true), array: Uint16Array },
  u32: { load: (view, offset) => view.getUint32(offset, true), array: Uint32Array },
  u64: { load: (view, offset) => view.getBigUint64(offset, true), array: BigUint64Array },
  i8: { load: (view, offset) => view.getInt8(offset), array: Int8Array },
  i16: { load: (view, offset) => view.getInt16(offset, true), array: Int16Array },
  i32: { load: (view, offset) => view.getInt32(offset, true), array: Int32Array },
  i64: wide,
  f32: { load: (view, offset) => view.getFloat32(offset, true), array: Float32Array },
  f64: { load: (view, offset) => view.getFloat64(offset, true), array: Float64Array },
  timestamp: wide,
  duration: wide,
};

/** The constructor of the typed array for a list or array of a type; undefined for types whose lists are an Array. */
export function arrayOf(element: AnyType): NumbersOf<Numbers> | undefined {
  return isNumber(element) && !element.safe ? numbers[element.name].array : undefined;
}

/** Whether the values of a type are numbers or bigints. */
export function isNumber(type: AnyType): type is ScalarType & { readonly name: NumberName } {
  return type.kind === "scalar" && type.name !== "bool" && type.name !== "uuid";
}

/** The number at a place, of an integer of 64 bits; one that is not exact is no safe integer. */
export function loadSafe(view: DataView, offset: number, name: ScalarName): number {
  const high = name === "u64" ? view.getUint32(offset + 4, true) : view.getInt32(offset + 4, true);
  return high * 4294967296 + view.getUint32(offset, true);
}
