import { type AnyType, type EnumType, type Field, segmentOf, type Type } from "./type.js";

type Words = (type: AnyType) => string;

/** The layout text of a type and of all that it leads to, which peers compare [EVO-5]. */
export function layoutOf(type: Type): string {
  const numbers = new Map<Type | EnumType, number>();
  const blocks: string[] = [];
  const words = (one: AnyType): string => {
    switch (one.kind) {
      case "scalar":
        return one.name;
      case "str":
      case "bytes":
        return `${one.kind}${one.width}${boundOf(one.max)}`;
      case "list":
        return `list${one.width}${boundOf(one.max)} ${words(one.element)}`;
      case "array":
        return `array ${one.count} ${words(one.element)}`;
      case "optional":
        return `opt ${words(one.element)}`;
      case "map":
        return `map${one.width}${boundOf(one.max)} ${words(one.key)} ${words(one.value)}`;
      default: {
        const number = numbers.get(one) ?? numbers.size;
        if (number === numbers.size) {
          numbers.set(one, number);
          blocks[number] = [`${number} ${headOf(one)}`, ...linesOf(one, words), ""].join("\n");
        }
        return `#${number}`;
      }
    }
  };
  words(type);
  return blocks.join("");
}

function boundOf(max: number | undefined): string {
  return max === undefined ? "" : `<=${max}`;
}

function headOf(one: Type | EnumType): string {
  const base = one.kind === "enum" ? ` ${one.base}` : "";
  const word = "closed" in one && one.closed ? " closed" : one.kind === "message" && one.keep ? " keep" : "";
  return `${one.kind} ${one.name}${base}${word}`;
}

function linesOf(one: Type | EnumType, words: Words): string[] {
  switch (one.kind) {
    case "enum":
      return one.members.map(([name, number]) => ` ${name} ${number}`);
    case "union":
      return one.alternatives().map(([name, tag, type]) => ` ${name} ${tag}${type === undefined ? "" : ` ${words(type)}`}`);
    default:
      return one.fields().flatMap((field, i, all) => fieldLines(field, i === 0 ? 1 : segmentOf(all[i - 1] as Field), words));
  }
}

/** The line of a field, and before it that of the segment which it begins. */
function fieldLines(field: Field, before: number, words: Words): string[] {
  const segment = segmentOf(field);
  const line = ` ${field[0]} ${words(field[1])}`;
  return segment === before ? [line] : [`@${segment}`, line];
}
