/** How long the text of a difference is at most, in bytes. */
export const differenceBytes = 400;

/** What a side has that lacks a member. */
export const absent = "nothing";

/** A layout text, by its blocks. */
export type Layout = readonly Block[];

/** A field, a member of an enum, or an alternative. */
export interface LayoutMember {
  readonly name: string;
  /** Of a member, or the tag of an alternative. */
  readonly number: string;
  /** The type of a field, or of an alternative's payload. */
  readonly words: readonly string[];
}

/** What a declared type is on the wire [EVO-5.3]. */
export class Block {
  /** "struct", "message", "enum" or "union". */
  readonly kind: string;
  readonly name: string;
  /** Of an enum. */
  readonly base: string;
  readonly closed: boolean;
  readonly members: LayoutMember[] = [];
  /** How many fields stand before the end of a segment. */
  readonly #ends = new Set<number>();
  /** Where the first member of a name stands, and the first of a number: a peer's block may have thousands. */
  readonly #names = new Map<string, number>();
  readonly #numbers = new Map<string, number>();

  /** Made of the words of its first line. */
  constructor(words: readonly string[]) {
    const [, kind = "", name = "", third = "", fourth = ""] = words;
    this.kind = kind;
    this.name = name;
    this.base = kind === "enum" ? third : "";
    this.closed = (kind === "enum" && fourth === "closed") || (kind === "union" && third === "closed");
  }

  /** Adds a member, by the words of its line. */
  add(words: readonly string[]): void {
    const [name = "", ...rest] = words;
    const numbered = (this.kind === "enum" || this.kind === "union") && rest.length > 0;
    const number = numbered ? (rest[0] as string) : "";
    const at = this.members.length;
    if (!this.#names.has(name)) {
      this.#names.set(name, at);
    }
    if (!this.#numbers.has(number)) {
      this.#numbers.set(number, at);
    }
    this.members.push({ name, number, words: numbered ? rest.slice(1) : rest });
  }

  /** Adds an end of a segment behind the fields that are there. */
  end(): void {
    this.#ends.add(this.members.length);
  }

  /** Whether a segment ends in front of a field. */
  ended(field: number): boolean {
    return this.#ends.has(field);
  }

  /** The number of the segment that a field is in. */
  segment(field: number): number {
    return [...this.#ends].filter((end) => end <= field).length + 1;
  }

  /** What the block is a block of. */
  toString(): string {
    return `${this.closed ? "closed " : ""}${this.kind}${this.base === "" ? "" : ` ${this.base}`}`;
  }

  /** The place of the member of a name. */
  find(name: string): number | undefined {
    return this.#names.get(name);
  }

  /** The place of the member of a number. */
  numbered(number: string): number | undefined {
    return this.#numbers.get(number);
  }
}

/** Reads a text. What is no layout text gives blocks too, which differ from those of one. */
export function layoutOf(text: string): Layout {
  const blocks: Block[] = [];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const words = line.split(" ");
    if (words[0] === "" && words.length > 1) {
      blocks.at(-1)?.add(words.slice(1));
    } else if (line.startsWith("@")) {
      blocks.at(-1)?.end();
    } else {
      blocks.push(new Block(words));
    }
  }
  return blocks;
}

/** The number of the block that a word of a type names; undefined for other words. */
export function placeOf(layout: Layout, word: string): number | undefined {
  const n = /^#\d{1,6}$/.test(word) ? Number(word.slice(1)) : layout.length;
  return n < layout.length ? n : undefined;
}

/**
 * Writes a type with the names of blocks in the places of their numbers. What would be behind the
 * bytes of a difference is left out: a short text may name a long name often.
 */
export function spell(layout: Layout, words: readonly string[]): string {
  if (words.length === 0) {
    return absent;
  }
  let spelled = "";
  for (const [i, word] of words.entries()) {
    if (spelled.length > differenceBytes) {
      break;
    }
    const place = placeOf(layout, word);
    spelled += (i > 0 ? " " : "") + (place === undefined ? word : (layout[place] as Block).name);
  }
  return spelled;
}

/** Whether a text may be a layout text: it has a first block, and is ASCII. */
export function isText(text: string): boolean {
  return text.startsWith("0 ") && /^[\n -~]*$/.test(text);
}
