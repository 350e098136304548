// Marks in an editor: which bytes are what, and what belongs to a place in the other editor.

import { type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { Span } from "./protocol.ts";

export interface Range {
  from: number;
  to: number;
}

const setParts = StateEffect.define<DecorationSet>();
const setLinked = StateEffect.define<DecorationSet>();

/** field keeps a set of marks, and moves it with the text. */
function field(effect: typeof setParts): Extension {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(marks, change) {
      for (const one of change.effects) if (one.is(effect)) return one.value;
      return marks.map(change.changes);
    },
    provide: (own) => EditorView.decorations.from(own),
  });
}

export const partsField = field(setParts);
export const linkedField = field(setLinked);

/** partsMax bounds how many spans are coloured. */
const partsMax = 20_000;

const structure = Decoration.mark({ class: "cm-part-structure" });
const value = Decoration.mark({ class: "cm-part-value" });
const text = Decoration.mark({ class: "cm-part-text" });
const unknown = Decoration.mark({ class: "cm-part-unknown" });

/** parts has the colours of parts that are not of the structure, as lengths and tags are. */
const parts: Record<string, Decoration> = { value, text, bytes: text, unknown, tail: unknown };

/** colour colours the digits of spans. */
export function colour(view: EditorView, spans: readonly Span[], places: readonly number[]): void {
  const builder = new RangeSetBuilder<Decoration>();
  for (const span of spans.slice(0, partsMax)) {
    const { from, to } = digitsOf(span.at, span.length, places);
    if (from < to) builder.add(from, to, parts[span.part] ?? structure);
  }
  view.dispatch({ effects: setParts.of(builder.finish()) });
}

/** digitsOf is where the digits of bytes are. */
export function digitsOf(at: number, length: number, places: readonly number[]): Range {
  const from = places[at];
  const last = places[at + length - 1];
  return from === undefined || last === undefined ? { from: 0, to: 0 } : { from, to: last + 2 };
}

const linked = Decoration.mark({ class: "cm-linked" });

/** link marks ranges, which follow each other, and shows the first. */
export function link(view: EditorView, ranges: readonly Range[]): void {
  const { length } = view.state.doc;
  const inside = ranges.filter(({ from, to }) => from < to && to <= length);
  const effects: StateEffect<unknown>[] = [setLinked.of(Decoration.set(inside.map(({ from, to }) => linked.range(from, to))))];
  if (inside[0]) effects.push(EditorView.scrollIntoView(inside[0].from, { y: "nearest", yMargin: 20 }));
  view.dispatch({ effects });
}
