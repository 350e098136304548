// The schema language as an editor colours it. It knows words, not grammar: the compiler finds the
// problems.

import { StreamLanguage, type StringStream } from "@codemirror/language";

const keywords = new Set(
  "package import as const type enum struct message union service call stream event reserved true false".split(" "),
);

const builtIn = new Set(
  ("bool u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 str string bytes timestamp duration uuid map Option Box").split(" "),
);

interface Inside {
  comment: boolean;
}

function token(stream: StringStream, inside: Inside): string | null {
  if (inside.comment) {
    inside.comment = !stream.skipTo("*/");
    if (inside.comment) stream.skipToEnd();
    else stream.match("*/");
    return "comment";
  }
  if (stream.eatSpace()) return null;
  if (stream.match(/^\/\/[/!].*/)) return "docComment";
  if (stream.match(/^\/\/.*/)) return "comment";
  if (stream.match("/*")) {
    inside.comment = true;
    return "comment";
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
  if (stream.match(/^@[A-Za-z_][\w.]*/)) return "meta";
  if (stream.match(/^-?(?:0x[\da-fA-F_]+|0b[01_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)/)) return "number";
  const word = stream.match(/^[A-Za-z_]\w*/);
  if (Array.isArray(word)) return colourOf(word[0], stream);
  stream.next();
  return null;
}

/** colourOf chooses by the kind of a word, or by the sign behind it: a field's name has a colon. */
function colourOf(word: string, stream: StringStream): string | null {
  const behind = stream.match(/^\s*[:=]/, false) !== null && stream.match(/^\s*::/, false) === null;
  if (behind && /^[a-z_]/.test(word)) return "propertyName";
  if (keywords.has(word)) return "keyword";
  if (builtIn.has(word)) return "typeName";
  if (/^[A-Z][A-Z\d_]+$/.test(word)) return "atom";
  if (/^[A-Z]/.test(word)) return "className";
  return "variableName";
}

export const sdpLanguage = StreamLanguage.define<Inside>({
  name: "sdp",
  startState: () => ({ comment: false }),
  token,
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});
