// TextMate's grammar as VS Code runs it, with the classes of Tree-sitter's queries.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { IGrammar } from "vscode-textmate";

const require = createRequire(import.meta.url);
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate") as typeof import("vscode-textmate");
const oniguruma = require("vscode-oniguruma") as typeof import("vscode-oniguruma");

export const folder = path.join(import.meta.dirname, "..");

/** classes are what scopes begin with, the longer before the shorter. */
const classes: [scope: string, capture: string][] = [
  ["comment.line.documentation", "comment.documentation"],
  ["comment", "comment"],
  ["constant.character.escape", "string.escape"],
  ["constant.language.boolean", "boolean"],
  ["constant.numeric.float", "number.float"],
  ["constant.numeric.integer", "number"],
  ["entity.name.function", "function.method"],
  ["entity.name.namespace", "module"],
  ["entity.name.type", "type"],
  ["entity.other.attribute-name", "attribute"],
  ["keyword.operator", "operator"],
  ["keyword.other", "keyword"],
  ["punctuation.section", "punctuation.bracket"],
  ["punctuation", "punctuation.delimiter"],
  ["string.quoted", "string"],
  ["support.type", "type.builtin"],
  ["variable.other.property", "variable.member"],
  ["variable.other", "constant"],
  ["variable.parameter", "variable.parameter"],
];

/** captures are the classes that there are. */
export const captures = [...new Set(classes.map(([, capture]) => capture))].sort();

export async function load(): Promise<IGrammar> {
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const file = path.join(folder, "syntaxes/sdp.tmLanguage.json");
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(readFileSync(file, "utf8"), file),
  });
  const grammar = await registry.loadGrammar("source.sdp");
  if (grammar === null) throw new Error("there is no grammar source.sdp");
  return grammar;
}

/** classesOf has a class for each UTF-16 unit of a text, "" where it has none. */
export function classesOf(grammar: IGrammar, text: string): string[] {
  const all: string[] = new Array<string>(text.length).fill("");
  let state = INITIAL;
  let at = 0;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const token of result.tokens) {
      const end = Math.min(token.endIndex, line.length);
      all.fill(classOf(token.scopes), at + token.startIndex, at + end);
    }
    at += line.length + 1;
  }
  return all;
}

function classOf(scopes: string[]): string {
  for (const scope of scopes.slice(1).reverse()) {
    const found = classes.find(([prefix]) => scope.startsWith(prefix));
    if (found === undefined) throw new Error(`the scope ${scope} has no class`);
    return found[1];
  }
  return "";
}
