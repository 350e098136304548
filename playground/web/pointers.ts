// Where in a JSON text its values are. Texts that are no JSON have the values before the fault.

/** Located is a value of a text: its pointer [RFC 6901], and where it and its key stand. */
export interface Located {
  pointer: string;
  /** keyFrom is where the key begins, or the value where it has none. */
  keyFrom: number;
  from: number;
  to: number;
}

/** depthMax is how deep values are looked for; JSON of SDP nests less. */
const depthMax = 500;

/** locate finds the values of a text, an outer one before its inner ones. */
export function locate(text: string): Located[] {
  const scan = new Scan(text);
  scan.value("", undefined, 0);
  return scan.found;
}

/** Scan goes through a text once. Its methods tell whether the text goes on as JSON. */
class Scan {
  readonly found: Located[] = [];
  private at = 0;

  constructor(private readonly text: string) {}

  value(pointer: string, keyFrom: number | undefined, depth: number): boolean {
    const next = this.next();
    if (next === undefined || depth > depthMax) return false;
    const located: Located = { pointer, keyFrom: keyFrom ?? this.at, from: this.at, to: this.text.length };
    this.found.push(located);
    const goesOn = this.content(next, pointer, depth);
    located.to = this.at;
    return goesOn;
  }

  private content(first: string, pointer: string, depth: number): boolean {
    const from = this.at;
    switch (first) {
      case "{":
        return this.inside("}", () => this.member(pointer, depth + 1));
      case "[":
        return this.inside("]", (index) => this.value(`${pointer}/${index}`, undefined, depth + 1));
      case '"':
        return this.string() !== undefined;
    }
    while (this.at < this.text.length && /[-+.\w]/.test(this.text[this.at]!)) this.at++;
    return this.at > from;
  }

  /** inside goes through what is between brackets, one by one. */
  private inside(end: string, one: (index: number) => boolean): boolean {
    this.at++;
    for (let index = 0; this.next() !== end; index++) {
      if (!one(index)) return false;
      if (this.next() === ",") this.at++;
      else if (this.next() !== end) return false;
    }
    this.at++;
    return true;
  }

  private member(pointer: string, depth: number): boolean {
    const keyFrom = this.at;
    const key = this.next() === '"' ? this.string() : undefined;
    if (key === undefined || this.next() !== ":") return false;
    this.at++;
    return this.value(`${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, keyFrom, depth);
  }

  /** string is the text of a string, if it is one. */
  private string(): string | undefined {
    const from = this.at;
    const found = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
    found.lastIndex = from;
    if (!found.test(this.text)) {
      this.at = this.text.length;
      return undefined;
    }
    this.at = found.lastIndex;
    try {
      return JSON.parse(this.text.slice(from, this.at)) as string;
    } catch {
      return undefined;
    }
  }

  /** next is the first character behind white space. */
  private next(): string | undefined {
    while (this.at < this.text.length && " \t\r\n".includes(this.text[this.at]!)) this.at++;
    return this.text[this.at];
  }
}

/** innermost is the smallest value that a place is in, or whose key it is in. */
export function innermost(values: readonly Located[], at: number): Located | undefined {
  let best: Located | undefined;
  for (const one of values) {
    if (one.keyFrom <= at && at <= one.to) best = one;
  }
  return best;
}

/** isWithin tells whether a pointer leads to a value or into it. */
export function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}
