import { refused } from "./error.js";
import { isMiddle, powers, readFloat, readInteger } from "./json_text.js";
import { limitDepth } from "./spec_gen.js";
import { isLoneSurrogate } from "./writer.js";

// Codes of characters.
export const quoteCode = 0x22;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
const comma = 0x2c;
export const colon = 0x3a;
const space = 0x20;
const backslash = 0x5c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;

/** How many digits each number of is a whole number of a double. */
const exactDigits = 15;

/** Texts up to this length are copied by the engine, which makes of longer ones a part of the whole text. */
const copiedUnits = 12;

/**
 * The tokens of a JSON text, read where a type expects them. A token that is rare, or can't stand in its place, throws
 * `refused`: another reader then tells these cases apart.
 */
export class Tokens {
  readonly text: string;
  at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The code of the next character that is no white space; NaN at the end. */
  next(): number {
    let code = this.text.charCodeAt(this.at);
    while (code <= space) {
      if (code !== space && code !== 0x0a && code !== 0x0d && code !== 0x09) {
        throw refused;
      }
      code = this.text.charCodeAt(++this.at);
    }
    return code;
  }

  /** Takes a character that must be next. */
  take(code: number): void {
    if (this.next() !== code) {
      throw refused;
    }
    this.at++;
  }

  /** Takes an opening bracket; false if the closing one follows, which is taken, too. */
  opens(open: number, close: number): boolean {
    this.take(open);
    if (this.next() !== close) {
      return true;
    }
    this.at++;
    return false;
  }

  /** Takes a comma; false before the closing bracket, which is taken, too. */
  more(close: number): boolean {
    const code = this.next();
    if (code !== comma && code !== close) {
      throw refused;
    }
    this.at++;
    return code === comma;
  }

  /** Begins an aggregate [JSON-5.4], which `leave` ends. */
  enter(): void {
    if (++this.depth > limitDepth) {
      throw refused;
    }
  }

  leave(): void {
    this.depth--;
  }

  /** Takes a word that must be next. */
  word(word: string): void {
    if (!this.text.startsWith(word, this.at)) {
      throw refused;
    }
    this.at += word.length;
  }

  /** The key of a member, and its colon. */
  key(): string {
    const key = this.string();
    this.take(colon);
    return key;
  }

  /** Takes a key, and its colon, if they follow as they are written without white space. */
  takes(key: string): boolean {
    const { text } = this;
    let { at } = this;
    for (let i = 0; i < key.length; i++) {
      if (text.charCodeAt(at++) !== key.charCodeAt(i)) {
        return false;
      }
    }
    this.at = at;
    return true;
  }

  /** A string, which has memory of its own. */
  string(): string {
    if (this.next() !== quoteCode) {
      throw refused;
    }
    const { text } = this;
    const start = this.at + 1;
    let at = start;
    let code = text.charCodeAt(at);
    while (code !== quoteCode) {
      if (!(code >= space) || code === backslash || (code >= 0xd800 && code < 0xe000)) { // or the end, which is no number
        return this.escaped(start - 1, at);
      }
      code = text.charCodeAt(++at);
    }
    this.at = at + 1;
    return at - start <= copiedUnits ? text.slice(start, at) : (JSON.parse(text.slice(start - 1, at + 1)) as string);
  }

  /** A string that has an escape or a surrogate. */
  private escaped(start: number, first: number): string {
    const { text } = this;
    let at = first;
    for (let code = text.charCodeAt(at); code !== quoteCode; code = text.charCodeAt(at)) {
      if (!(code >= space)) {
        throw refused;
      }
      at += code === backslash ? 2 : 1;
    }
    this.at = at + 1;
    const raw = text.slice(start, this.at);
    try {
      const made = JSON.parse(raw) as string;
      if (!isLoneSurrogate.test(raw) && !isLoneSurrogate.test(made)) {
        return made;
      }
    } catch {
      // another reader says which escape it is
    }
    throw refused;
  }

  /** An integer of 32 bits or less, as a number or in a string [JSON-2.3]. */
  integer(low: number, high: number): number {
    const { text } = this;
    const isText = this.next() === quoteCode;
    let at = isText ? this.at + 1 : this.at;
    let code = text.charCodeAt(at);
    const isNegative = code === minus;
    if (isNegative) {
      code = text.charCodeAt(++at);
    }
    const first = code;
    let value = 0;
    const start = at;
    for (; code >= zero && code <= nine; code = text.charCodeAt(++at)) {
      value = 10 * value + code - zero;
    }
    if (at === start || at - start > exactDigits || (first === zero && (isNegative || at - start > 1)) || (isText && code !== quoteCode)) {
      throw refused;
    }
    this.at = isText ? at + 1 : at;
    const signed = isNegative ? -value : value;
    if (signed < low || signed > high) {
      throw refused;
    }
    return signed;
  }

  /** An integer of 64 bits. */
  wide(low: bigint, high: bigint): bigint {
    const { text } = this;
    const isText = this.next() === quoteCode;
    const start = isText ? this.at + 1 : this.at;
    let at = text.charCodeAt(start) === minus ? start + 1 : start;
    let code = text.charCodeAt(at);
    while (code >= zero && code <= nine) {
      code = text.charCodeAt(++at);
    }
    const value = isText && code !== quoteCode ? undefined : readInteger(text.slice(start, at), low, high);
    if (value === undefined) {
      throw refused;
    }
    this.at = isText ? at + 1 : at;
    return value;
  }

  /** A finite float by a number, rounded once [JSON-2.7]. */
  float(width: 4 | 8): number {
    const { text } = this;
    let code = this.next();
    const start = this.at;
    const isNegative = code === minus;
    let at = isNegative ? start + 1 : start;
    code = text.charCodeAt(at);
    const whole = at;
    let value = 0;
    for (; code >= zero && code <= nine; code = text.charCodeAt(++at)) {
      value = 10 * value + code - zero;
    }
    if (at === whole || (at > whole + 1 && text.charCodeAt(whole) === zero)) {
      throw refused;
    }
    let digits = at - whole;
    let behind = 0;
    if (code === point) {
      const from = at + 1;
      for (code = text.charCodeAt(++at); code >= zero && code <= nine; code = text.charCodeAt(++at)) {
        value = 10 * value + code - zero;
      }
      behind = at - from;
      digits += behind;
      if (behind === 0) {
        throw refused;
      }
    }
    if (code === 0x65 || code === 0x45 || digits > exactDigits) { // an exponent
      return this.long(start, at, width);
    }
    this.at = at;
    const magnitude = behind === 0 ? value : value / (powers[behind] as number);
    return width === 8 ? (isNegative ? -magnitude : magnitude) : this.single(start, isNegative ? -magnitude : magnitude);
  }

  /** The f32 of a double, which is rounded twice so: where that may be another one, the digits count. */
  private single(start: number, value: number): number {
    const single = Math.fround(value);
    return isMiddle(value, single) || !Number.isFinite(single) ? this.digits(start, this.at, 4) : single;
  }

  /** A float with an exponent, or with more digits than a double has. */
  private long(start: number, end: number, width: 4 | 8): number {
    power.lastIndex = end;
    power.test(this.text);
    this.at = Math.max(end, power.lastIndex);
    return this.digits(start, this.at, width);
  }

  private digits(start: number, end: number, width: 4 | 8): number {
    const value = readFloat(this.text.slice(start, end), width);
    if (value === undefined) {
      throw refused;
    }
    return value;
  }

  /** Passes over any value. One of more levels than values of types may have is left to another reader. */
  pass(): void {
    switch (this.next()) {
      case quoteCode:
        this.string();
        return;
      case openBrace:
        return this.passAll(openBrace, closeBrace);
      case openBracket:
        return this.passAll(openBracket, closeBracket);
    }
    word.lastIndex = this.at;
    if (!word.test(this.text)) {
      throw refused;
    }
    this.at = word.lastIndex;
  }

  private passAll(open: number, close: number): void {
    this.enter();
    if (this.opens(open, close)) {
      do {
        if (open === openBrace) {
          this.key();
        }
        this.pass();
      } while (this.more(close));
    }
    this.leave();
  }
}

const power = /[eE][+-]?[0-9]+/y;
const word = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
