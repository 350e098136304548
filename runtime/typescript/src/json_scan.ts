import { SdpError } from "./error.js";
import { jsonBrackets } from "./spec_gen.js";

/**
 * A JSON value, and where it begins in the text. JSON.parse is not used for the whole: it keeps no
 * places, takes the last of two members for the only one, and rounds numbers to doubles.
 */
export type Node =
  | { readonly kind: "null"; readonly at: number }
  | { readonly kind: "bool"; readonly at: number; readonly value: boolean }
  | { readonly kind: "number" | "string"; readonly at: number; readonly text: string }
  | { readonly kind: "array"; readonly at: number; readonly elements: Node[] }
  | { readonly kind: "object"; readonly at: number; readonly members: JsonMember[] };

export interface JsonMember {
  readonly key: string;
  /** Where the key begins. */
  readonly at: number;
  readonly value: Node;
}

/** Reads a whole text, or refuses it with the place of the first character that cannot stand where it is [JSON-1.3]. */
export function scan(text: string): Node {
  return new Scanner(text).whole();
}

interface Open {
  readonly node: Extract<Node, { kind: "array" | "object" }>;
  key: string;
  at: number;
}

class Scanner {
  private readonly text: string;
  private at = 0;
  private readonly open: Open[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** Values are read without recursion, since brackets may be 10,000 deep. */
  whole(): Node {
    for (;;) {
      this.pass(space);
      for (let node = this.begin(); node !== undefined; ) {
        const around = this.open.at(-1);
        this.pass(space);
        if (around === undefined) {
          return this.at < this.text.length ? this.refuse(this.at) : node;
        }
        node = this.put(around, node);
      }
    }
  }

  private refuse(offset: number): never {
    throw new SdpError("json_invalid", offset, "");
  }

  /** Passes over what a form matches, if it does, and returns whether that is anything. */
  private pass(form: RegExp): boolean {
    const { at } = this;
    form.lastIndex = at;
    form.test(this.text);
    this.at = Math.max(at, form.lastIndex);
    return this.at > at;
  }

  private expect(word: string): void {
    for (const char of word) {
      if (this.text[this.at] !== char) {
        this.refuse(this.at);
      }
      this.at++;
    }
  }

  /** A value that is complete, or undefined behind an opening bracket. */
  private begin(): Node | undefined {
    const { at } = this;
    switch (this.text[at]) {
      case "t":
        this.expect("true");
        return { kind: "bool", at, value: true };
      case "f":
        this.expect("false");
        return { kind: "bool", at, value: false };
      case "n":
        this.expect("null");
        return { kind: "null", at };
      case '"':
        return { kind: "string", at, text: this.string() };
      case "[":
        return this.bracket({ kind: "array", at, elements: [] });
      case "{":
        return this.bracket({ kind: "object", at, members: [] });
      default:
        return { kind: "number", at, text: this.number() };
    }
  }

  private bracket(node: Open["node"]): Node | undefined {
    if (this.open.length >= jsonBrackets) {
      this.refuse(node.at);
    }
    this.at++;
    this.pass(space);
    if (this.text[this.at] === closing[node.kind]) {
      this.at++;
      return node;
    }
    const open = { node, key: "", at: 0 };
    this.open.push(open);
    this.key(open);
    return undefined;
  }

  /** The key of an object's next member. */
  private key(open: Open): void {
    if (open.node.kind === "array") {
      return;
    }
    open.at = this.at;
    open.key = this.string();
    this.pass(space);
    this.expect(":");
  }

  /** Puts a value into its bracket; gives the bracket, if it closes here. */
  private put(around: Open, value: Node): Node | undefined {
    const { node, key, at } = around;
    if (node.kind === "object") {
      node.members.push({ key, at, value });
    } else {
      node.elements.push(value);
    }
    if (this.text[this.at] === ",") {
      this.at++;
      this.pass(space);
      this.key(around);
      return undefined;
    }
    this.expect(closing[node.kind]);
    this.open.pop();
    return node;
  }

  private number(): string {
    const start = this.at;
    this.pass(sign);
    if (!this.pass(whole)) {
      this.refuse(this.at);
    }
    for (const mark of [point, power]) {
      if (this.pass(mark) && !this.pass(digits)) {
        this.refuse(this.at);
      }
    }
    return this.text.slice(start, this.at);
  }

  /** A string, which is JSON.parse's to read once nothing in it is refused: it has memory of its own. */
  private string(): string {
    const start = this.at;
    this.expect('"');
    while (this.pass(plain) || this.text[this.at] === "\\") {
      if (this.text[this.at] === "\\") {
        this.escape();
      }
    }
    this.expect('"');
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  /** Passes over an escape, or the two of a surrogate pair. */
  private escape(): void {
    const start = this.at++;
    if (this.pass(short)) {
      return;
    }
    this.expect("u");
    const unit = this.unit();
    if (unit < 0xd800 || unit >= 0xe000) {
      return;
    }
    if (unit >= 0xdc00) {
      this.refuse(start);
    }
    for (const wanted of "\\u") {
      if (this.text[this.at] !== wanted) {
        this.refuse(this.at < this.text.length ? start : this.at);
      }
      this.at++;
    }
    const low = this.unit();
    if (low < 0xdc00 || low >= 0xe000) {
      this.refuse(start);
    }
  }

  /** The four digits behind a backslash and a u. */
  private unit(): number {
    const start = this.at;
    this.pass(hex);
    return this.at - start < 4 ? this.refuse(this.at) : Number.parseInt(this.text.slice(start, this.at), 16);
  }
}

const closing = { array: "]", object: "}" } as const;

// Forms of the texts that are passed over.
const space = /[ \n\r\t]+/y;
const sign = /-/y;
const whole = /0|[1-9][0-9]*/y;
const point = /\./y;
const power = /[eE][+-]?/y;
const digits = /[0-9]+/y;
const plain = /[ !#-[\]-\uffff]+/y;
const short = /["\\/bfnrt]/y;
const hex = /[0-9a-fA-F]{1,4}/y;
