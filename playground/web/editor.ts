// Editors of text. Each lies in a shadow root, whose style sheets the page's policy lets
// scripts make; in the document itself it would not.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { type Diagnostic as Mark, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { textBytesMax } from "./protocol.ts";
import { looks } from "./theme.ts";

/** byPage marks a change that the page makes, and not a person. */
const byPage = Annotation.define<boolean>();

export interface EditorOptions {
  label: string;
  readOnly?: boolean;
  extensions?: Extension;
  /** edited is told of a person's changes, and selected of where they are in the text. */
  edited?: () => void;
  selected?: (at: number) => void;
  /** refused is told where a change would make the text too long, which then is not made. */
  refused?: () => void;
}

export class Editor {
  readonly view: EditorView;
  private readonly language = new Compartment();

  constructor(
    readonly host: HTMLElement,
    options: EditorOptions,
  ) {
    const root = host.attachShadow({ mode: "open" });
    this.view = new EditorView({ parent: root, root, extensions: this.extensions(options) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** show replaces the text, and leaves a text that is the same as it is. */
  show(text: string, language?: Extension): void {
    const { state } = this.view;
    const effects = language === undefined ? [] : [this.language.reconfigure(language)];
    if (text === this.text) {
      if (effects.length > 0) this.view.dispatch({ effects });
      return;
    }
    const head = Math.min(state.selection.main.head, text.length);
    this.view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      selection: { anchor: head },
      effects,
      annotations: byPage.of(true),
      filter: false,
    });
  }

  /** edit makes changes that a person has asked for. */
  edit(changes: { from: number; to: number; insert: string }[]): void {
    this.view.dispatch({ changes, userEvent: "input.complete" });
  }

  mark(marks: readonly Mark[]): void {
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  go(from: number, to: number): void {
    const { length } = this.view.state.doc;
    const selection = { anchor: Math.min(from, length), head: Math.min(to, length) };
    this.view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: "center" }) });
    this.view.focus();
  }

  private extensions(options: EditorOptions): Extension {
    return [
      looks,
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      highlightActiveLine(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      EditorState.readOnly.of(options.readOnly ?? false),
      this.language.of([]),
      keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({
        "aria-label": options.label,
        tabindex: "0",
        "aria-readonly": String(options.readOnly ?? false),
        spellcheck: "false",
        autocorrect: "off",
        autocapitalize: "off",
        translate: "no",
      }),
      EditorState.changeFilter.of((change) => {
        const fits = change.changes.newLength <= textBytesMax;
        if (!fits) queueMicrotask(() => options.refused?.());
        return fits;
      }),
      EditorView.updateListener.of((update) => {
        const isOwn = update.transactions.some((change) => change.annotation(byPage));
        if (update.docChanged && !isOwn) options.edited?.();
        if (update.selectionSet && !isOwn && update.view.hasFocus) options.selected?.(update.state.selection.main.head);
      }),
      options.extensions ?? [],
    ];
  }
}

/** isTooLong tells whether texts have more bytes than a question may. */
export function isTooLong(...texts: string[]): boolean {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  if (3 * units <= textBytesMax) return false;
  return units > textBytesMax || texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0) > textBytesMax;
}
