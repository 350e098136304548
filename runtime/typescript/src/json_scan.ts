import { SdpError } from "./error.js";
import { jsonBrackets } from "./spec_gen.js";
import { illFormed } from "./walk.js";

/**
 * A JSON value, and where it begins. JSON.parse is not used: it keeps no offsets, takes the last of two
 * members for the only one, and rounds numbers to doubles.
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

/** Reads a whole text, or refuses it with the offset of the first byte that cannot stand where it is [JSON-1.3]. */
export function scan(text: Uint8Array): Node {
  return new Scanner(text).whole();
}

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

interface Open {
  readonly node: Extract<Node, { kind: "array" | "object" }>;
  key: string;
  at: number;
}

class Scanner {
  private readonly bytes: Uint8Array;
  private at = 0;
  private readonly open: Open[] = [];

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Values are read without recursion, since brackets may be 10,000 deep. */
  whole(): Node {
    for (;;) {
      this.space();
      for (let node = this.begin(); node !== undefined; ) {
        const around = this.open.at(-1);
        this.space();
        if (around === undefined) {
          return this.at < this.bytes.length ? this.refuse(this.at) : node;
        }
        node = this.put(around, node);
      }
    }
  }

  private refuse(at: number): never {
    throw new SdpError("json_invalid", at, "");
  }

  private space(): void {
    for (; ; this.at++) {
      const byte = this.bytes[this.at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        return;
      }
    }
  }

  private expect(byte: number): void {
    if (this.bytes[this.at] !== byte) {
      this.refuse(this.at);
    }
    this.at++;
  }

  /** A value that is complete, or undefined behind an opening bracket. */
  private begin(): Node | undefined {
    const at = this.at;
    const first = this.bytes[at];
    switch (first) {
      case 0x74:
        this.word("true");
        return { kind: "bool", at, value: true };
      case 0x66:
        this.word("false");
        return { kind: "bool", at, value: false };
      case 0x6e:
        this.word("null");
        return { kind: "null", at };
      case 0x22:
        return { kind: "string", at, text: this.string() };
      case 0x5b:
      case 0x7b:
        return this.bracket(at, first === 0x7b);
      default:
        return { kind: "number", at, text: this.number() };
    }
  }

  private word(word: string): void {
    for (let i = 0; i < word.length; i++) {
      this.expect(word.charCodeAt(i));
    }
  }

  private bracket(at: number, isObject: boolean): Node | undefined {
    if (this.open.length >= jsonBrackets) {
      this.refuse(at);
    }
    this.at++;
    this.space();
    const node: Open["node"] = isObject ? { kind: "object", at, members: [] } : { kind: "array", at, elements: [] };
    if (this.bytes[this.at] === (isObject ? 0x7d : 0x5d)) {
      this.at++;
      return node;
    }
    const open = { node, key: "", at: 0 };
    this.open.push(open);
    if (isObject) {
      this.key(open);
    }
    return undefined;
  }

  private key(open: Open): void {
    open.at = this.at;
    if (this.bytes[this.at] !== 0x22) {
      this.refuse(this.at);
    }
    open.key = this.string();
    this.space();
    this.expect(0x3a);
  }

  /** Puts a value into its bracket; gives the bracket, if it closes here. */
  private put(around: Open, value: Node): Node | undefined {
    const { node, key, at } = around;
    if (node.kind === "object") {
      node.members.push({ key, at, value });
    } else {
      node.elements.push(value);
    }
    if (this.bytes[this.at] === 0x2c) {
      this.at++;
      if (node.kind === "object") {
        this.space();
        this.key(around);
      }
      return undefined;
    }
    this.expect(node.kind === "object" ? 0x7d : 0x5d);
    this.open.pop();
    return node;
  }

  private digits(): void {
    if (!this.isDigit()) {
      this.refuse(this.at);
    }
    while (this.isDigit()) {
      this.at++;
    }
  }

  private isDigit(): boolean {
    const byte = this.bytes[this.at] ?? 0;
    return byte >= 0x30 && byte <= 0x39;
  }

  private number(): string {
    const start = this.at;
    if (this.bytes[this.at] === 0x2d) {
      this.at++;
    }
    if (this.bytes[this.at] === 0x30) {
      this.at++;
    } else {
      this.digits();
    }
    if (this.bytes[this.at] === 0x2e) {
      this.at++;
      this.digits();
    }
    const e = this.bytes[this.at];
    if (e === 0x65 || e === 0x45) {
      this.at++;
      const sign = this.bytes[this.at];
      if (sign === 0x2b || sign === 0x2d) {
        this.at++;
      }
      this.digits();
    }
    return utf8.decode(this.bytes.subarray(start, this.at));
  }

  private string(): string {
    this.at++;
    const pieces: string[] = [];
    for (;;) {
      const start = this.at;
      let byte = this.bytes[this.at];
      while (byte !== undefined && byte !== 0x22 && byte !== 0x5c && byte >= 0x20) {
        byte = this.bytes[++this.at];
      }
      const bad = illFormed(this.bytes, start, this.at);
      if (bad >= 0) {
        this.refuse(bad);
      }
      pieces.push(utf8.decode(this.bytes.subarray(start, this.at)));
      if (byte === 0x22) {
        this.at++;
        return pieces.join("");
      }
      if (byte !== 0x5c) {
        this.refuse(this.at);
      }
      pieces.push(this.escape());
    }
  }

  private escape(): string {
    const start = this.at;
    const short = escapes[this.bytes[start + 1] ?? 0];
    if (short !== undefined) {
      this.at += 2;
      return short;
    }
    if (this.bytes[start + 1] !== 0x75) {
      this.refuse(start + 1);
    }
    const unit = this.unit();
    if (unit >= 0xdc00 && unit < 0xe000) {
      this.refuse(start);
    }
    if (unit < 0xd800 || unit >= 0xe000) {
      return String.fromCharCode(unit);
    }
    for (const wanted of [0x5c, 0x75]) {
      const at = this.at + (wanted === 0x75 ? 1 : 0);
      if (this.bytes[at] !== wanted) {
        this.refuse(at >= this.bytes.length ? at : start);
      }
    }
    const low = this.unit();
    if (low < 0xdc00 || low >= 0xe000) {
      this.refuse(start);
    }
    return String.fromCharCode(unit, low);
  }

  /** The four digits behind a backslash and a u. */
  private unit(): number {
    let value = 0;
    for (let i = 2; i < 6; i++) {
      const digit = "0123456789abcdef".indexOf(String.fromCharCode(this.bytes[this.at + i] ?? 0).toLowerCase());
      if (digit < 0) {
        this.refuse(this.at + i);
      }
      value = value * 16 + digit;
    }
    this.at += 6;
    return value;
  }
}

const escapes: Readonly<Record<number, string>> = {
  0x22: '"', 0x5c: "\\", 0x2f: "/", 0x62: "\b", 0x66: "\f", 0x6e: "\n", 0x72: "\r", 0x74: "\t",
};
