// The words of a line, and the words of answers.
import { Refusal } from "../../../../../mxp/typescript/src/session/index.js";
import type { Metadatum, Trace } from "../../../../../mxp/typescript/src/session/index.js";

const nothing = new Uint8Array(0);

export function unhex(text: string | undefined): Uint8Array {
  if (text === undefined || text === "-" || text === "") {
    return nothing;
  }
  const bytes = Buffer.from(text, "hex");
  if (2 * bytes.length !== text.length) {
    throw new Error("this is not hexadecimal");
  }
  return new Uint8Array(bytes);
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

export function shown(bytes: Uint8Array): string {
  return bytes.length === 0 ? "-" : hex(bytes);
}

export function shownText(text: string): string {
  return shown(new TextEncoder().encode(text));
}

export function joined(all: readonly string[]): string {
  return all.length === 0 ? "-" : all.join(",");
}

export function bit(is: boolean): string {
  return is ? "1" : "0";
}

/** The words of a line that have a name. */
export class Words {
  readonly named = new Map<string, string>();
  /** Words that may be there several times. */
  readonly types: string[] = [];
  readonly uses: string[] = [];

  constructor(words: readonly string[]) {
    for (const word of words) {
      const at = word.indexOf("=");
      const [key, value] = at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
      if (key === "type" && value.includes(":")) {
        this.types.push(value);
      } else if (key === "use") {
        this.uses.push(value);
      } else {
        this.named.set(key, value);
      }
    }
  }

  has(key: string): boolean {
    return this.named.has(key);
  }

  long(key: string): bigint {
    return BigInt(this.named.get(key) ?? 0);
  }

  number(key: string): number {
    return Number(this.long(key));
  }

  is(key: string): boolean {
    return this.named.get(key) === "1";
  }

  bytes(key: string): Uint8Array {
    return unhex(this.named.get(key));
  }

  text(key: string): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.bytes(key));
  }

  list(key: string): string[] {
    const all = this.named.get(key);
    return all === undefined || all === "" || all === "-" ? [] : all.split(",");
  }

  texts(key: string): string[] {
    return this.list(key).map((one) => new TextDecoder().decode(unhex(one)));
  }

  metadata(): Metadatum[] {
    return this.list("meta").map((one) => {
      const [key, value] = one.split(":");
      return { key: new TextDecoder().decode(unhex(key)), value: unhex(value) };
    });
  }

  trace(): Trace | null {
    const [id, parent, flags] = (this.named.get("trace") ?? "-").split(":");
    return parent === undefined ? null : { id: unhex(id), parent: BigInt(parent), flags: Number(flags) };
  }
}

/** An answer, and the lines behind it. */
export function done(first: string, lines: readonly string[] = []): string {
  const [name, ...fields] = first.split("\t");
  return [[name, "result=ok", ...fields, `lines=${lines.length}`].join("\t"), ...lines].join("\n");
}

/** The answer of an action, or the refusal in its place. */
export function attempt(name: string, run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) {
      return `${name}\tresult=refused\terror=${error.code}\tlines=0`;
    }
    throw error;
  }
}
