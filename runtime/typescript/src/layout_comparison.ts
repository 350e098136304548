import { absent, type Block, differenceBytes, isText, Layout, type LayoutMember } from "./layout_text.js";
import { layoutPairs } from "./spec_gen.js";

/** The places of a block here and of one there. */
export type Pair = readonly [here: number, there: number];

/** The result of the comparison of a pair of blocks: the first difference, or nothing, and the pairs that the members name. */
interface Verdict {
  readonly difference: string;
  readonly named: readonly Pair[];
}

/** A text of this side's and one of the peer's, in both directions. */
export class Comparison {
  readonly #here: Layout;
  readonly #there: Layout;
  readonly inward: LayoutComparison;
  readonly outward: LayoutComparison;

  constructor(here: string, there: string) {
    this.#here = new Layout(here);
    this.#there = new Layout(there);
    this.inward = new LayoutComparison(this.#here, this.#there, true);
    this.outward = new LayoutComparison(this.#here, this.#there, false);
  }

  /** Compares two texts, unless either is none. */
  static of(here: string, there: string): Comparison | undefined {
    return isText(here) && isText(there) ? new Comparison(here, there) : undefined;
  }

  /** The places of the blocks of a type, if both texts have it. */
  find(name: string): Pair | undefined {
    const here = this.#here.find(name);
    const there = this.#there.find(name);
    return here === undefined || there === undefined ? undefined : [here, there];
  }
}

/** The first difference that keeps a reader from reading what a writer with another text writes; empty if there is none. */
export function layoutDifference(reader: string, writer: string): string {
  return reader === writer ? "" : new Comparison(reader, writer).inward.difference([0, 0]);
}

/** The text of a difference. */
function differs(name: string, here: string, there: string): string {
  return `${name}: here ${here}, there ${there}`;
}

/**
 * Finds out whether the layout text of one side reads that of the other [EVO-5.7]. A pair of blocks is
 * compared once, however many types of a joint text reach it.
 */
export class LayoutComparison {
  readonly #here: Layout;
  readonly #there: Layout;
  readonly #isReader: boolean;
  readonly #verdicts = new Map<number, Verdict>();
  /** The pairs that the members of the blocks name which are compared now. */
  #named: Pair[] = [];

  constructor(here: Layout, there: Layout, isReader: boolean) {
    this.#here = here;
    this.#there = there;
    this.#isReader = isReader;
  }

  /**
   * The first difference that keeps the reader, this side or the peer, from reading a type of the other
   * side's, whose blocks are a pair; empty if there is none.
   */
  difference(root: Pair): string {
    const queue: Pair[] = [root];
    const seen = new Set([this.#key(root)]);
    for (const pair of queue) {
      const verdict = this.#verdict(pair);
      if (verdict === undefined) {
        return `${this.#here.block(root[0]).name}: layouts unknown`;
      }
      if (verdict.difference !== "") {
        return verdict.difference;
      }
      for (const next of verdict.named) {
        const key = this.#key(next);
        if (queue.length <= layoutPairs && !seen.has(key)) {
          seen.add(key);
          queue.push(next);
        }
      }
    }
    return "";
  }

  #key([here, there]: Pair): number {
    return here * this.#there.size + there;
  }

  /** Compares a pair of blocks; undefined where too many were compared. */
  #verdict(pair: Pair): Verdict | undefined {
    const key = this.#key(pair);
    const known = this.#verdicts.get(key);
    if (known !== undefined || this.#verdicts.size === layoutPairs) {
      return known;
    }
    this.#named = [];
    const difference = this.#compare(this.#here.block(pair[0]), this.#there.block(pair[1])).slice(0, differenceBytes);
    const verdict = { difference, named: this.#named };
    this.#verdicts.set(key, verdict);
    return verdict;
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
        return differs(`${here.name}.${a.name}`, this.#here.spell(a.words), absent);
      } else if (b !== undefined) {
        return differs(`${here.name}.${b.name}`, absent, this.#there.spell(b.words));
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
        return differs(`${here.name}.${b.name}`, absent, this.#there.spell(b.words));
      }
      if (isHere) {
        return differs(`${here.name}.${a.name}`, this.#here.spell(a.words), absent);
      }
    }
    return this.#memberTypes(here, a, b);
  }

  /** Compares the types of two members. Where they differ and the names do too, the other side lacks the member. */
  #memberTypes(here: Block, a: LayoutMember, b: LayoutMember): string {
    if (this.#types(a.words, b.words)) {
      return "";
    }
    const theirs = a.name === b.name ? this.#there.spell(b.words) : absent;
    return differs(`${here.name}.${a.name}`, this.#here.spell(a.words), theirs);
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
  #types(ours: readonly string[], peer: readonly string[]): boolean {
    const here = new Words(ours);
    const there = new Words(peer);
    for (;;) {
      const a = here.take();
      const b = there.take();
      if (a === undefined || b === undefined) {
        return a === b;
      }
      const i = this.#here.placeOf(a);
      const j = this.#there.placeOf(b);
      if (i !== undefined && j !== undefined) {
        const x = this.#here.block(i);
        const y = this.#there.block(j);
        if (x.name !== y.name && !this.#alike(x, y)) {
          return false;
        }
        this.#named.push([i, j]);
      } else if (i !== undefined || j !== undefined) {
        const isRead = i !== undefined
          ? isInteger(this.#here.block(i), b, !this.#isReader)
          : isInteger(this.#there.block(j as number), a, this.#isReader);
        if (!isRead) {
          return false;
        }
      } else if (isOctets(a, b)) {
        here.put("u8");
      } else if (isOctets(b, a)) {
        there.put("u8");
      } else if (a !== b) {
        return false;
      }
    }
  }
}

/** The words of a type, without the bounds that may be behind them, in front of which one more can be put. */
class Words {
  readonly #words: readonly string[];
  #next = 0;
  #first: string | undefined;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  put(word: string): void {
    this.#first = word;
  }

  take(): string | undefined {
    const word = this.#first ?? this.#words[this.#next++];
    this.#first = undefined;
    return word?.split("<=", 1)[0];
  }
}

/** Whether an enum and an integer read each other. A closed enum can't read what any integer may be. */
function isInteger(block: Block, word: string, writes: boolean): boolean {
  return block.kind === "enum" && block.base === word && (writes || !block.closed);
}

/** Whether one word is of bytes and the other of a list with as long a count. */
function isOctets(octets: string, list: string): boolean {
  return octets.startsWith("bytes") && list.startsWith("list") && octets.slice(5) === list.slice(4);
}
