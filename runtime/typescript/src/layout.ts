import { type AnyType, type EnumType, type Field, segmentOf, type Type } from "./type.js";

type Words = (type: AnyType) => string;

/** The layout text of a type and of all that it leads to, which peers compare [EVO-5]. */
export function layoutOf(type: Type): string {
  const numbers = new Map<Type | EnumType, number>();
  const blocks: string[] = [];
  const words = (item: AnyType): string => {
    switch (item.kind) {
      case "scalar":
        return item.name;
      case "str":
      case "bytes":
        return `${item.kind}${item.width}${boundOf(item.max)}`;
      case "list":
        return `list${item.width}${boundOf(item.max)} ${words(item.element)}`;
      case "array":
        return `array ${item.count} ${words(item.element)}`;
      case "optional":
        return `opt ${words(item.element)}`;
      case "map":
        return `map${item.width}${boundOf(item.max)} ${words(item.key)} ${words(item.value)}`;
      default: {
        const number = numbers.get(item) ?? numbers.size;
        if (number === numbers.size) {
          numbers.set(item, number);
          blocks[number] = [`${number} ${headOf(item)}`, ...linesOf(item, words), ""].join("\n");
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

function headOf(type: Type | EnumType): string {
  const base = type.kind === "enum" ? ` ${type.base}` : "";
  const word = "closed" in type && type.closed ? " closed" : type.kind === "message" && type.keep ? " keep" : "";
  return `${type.kind} ${type.name}${base}${word}`;
}

function linesOf(shape: Type | EnumType, words: Words): string[] {
  switch (shape.kind) {
    case "enum":
      return shape.members.map(([name, number]) => ` ${name} ${number}`);
    case "union":
      return shape.alternatives().map(([name, tag, type]) => ` ${name} ${tag}${type === undefined ? "" : ` ${words(type)}`}`);
    default:
      return shape.fields().flatMap((field, i, list) => fieldLines(field, i === 0 ? 1 : segmentOf(list[i - 1] as Field), words));
  }
}

/** The line of a field, and before it that of the segment which it begins. */
function fieldLines(field: Field, previous: number, words: Words): string[] {
  const segment = segmentOf(field);
  const line = ` ${field[0]} ${words(field[1])}`;
  return segment === previous ? [line] : [`@${segment}`, line];
}
