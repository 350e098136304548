// Reads values from JSON without a tree between, by functions that are made once for each type. Refused and rare texts
// are left to json_read.ts.

import { rangeOf } from "./check.js";
import { refused } from "./error.js";
import { closeBrace, closeBracket, colon, openBrace, openBracket, quoteCode, Tokens } from "./json_tokens.js";
import { quote, readBase64, readDuration, readInteger, readSpecial, readTimestamp } from "./json_text.js";
import { missing } from "./defaults.js";
import { arrayOf } from "./numbers.js";
import { once, onceEach } from "./once.js";
import {
  type AnyType, type ArrayType, type EnumType, type Field, isWide, kindOf, type ListType, type MapType, type MessageType,
  propertyOf, type ScalarType, segmentOf, type StructType, type Type, type UnionType,
} from "./type.js";
import { uuidForm } from "./writer.js";

type TokenReader = (tokens: Tokens) => unknown;

/** Reads a value; throws `refused` for a refused text, and for a rare one. */
export function readFast(type: Type, text: string): unknown {
  const tokens = new Tokens(text);
  const value = aggregateOf(type)(tokens);
  if (!Number.isNaN(tokens.next())) {
    throw refused;
  }
  return value;
}

/** A reader of a struct, message or union. */
const aggregateOf: (type: Type) => TokenReader = /* @__PURE__ */ onceEach((type: Type) => type.kind === "union" ? union(type) : record(type));

function readerOf(type: AnyType): TokenReader {
  switch (type.kind) {
    case "scalar":
      return scalar(type);
    case "enum":
      return enumeration(type);
    case "str":
      return (tokens) => tokens.string();
    case "bytes":
      return (tokens) => defined(readBase64(tokens.string()));
    case "list":
    case "array":
      return elements(type);
    case "optional": {
      const element = readerOf(type.element);
      return (tokens) => {
        if (tokens.next() !== 0x6e) { // an n
          return element(tokens);
        }
        tokens.word("null");
        return null;
      };
    }
    case "map":
      return map(type);
    default:
      return (tokens) => aggregateOf(type)(tokens); // types lead back to themselves
  }
}

function defined<V>(value: V | undefined): V {
  if (value === undefined) {
    throw refused;
  }
  return value;
}

function scalar(type: ScalarType): TokenReader {
  switch (type.name) {
    case "bool":
      return (tokens) => {
        const isTrue = tokens.next() === 0x74; // a t
        tokens.word(isTrue ? "true" : "false");
        return isTrue;
      };
    case "f32":
      return float(4);
    case "f64":
      return float(8);
    case "timestamp":
      return (tokens) => defined(readTimestamp(tokens.string()));
    case "duration":
      return (tokens) => defined(readDuration(tokens.string()));
    case "uuid":
      return (tokens) => {
        const text = tokens.string();
        return defined(uuidForm.test(text) ? text.toLowerCase() : undefined);
      };
    default:
      return integer(type);
  }
}

function float(width: 4 | 8): TokenReader {
  return (tokens) => tokens.next() === quoteCode ? defined(readSpecial(tokens.string(), width)).value : tokens.float(width);
}

function integer({ name, safe }: ScalarType): TokenReader {
  const [low, high] = rangeOf(name);
  if (safe) {
    return (tokens) => {
      const number = Number(tokens.wide(low, high));
      return defined(Number.isSafeInteger(number) ? number : undefined);
    };
  }
  if (isWide(name)) {
    return (tokens) => tokens.wide(low, high);
  }
  const [least, most] = [Number(low), Number(high)];
  return (tokens) => tokens.integer(least, most);
}

/** An enum by a member's name or by its digits [JSON-2.14]. */
function enumeration({ base, closed, members }: EnumType): TokenReader {
  const byName = new Map([...members].reverse().map(([name, number, json]) => [json ?? name, number]));
  const numbers = new Set(members.map(([, number]) => number));
  const range = rangeOf(base);
  const byDigits = integer({ kind: "scalar", name: base, safe: false });
  const held = (number: number | bigint): number | bigint => defined(!closed || numbers.has(number) ? number : undefined);
  return (tokens) => {
    if (tokens.next() !== quoteCode) {
      return held(byDigits(tokens) as number | bigint);
    }
    const text = tokens.string();
    const member = byName.get(text);
    if (member !== undefined) {
      return member;
    }
    const number = defined(readInteger(text, ...range));
    return held(isWide(base) ? number : Number(number));
  };
}

function elements(type: ListType | ArrayType): TokenReader {
  const one = readerOf(type.element);
  const array = arrayOf(type.element) as (new (from: unknown) => unknown) | undefined;
  const count = type.kind === "array" ? type.count : undefined;
  return (tokens) => {
    const values: unknown[] = [];
    if (tokens.opens(openBracket, closeBracket)) {
      do {
        const value = one(tokens);
        if (value !== value) {
          throw refused; // arrays keep the bits of NaNs
        }
        values.push(value);
      } while (tokens.more(closeBracket));
    }
    if (count !== undefined && values.length !== count) {
      throw refused;
    }
    return array === undefined ? values : new array(values);
  };
}

function map(type: MapType): TokenReader {
  const value = readerOf(type.value);
  const key = type.key.kind === "scalar" && type.key.name === "bool" ? wordKey : readerOf(type.key);
  return (tokens) => {
    const entries = new Map<unknown, unknown>();
    if (tokens.opens(openBrace, closeBrace)) {
      do {
        if (tokens.next() !== quoteCode) {
          throw refused; // numbers are no keys
        }
        const own = key(tokens);
        if (entries.has(own)) {
          throw refused;
        }
        tokens.take(colon);
        entries.set(own, value(tokens));
      } while (tokens.more(closeBrace));
    }
    return entries;
  };
}

const wordKey: TokenReader = (tokens) => {
  const word = tokens.string();
  return defined(word === "true" ? true : word === "false" ? false : undefined);
};

/** A field, as it is read. */
interface Part {
  readonly field: Field;
  readonly property: string;
  /** The key with its quotes and colon. */
  readonly key: string;
  readonly read: TokenReader;
}

/** A struct, message or inline alternative. */
function record(type: StructType | MessageType): TokenReader {
  const parts = once(() => type.fields().map((field): Part => {
    const key = field[2]?.json ?? field[0];
    return { field, property: propertyOf(field), key: `${quote(key)}:`, read: readerOf(field[1]) };
  }));
  const byKey = once(() => new Map(type.fields().map((field, i) => [field[2]?.json ?? field[0], i])));
  const empty = once(() => Object.fromEntries(parts().map(({ property }) => [property, undefined])));
  const keeps = type.kind === "message" && type.keep;
  return (tokens) => {
    const all = parts();
    const value: Record<string, unknown> = { ...empty() };
    let seen: boolean[] | undefined; // while members are in order, those before the next one are there
    let next = 0;
    tokens.enter();
    if (tokens.opens(openBrace, closeBrace)) {
      do {
        tokens.next();
        let at = next;
        if (at === all.length || !tokens.takes((all[at] as Part).key)) {
          const key = tokens.key();
          const known = byKey().get(key);
          if (known === undefined) {
            if (type.kind === "struct" || (keeps && key === "$unknown")) {
              throw refused;
            }
            tokens.pass();
            continue;
          }
          at = known;
        }
        if (at !== next || seen !== undefined) {
          seen ??= all.map((_, i) => i < next);
          if (seen[at] === true) {
            throw refused;
          }
          seen[at] = true;
        }
        const { property, read } = all[at] as Part;
        value[property] = read(tokens);
        next = at + 1;
      } while (tokens.more(closeBrace));
    }
    tokens.leave();
    if (seen !== undefined || next < all.length) {
      all.forEach(({ field, property }, i) => {
        if (seen === undefined ? i >= next : seen[i] !== true) {
          value[property] = absent(field);
        }
      });
    }
    return value;
  };
}

/** The value of a field that has no member [JSON-5.2]. */
function absent(field: Field): unknown {
  if (segmentOf(field) > 1) {
    return missing(field);
  }
  return field[1].kind === "optional" ? null : defined(undefined);
}

/** A union: an object with one member [JSON-4.3]. */
function union(type: UnionType): TokenReader {
  const byKey = once(() => new Map(type.alternatives().map((item) => [item[3]?.json ?? item[0], { kind: kindOf(item), read: item[2] === undefined ? undefined : readerOf(item[2]) }])));
  return (tokens) => {
    tokens.enter();
    tokens.take(openBrace);
    const { kind, read } = defined(byKey().get(tokens.key()));
    if (read === undefined) {
      tokens.next();
      tokens.word("null");
    }
    const value = read === undefined ? { kind } : { kind, value: read(tokens) };
    tokens.take(closeBrace);
    tokens.leave();
    return value;
  };
}
