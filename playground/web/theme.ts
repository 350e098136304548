// How editors look. Colours are variables of style.css, so that they follow the page's.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: "var(--code-keyword)" },
  { tag: [tags.typeName, tags.className, tags.standard(tags.typeName)], color: "var(--code-type)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--code-comment)" },
  { tag: tags.docComment, color: "var(--code-doc)" },
  { tag: [tags.meta, tags.annotation], color: "var(--code-meta)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-field)" },
]);

// The pictures that CodeMirror has for marks are data, which the page's policy does not
// load; lines of text take their place.
const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--text)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--editor, var(--surface))", color: "var(--faint)", border: "none", paddingLeft: "4px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--line)" },
  "& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)" },
  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "1px", textDecoration: "underline wavy 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecorationColor: "var(--error)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecorationColor: "var(--warning)" },
  ".cm-lintRange-active": { backgroundColor: "var(--line)" },
  ".cm-lintPoint": { outline: "1px solid var(--error)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--edge)", borderRadius: "4px", maxWidth: "46em", zIndex: "10" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", padding: "6px 10px", borderLeft: "3px solid var(--edge)", whiteSpace: "pre-line" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--error)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
  ".cm-diagnosticAction": { font: "inherit", color: "var(--on-accent)", backgroundColor: "var(--accent)", borderRadius: "3px", padding: "2px 8px", margin: "4px 0 0 0", display: "block" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", borderColor: "var(--edge)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--selection)" },
  ".cm-part-structure": { color: "var(--muted)" },
  ".cm-part-value": { color: "var(--code-number)" },
  ".cm-part-text": { color: "var(--code-string)" },
  ".cm-part-unknown": { color: "var(--code-meta)" },
  ".cm-linked": { backgroundColor: "var(--linked)", borderRadius: "2px", boxShadow: "0 0 0 1px var(--linked-edge)" },
});

export const looks: Extension = [theme, syntaxHighlighting(colours)];
