import { absent, type Block, differenceBytes, type Layout, type LayoutMember, placeOf, spell } from "./layout.js";
import { layoutPairs } from "./spec_gen.js";

/**
 * The first difference that keeps the reader from reading what the other side writes [EVO-5.7]; empty
 * if there is none. The reader is this side, or the peer.
 */
export function unread(here: Layout, there: Layout, isReader: boolean): string {
  return new Reading(here, there, isReader).difference();
}

/** The text of a difference. */
function differs(name: string, here: string, there: string): string {
  return `${name}: here ${here}, there ${there}`;
}

/** Finds out whether the layout text of one side reads that of the other. */
class Reading {
  readonly #here: Layout;
  readonly #there: Layout;
  readonly #isReader: boolean;
  /** Pairs of blocks, which are compared in this order. */
  readonly #pairs: (readonly [number, number])[] = [];
  readonly #seen = new Set<string>();

  constructor(here: Layout, there: Layout, isReader: boolean) {
    this.#here = here;
    this.#there = there;
    this.#isReader = isReader;
  }

  difference(): string {
    this.#add(0, 0);
    for (let i = 0; i < this.#pairs.length; i++) {
      if (i === layoutPairs) {
        return `${(this.#here[0] as Block).name}: layouts unknown`;
      }
      const [a, b] = this.#pairs[i] as readonly [number, number];
      const found = this.#compare(this.#here[a] as Block, this.#there[b] as Block);
      if (found !== "") {
        return found.slice(0, differenceBytes);
      }
    }
    return "";
  }

  #add(here: number, there: number): void {
    const key = `${here} ${there}`;
    if (!this.#seen.has(key) && this.#pairs.length <= layoutPairs) {
      this.#seen.add(key);
      this.#pairs.push([here, there]);
    }
  }

  /** A reader and a writer as the two sides here and there, and the reverse. */
  #sides<T>(a: T, b: T): readonly [T, T] {
    return this.#isReader ? [a, b] : [b, a];
  }

  /** The first difference of two blocks [EVO-5.8]. */
  #compare(here: Block, there: Block): string {
    if (!this.#alike(here, there)) {
      return differs(here.name, here.toString(), there.toString());
    }
    if (here.kind === "struct") {
      return this.#fields(here, there);
    }
    if (here.kind === "message") {
      return this.#fields(here, there) || this.#segments(here, there);
    }
    return this.#numbers(here, there);
  }

  /** Whether the first lines of two blocks read each other. */
  #alike(here: Block, there: Block): boolean {
    const [reader, writer] = this.#sides(here, there);
    if (here.kind !== there.kind || here.base !== there.base) {
      return false;
    }
    return reader.closed === writer.closed || (reader.kind === "enum" && writer.closed);
  }

  /** Compares fields by their positions. */
  #fields(here: Block, there: Block): string {
    for (let i = 0; i < Math.max(here.members.length, there.members.length); i++) {
      const a = here.members[i];
      const b = there.members[i];
      if (a !== undefined && b !== undefined) {
        const found = this.#field(here, there, i, a, b);
        if (found !== "") {
          return found;
        }
      } else if (here.kind === "message") {
        continue; // passed over, or missing
      } else if (a !== undefined) {
        return differs(`${here.name}.${a.name}`, spell(this.#here, a.words), absent);
      } else if (b !== undefined) {
        return differs(`${here.name}.${b.name}`, absent, spell(this.#there, b.words));
      }
    }
    return "";
  }

  /** Compares the two fields at a position. */
  #field(here: Block, there: Block, i: number, a: LayoutMember, b: LayoutMember): string {
    if (a.name !== b.name) {
      const at = there.find(a.name);
      const isHere = here.find(b.name) !== undefined;
      if (at !== undefined && isHere) {
        return differs(`${here.name}.${a.name}`, `field ${i + 1}`, `field ${at + 1}`);
      }
      if (at !== undefined) {
        return differs(`${here.name}.${b.name}`, absent, spell(this.#there, b.words));
      }
      if (isHere) {
        return differs(`${here.name}.${a.name}`, spell(this.#here, a.words), absent);
      }
    }
    return this.#memberTypes(here, a, b);
  }

  /** Compares the types of two members. Where they differ and the names do too, the other side lacks the member. */
  #memberTypes(here: Block, a: LayoutMember, b: LayoutMember): string {
    if (this.#types(a.words, b.words)) {
      return "";
    }
    const theirs = a.name === b.name ? spell(this.#there, b.words) : absent;
    return differs(`${here.name}.${a.name}`, spell(this.#here, a.words), theirs);
  }

  /** Looks for an end of a segment that the writer has and the reader has not [EVO-4.4]. */
  #segments(here: Block, there: Block): string {
    const [reader, writer] = this.#sides(here, there);
    for (const [i, member] of reader.members.entries()) {
      if (reader.ended(i) || (!writer.ended(i) && i !== writer.members.length)) {
        continue;
      }
      const written = i < writer.members.length ? `segment ${writer.segment(i)}` : absent;
      const [x, y] = this.#sides(`segment ${reader.segment(i)}`, written);
      return differs(`${here.name}.${member.name}`, x, y);
    }
    return "";
  }

  /** Compares the members of enums and the alternatives of unions. */
  #numbers(here: Block, there: Block): string {
    const what = here.kind === "union" ? "tag " : "number ";
    for (const a of here.members) {
      const named = there.members[there.find(a.name) ?? -1];
      if (named !== undefined && named.number !== a.number) {
        return differs(`${here.name}.${a.name}`, what + a.number, what + named.number);
      }
      const numbered = there.members[there.numbered(a.number) ?? -1];
      const found = numbered === undefined ? "" : this.#memberTypes(here, a, numbered);
      if (found !== "") {
        return found;
      }
    }
    const [reader, writer] = this.#sides(here, there);
    for (const member of writer.members) {
      if (reader.closed && reader.numbered(member.number) === undefined) {
        const [x, y] = this.#sides(absent, what + member.number);
        return differs(`${here.name}.${member.name}`, x, y);
      }
    }
    return "";
  }

  /** Compares two types word by word, and adds the pairs of blocks that they name [EVO-5.9]. */
  #types(ours: readonly string[], theirs: readonly string[]): boolean {
    const here = wordsOf(ours);
    const there = wordsOf(theirs);
    for (;;) {
      const a = here.shift();
      const b = there.shift();
      if (a === undefined || b === undefined) {
        return a === b;
      }
      const i = placeOf(this.#here, a);
      const j = placeOf(this.#there, b);
      if (i !== undefined && j !== undefined) {
        const x = this.#here[i] as Block;
        const y = this.#there[j] as Block;
        if (x.name !== y.name && !this.#alike(x, y)) {
          return false;
        }
        this.#add(i, j);
      } else if (i !== undefined || j !== undefined) {
        const isRead = i !== undefined
          ? isInteger(this.#here[i] as Block, b, !this.#isReader)
          : isInteger(this.#there[j as number] as Block, a, this.#isReader);
        if (!isRead) {
          return false;
        }
      } else if (isOctets(a, b)) {
        here.unshift("u8");
      } else if (isOctets(b, a)) {
        there.unshift("u8");
      } else if (a !== b) {
        return false;
      }
    }
  }
}

/** The words of a type, without the bounds that may be behind them. */
function wordsOf(words: readonly string[]): string[] {
  return words.map((word) => word.split("<=")[0] as string);
}

/** Whether an enum and an integer read each other. A closed enum can't read what any integer may be. */
function isInteger(block: Block, word: string, writes: boolean): boolean {
  return block.kind === "enum" && block.base === word && (writes || !block.closed);
}

/** Whether one word is of bytes and the other of a list with as long a count. */
function isOctets(octets: string, list: string): boolean {
  return octets.startsWith("bytes") && list.startsWith("list") && octets.slice(5) === list.slice(4);
}
