// The languages of generated code, as an editor colours them, by the endings of files.

import { StreamLanguage } from "@codemirror/language";
import { cpp } from "@codemirror/legacy-modes/mode/clike";
import { go } from "@codemirror/legacy-modes/mode/go";
import { javascript, json, typescript } from "@codemirror/legacy-modes/mode/javascript";
import { python } from "@codemirror/legacy-modes/mode/python";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

const byEnding: Record<string, Extension> = {
  go: StreamLanguage.define(go),
  rs: StreamLanguage.define(rust),
  hpp: StreamLanguage.define(cpp),
  cpp: StreamLanguage.define(cpp),
  py: StreamLanguage.define(python),
  ts: StreamLanguage.define(typescript),
  js: StreamLanguage.define(javascript),
};

export const jsonLanguage: Extension = StreamLanguage.define({ ...json, tokenTable: { property: tags.propertyName } });

export function languageOf(path: string): Extension {
  return byEnding[path.slice(path.lastIndexOf(".") + 1)] ?? [];
}

/** titles are languages as people write them; one that is missing here is called as the compiler does. */
export const titles: Record<string, string> = { go: "Go", rust: "Rust", cpp: "C++", python: "Python", typescript: "TypeScript" };
