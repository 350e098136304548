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

/** locate finds the values of a text, an outer one before those in it. */
export function locate(text: string): Located[] {
  const found: Located[] = [];
  let at = 0;

  const blank = (): void => {
    while (at < text.length && " \t\r\n".includes(text[at]!)) at++;
  };
  const string = (): string | undefined => {
    const from = at;
    for (at++; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === "\\") at++;
    }
    if (at >= text.length) {
      at = text.length;
      return undefined;
    }
    at++;
    try {
      return JSON.parse(text.slice(from, at)) as string;
    } catch {
      return undefined;
    }
  };
  // Each tells whether the text goes on as JSON.
  const members = (pointer: string, depth: number): boolean => {
    for (at++; ; at++) {
      blank();
      if (text[at] === "}") break;
      const keyFrom = at;
      const key = text[at] === '"' ? string() : undefined;
      blank();
      if (key === undefined || text[at] !== ":") return false;
      at++;
      if (!value(`${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, keyFrom, depth)) return false;
      blank();
      if (text[at] === "}") break;
      if (text[at] !== ",") return false;
    }
    at++;
    return true;
  };
  const elements = (pointer: string, depth: number): boolean => {
    at++;
    for (let index = 0; ; index++, at++) {
      blank();
      if (text[at] === "]") break;
      if (!value(`${pointer}/${index}`, undefined, depth)) return false;
      blank();
      if (text[at] === "]") break;
      if (text[at] !== ",") return false;
    }
    at++;
    return true;
  };
  const value = (pointer: string, keyFrom: number | undefined, depth: number): boolean => {
    blank();
    const located: Located = { pointer, keyFrom: keyFrom ?? at, from: at, to: text.length };
    if (at >= text.length || depth > depthMax) return false;
    found.push(located);
    let sound = true;
    if (text[at] === "{") {
      sound = members(pointer, depth + 1);
    } else if (text[at] === "[") {
      sound = elements(pointer, depth + 1);
    } else if (text[at] === '"') {
      sound = string() !== undefined;
    } else {
      while (at < text.length && /[-+.\w]/.test(text[at]!)) at++;
      sound = at > located.from;
    }
    located.to = at;
    return sound;
  };
  value("", undefined, 0);
  return found;
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
