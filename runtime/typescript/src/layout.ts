import type { AnyType, EnumType, Field, Type, UnionType } from "./type.js";
import { segmentOf } from "./type.js";

type Declared = Type | EnumType;

/** The layout text of a type and of all that it leads to, which peers compare [EVO-5]. */
export function layoutOf(type: Type): string {
  const numbers = new Map<Declared, number>();
  const number = (one: Declared): void => {
    if (!numbers.has(one)) {
      numbers.set(one, numbers.size);
      typesOf(one).forEach((inner) => declaredIn(inner).forEach(number));
    }
  };
  number(type);
  return [...numbers.keys()].map((one, i) => `${i} ${blockOf(one, numbers)}`).join("");
}

/** The types that a declared type names. */
function typesOf(one: Declared): AnyType[] {
  switch (one.kind) {
    case "enum":
      return [];
    case "union":
      return one.alternatives().flatMap((a) => a[2] ?? []);
    default:
      return one.fields().map((f) => f[1]);
  }
}

function declaredIn(type: AnyType): Declared[] {
  switch (type.kind) {
    case "list":
    case "array":
    case "optional":
      return declaredIn(type.element);
    case "map":
      return [...declaredIn(type.key), ...declaredIn(type.value)];
    case "scalar":
    case "str":
    case "bytes":
      return [];
    default:
      return [type];
  }
}

function blockOf(one: Declared, numbers: ReadonlyMap<Declared, number>): string {
  const words = (type: AnyType): string => wordsOf(type, numbers);
  switch (one.kind) {
    case "enum":
      return [`enum ${one.name} ${one.base}${one.closed ? " closed" : ""}`, ...one.members.map((m) => ` ${m[0]} ${m[1]}`), ""].join("\n");
    case "union":
      return unionBlock(one, words);
    default: {
      const head = one.kind === "struct" ? `struct ${one.name}` : `message ${one.name}${one.keep ? " keep" : ""}`;
      return `${head}\n${fieldLines(one.fields(), words)}`;
    }
  }
}

function unionBlock(one: UnionType, words: (type: AnyType) => string): string {
  const lines = one.alternatives().map((a) => ` ${a[0]} ${a[1]}${a[2] === undefined ? "" : ` ${words(a[2])}`}\n`);
  return `union ${one.name}${one.closed ? " closed" : ""}\n${lines.join("")}`;
}

function fieldLines(fields: readonly Field[], words: (type: AnyType) => string): string {
  let segment = 1;
  let text = "";
  for (const field of fields) {
    if (segmentOf(field) !== segment) {
      segment = segmentOf(field);
      text += `@${segment}\n`;
    }
    text += ` ${field[0]} ${words(field[1])}\n`;
  }
  return text;
}

function wordsOf(type: AnyType, numbers: ReadonlyMap<Declared, number>): string {
  switch (type.kind) {
    case "scalar":
      return type.name;
    case "str":
    case "bytes":
      return `${type.kind}${type.width}${boundOf(type.max)}`;
    case "list":
      return `list${type.width}${boundOf(type.max)} ${wordsOf(type.element, numbers)}`;
    case "array":
      return `array ${type.count} ${wordsOf(type.element, numbers)}`;
    case "optional":
      return `opt ${wordsOf(type.element, numbers)}`;
    case "map":
      return `map${type.width}${boundOf(type.max)} ${wordsOf(type.key, numbers)} ${wordsOf(type.value, numbers)}`;
    default:
      return `#${numbers.get(type)}`;
  }
}

function boundOf(max: number | undefined): string {
  return max === undefined ? "" : `<=${max}`;
}
