import type { ErrorName } from "./spec_gen.js";

/** A refusal of bytes, a JSON text or a value. The same input has the same one in every language. */
export class SdpError extends Error {
  /** The refusal's name, as spec/errors.toml lists them. */
  readonly code: ErrorName;
  /** The first refused byte, counted from the start of the caller's bytes; -1 for values. */
  readonly offset: number;
  /** The refused value, with the schema's names: `plugins[3].name`. Empty for the value as a whole. */
  readonly path: string;
  /** For a value that can't be written: the expected values and the given value. Empty for other refusals. */
  readonly detail: string;

  constructor(code: ErrorName, offset: number, path: string, detail = "") {
    super(code + (offset < 0 ? "" : ` at byte ${offset}`) + (path === "" ? "" : `: ${path}`) + (detail === "" ? "" : `: ${detail}`));
    this.name = "SdpError";
    this.code = code;
    this.offset = offset;
    this.path = path;
    this.detail = detail;
  }
}

/**
 * Thrown by fast readers and writers, which do not say what is refused: a walk by the type's
 * descriptor names it. It never leaves the runtime.
 */
export const refused: Error = new Error("sdp: refused");

/** The refusal that a visit of a value or of bytes throws; undefined where it throws none. */
export function refusalOf(visit: () => void): SdpError | undefined {
  try {
    visit();
  } catch (error) {
    if (error instanceof SdpError) {
      return error;
    }
    throw error;
  }
  return undefined;
}

/** A place within a value: a step behind that of the value around it. */
export interface Path {
  readonly around: Path | null;
  readonly step: string | number;
  /** The part of a map's entry, behind an index. */
  readonly part: "" | ".key" | ".value";
}

/** The place of a field or alternative, by its name in the schema. */
export function memberPath(around: Path | null, step: string): Path {
  return { around, step, part: "" };
}

/** The place of an element, or of a part of a map's entry. */
export function indexed(around: Path | null, step: number, part: Path["part"] = ""): Path {
  return { around, step, part };
}

/** The text of a path [WIRE-1.5]. */
export function pathText(path: Path | null): string {
  const steps: string[] = [];
  for (let p = path; p !== null; p = p.around) {
    steps.push(typeof p.step === "number" ? `[${p.step}]${p.part}` : `.${p.step}`);
  }
  const text = steps.reverse().join("");
  return text.startsWith(".") ? text.slice(1) : text;
}
