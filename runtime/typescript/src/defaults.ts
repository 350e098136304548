import { SdpError } from "./error.js";
import { arrayOf } from "./numbers.js";
import type { Numbers } from "./reader.js";
import { type AnyType, type Field, isWide, propertyOf, type Type } from "./type.js";

/** The value of a type that nothing was said of: 0, false, empty, absent [EVO-2.3]. A union has none, and is refused. */
export function zero<T>(type: Type<T>): T {
  return zeroOf(type) as T;
}

/** The value of a field whose segment is missing. */
export function missing(field: Field): unknown {
  const given = field[2]?.missing;
  return given === undefined ? zeroOf(field[1]) : given;
}

export function zeroOf(type: AnyType): unknown {
  switch (type.kind) {
    case "scalar":
      return type.name === "bool" ? false : type.name === "uuid" ? nil : isWide(type.name) && !type.safe ? 0n : 0;
    case "enum":
      return isWide(type.base) ? 0n : 0;
    case "str":
      return "";
    case "bytes":
      return new Uint8Array(0);
    case "list":
      return numbersOf(type.element, 0) ?? [];
    case "array":
      return numbersOf(type.element, type.count) ?? Array.from({ length: type.count }, () => zeroOf(type.element));
    case "optional":
      return null;
    case "map":
      return new Map();
    case "struct":
    case "message": {
      const value: Record<string, unknown> = {};
      for (const field of type.fields()) {
        value[propertyOf(field)] = type.kind === "struct" ? zeroOf(field[1]) : missing(field);
      }
      return value;
    }
    case "union":
      throw new SdpError("value_invalid", -1, "", `${type.name} is a union, and none of its alternatives is zero`);
  }
}

const nil = "00000000-0000-0000-0000-000000000000";

/** An array for n elements of a type, where that is a typed array. */
export function numbersOf(element: AnyType, n: number): Numbers | undefined {
  const array = arrayOf(element);
  return array === undefined ? undefined : new array(n);
}
