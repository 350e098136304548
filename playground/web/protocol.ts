// The questions that the page asks the compiler, and its answers, as package api of Go
// has them.

/** Schema is files by their paths, one of which is asked about. */
export interface Schema {
  root: string;
  files: Record<string, string>;
}

export interface Place {
  file: string;
  from: number;
  to: number;
}

export interface Edit {
  place: Place | null;
  text: string;
}

export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  message: string;
  place: Place | null;
  line: number;
  label: string;
  help: string;
  related: { place: Place | null; text: string }[];
  fixes: { title: string; edits: Edit[] }[];
}

export interface TypeName {
  name: string;
  kind: string;
  has_id: boolean;
}

export interface Checked {
  diagnostics: Diagnostic[];
  errors: number;
  warnings: number;
  types: TypeName[];
  summary: string;
}

export interface Option {
  name: string;
  words: string[];
  default: string;
}

export interface Language {
  name: string;
  options: Option[];
}

export interface About {
  version: string;
  languages: Language[];
  columns: string[];
}

export interface GeneratedFile {
  path: string;
  text: string;
}

/** Span is an item of bytes: what they are, and of which part of a value. */
export interface Span {
  at: number;
  length: number;
  pointer: string;
  path: string;
  part: string;
  type: string;
  text: string;
}

export interface Refusal {
  name: string;
  offset: number;
  from: number;
  path: string;
  detail: string;
  help: string;
}

export interface Valued {
  json: string;
  hex: string;
  spans: Span[];
  refusal: Refusal | null;
}

export interface Verdict {
  ok: boolean;
  note: string;
}

export interface Change {
  code: string;
  subject: string;
  what: string;
  breaking: boolean;
  old: { file: string; line: number; column: number } | null;
  new: { file: string; line: number; column: number } | null;
  old_readers_of_new_bytes: Verdict;
  new_readers_of_old_bytes: Verdict;
  source: Record<string, boolean>;
  json: Verdict;
  help: string;
}

export interface Compared {
  report: { changes: Change[]; columns: string[]; breaking: number } | null;
  summary: string;
  diagnostics: Diagnostic[];
}

/** Asks has each kind of question with its answer. */
export interface Asks {
  about: [object, About];
  check: [{ schema: Schema }, Checked];
  format: [{ name: string; text: string }, { text: string; ok: boolean }];
  explain: [{ code: string }, { title: string; text: string }];
  generate: [
    { schema: Schema; language: string; options: Record<string, string> },
    { files: GeneratedFile[]; diagnostics: Diagnostic[] },
  ];
  sample: [{ schema: Schema; type: string }, Valued];
  encode: [{ schema: Schema; type: string; message: boolean; json: string }, Valued];
  decode: [{ schema: Schema; type: string; message: boolean; hex: string }, Valued];
  breaking: [{ schema: Schema; old: Schema; for: string[] }, Compared];
}

export type Kind = keyof Asks;

/** ToWorker is the compiler itself, with which a worker begins, or a question. Another worker measures. */
export type ToWorker = { module: WebAssembly.Module } | { id: number; kind: Kind; question: object } | { measure: true };

/** FromWorker says that a worker has begun, or answers a question. An ended worker answers no more. */
export type FromWorker =
  | { ready: true }
  | { share: number }
  | { id: number; reply: { answer: unknown; failure: string }; ended: boolean };

/** textBytesMax is how long the texts of a question may be. */
export const textBytesMax = 1 << 20;
