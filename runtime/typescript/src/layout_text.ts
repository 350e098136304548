/** The greatest length of the text of a difference, in bytes. */
export const differenceBytes = 400;

/** The word for a side that lacks a member. */
export const absent = "nothing";

/** A field, a member of an enum, or an alternative. */
export interface LayoutMember {
  readonly name: string;
  /** Of a member, or the tag of an alternative. */
  readonly number: string;
  /** The type of a field, or of an alternative's payload. */
  readonly words: readonly string[];
}

/** A declared type, as it is on the wire [EVO-5.3]. */
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

  /** Made of its lines. */
  constructor(text: string) {
    const [head = "", ...lines] = text.split("\n");
    const [, kind = "", name = "", third = "", fourth = ""] = head.split(" ");
    this.kind = kind;
    this.name = name;
    this.base = kind === "enum" ? third : "";
    this.closed = (kind === "enum" && fourth === "closed") || (kind === "union" && third === "closed");
    for (const line of lines) {
      if (line.startsWith(" ")) {
        this.#add(line.slice(1).split(" "));
      } else {
        this.#ends.add(this.members.length);
      }
    }
  }

  /** Adds a member, by the words of its line. */
  #add(words: readonly string[]): void {
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

  /** Whether a segment ends in front of a field. */
  ended(field: number): boolean {
    return this.#ends.has(field);
  }

  /** The number of the segment that a field is in. */
  segment(field: number): number {
    return [...this.#ends].filter((end) => end <= field).length + 1;
  }

  /** The kind and the base of the block, as a text. */
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

/** A layout text, by its blocks. A block is parsed when it is asked for: a peer's text may have thousands that no type names. */
export class Layout {
  readonly #text: string;
  /** Where blocks begin, and behind the last where one more would. */
  readonly #starts: number[] = [0];
  readonly #blocks = new Map<number, Block>();
  #names: Map<string, number> | undefined;

  /**
   * Finds the blocks of a text. A text that is no layout text gives blocks too, which differ from the blocks of any
   * layout text.
   */
  constructor(text: string) {
    this.#text = text.endsWith("\n") ? text.slice(0, -1) : text;
    for (let at = this.#text.indexOf("\n"); at >= 0; at = this.#text.indexOf("\n", at + 1)) {
      const first = this.#text[at + 1];
      if (first !== " " && first !== "@") {
        this.#starts.push(at + 1);
      }
    }
    this.#starts.push(this.#text.length + 1);
  }

  /** How many blocks there are. */
  get size(): number {
    return this.#starts.length - 1;
  }

  /** The lines of the block at a place. */
  textOf(place: number): string {
    return this.#text.slice(this.#starts[place], (this.#starts[place + 1] as number) - 1);
  }

  /** The name of the block at a place. */
  nameOf(place: number): string {
    const start = this.#starts[place] as number;
    const end = this.#starts[place + 1] as number;
    if (end - start < "0 k n\n".length) {
      return "";
    }
    const line = this.#text.indexOf("\n", start);
    return this.#text.slice(start, line < 0 || line >= end ? end - 1 : line).split(" ", 3)[2] ?? "";
  }

  /** The block at a place. */
  block(place: number): Block {
    let block = this.#blocks.get(place);
    if (block === undefined) {
      block = new Block(this.textOf(place));
      this.#blocks.set(place, block);
    }
    return block;
  }

  /** The place of the first block of a name. */
  find(name: string): number | undefined {
    if (this.#names === undefined) {
      this.#names = new Map();
      for (let place = this.size - 1; place >= 0; place--) {
        const one = this.nameOf(place);
        if (one !== "") {
          this.#names.set(one, place);
        }
      }
    }
    return this.#names.get(name);
  }

  /** The place of the block that a word of a type names; undefined for other words. */
  placeOf(word: string): number | undefined {
    const n = reference(word);
    return n !== undefined && n < this.size ? n : undefined;
  }

  /**
   * Writes a type with the names of blocks in the places of their numbers. Words beyond the
   * greatest length of a difference are left out: a short text may name a long name often.
   */
  spell(words: readonly string[]): string {
    if (words.length === 0) {
      return absent;
    }
    let spelled = "";
    for (const [i, word] of words.entries()) {
      if (spelled.length > differenceBytes) {
        break;
      }
      const place = this.placeOf(word);
      spelled += (i > 0 ? " " : "") + (place === undefined ? word : this.block(place).name);
    }
    return spelled;
  }
}

/** The number in a word that may name a block. */
export function reference(word: string): number | undefined {
  return /^#\d{1,6}$/.test(word) ? Number(word.slice(1)) : undefined;
}

/** Whether a text may be a layout text: it has a first block, and is ASCII. */
export function isText(text: string): boolean {
  return text.startsWith("0 ") && /^[\n -~]*$/.test(text);
}
