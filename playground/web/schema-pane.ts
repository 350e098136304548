// The schema: its files in an editor, and their problems.

import type { Diagnostic as Mark } from "@codemirror/lint";
import { Editor, isTooLong } from "./editor.ts";
import { element, made } from "./elements.ts";
import { type Page, failureOf, soon } from "./page.ts";
import type { Diagnostic, Edit } from "./protocol.ts";
import { sdpLanguage } from "./sdp-language.ts";

/** tooLong is told of a text that the compiler is not asked about. */
export const tooLong = "Texts over 1 MiB are not taken here; the tool `sdp` has room for more.";

export class SchemaPane {
  private readonly editor: Editor;
  private readonly files = element("files");
  private readonly problems = element("problems");
  private readonly summary = element("summary");
  private shown = "";
  private readonly soonCheck = soon(40, () => void this.check());

  constructor(
    private readonly page: Page,
    /** checkedNow is called when the compiler has said what it thinks of the schema. */
    private readonly checkedNow: () => void,
  ) {
    this.editor = new Editor(element("schema-editor"), {
      label: "Schema",
      extensions: sdpLanguage,
      edited: () => this.edited(),
      refused: () => page.tell(tooLong),
    });
    element("format").addEventListener("click", () => void this.format());
  }

  /** show shows the files of the state, the root first, and checks them. */
  show(): void {
    const { root, files } = this.page.state;
    this.shown = root;
    this.listFiles();
    this.editor.show(files[root] ?? "");
    this.editor.mark([]);
    this.again();
  }

  /** again has the schema checked, and what becomes of it made, once more. */
  again(): void {
    this.page.outdate();
    void this.check();
  }

  private listFiles(): void {
    const { root, files } = this.page.state;
    const names = [root, ...Object.keys(files).filter((name) => name !== root)];
    this.files.replaceChildren(
      ...names.map((name) => {
        const button = made("button", "file", name);
        button.type = "button";
        button.setAttribute("aria-pressed", String(name === this.shown));
        button.addEventListener("click", () => this.open(name));
        return button;
      }),
    );
  }

  private open(name: string): void {
    if (this.page.state.files[name] === undefined) return;
    this.shown = name;
    this.editor.show(this.page.state.files[name]);
    this.listFiles();
    this.mark();
  }

  private edited(): void {
    this.page.state.files[this.shown] = this.editor.text;
    this.page.changed();
    this.page.outdate();
    this.soonCheck();
  }

  private async check(): Promise<void> {
    if (isTooLong(...Object.values(this.page.state.files))) {
      this.page.tell(tooLong);
      return;
    }
    const begun = performance.now();
    try {
      const checked = await this.page.ask("check", { schema: this.page.schema });
      if (!checked) return;
      this.page.checked = checked;
      this.page.isChecked = true;
      performance.measure("sdp-check", { start: begun });
      this.page.tell("");
      this.list();
      this.mark();
      this.checkedNow();
    } catch (error) {
      this.page.checked = undefined;
      this.summary.textContent = failureOf(error);
    }
  }

  /** list shows all problems below the editor. */
  private list(): void {
    const { diagnostics, errors, warnings } = this.page.checked!;
    const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
    this.summary.textContent = errors + warnings === 0 ? "No problems" : `${count(errors, "error")}, ${count(warnings, "warning")}`;
    this.problems.replaceChildren(...diagnostics.map((one) => this.problem(one)));
  }

  private problem(one: Diagnostic): HTMLLIElement {
    const { place } = one;
    const where = place ? (place.file === this.page.state.root ? `line ${one.line}` : `${place.file} line ${one.line}`) : "";
    const go = made("button", `problem ${one.severity}`, made("span", "severity", one.severity), made("span", "message", one.message), made("span", "where", where));
    go.type = "button";
    go.addEventListener("click", () => {
      if (!place) return;
      if (place.file !== this.shown) this.open(place.file);
      this.editor.go(place.from, place.to);
    });
    const item = made("li", "", go);
    for (const fix of one.fixes) {
      const button = made("button", "fix", `Fix: ${fix.title}`);
      button.type = "button";
      button.addEventListener("click", () => this.apply(fix.edits));
      item.append(button);
    }
    if (one.help) item.append(made("p", "help", one.help));
    item.append(this.explanation(one.code));
    return item;
  }

  /** explanation is the compiler's text about a code, asked for when it is opened. */
  private explanation(code: string): HTMLElement {
    const text = made("p", "explained");
    const details = made("details", "", made("summary", "", code), text);
    details.addEventListener("toggle", () => {
      if (!details.open || text.textContent) return;
      void this.page
        .ask("explain", { code }, `explain ${code}`)
        .then((explained) => {
          if (explained) text.textContent = `${explained.title}.\n\n${explained.text}`;
        })
        .catch((error: unknown) => {
          text.textContent = failureOf(error);
        });
    });
    return details;
  }

  /** mark marks the problems of the file that is shown. */
  private mark(): void {
    const { length } = this.editor.view.state.doc;
    const marks: Mark[] = [];
    for (const one of this.page.checked?.diagnostics ?? []) {
      const { place } = one;
      if (place?.file !== this.shown || place.to > length) continue;
      marks.push({
        from: place.from,
        to: place.to,
        severity: one.severity,
        source: one.code,
        message: [one.message, one.label, one.help && `help: ${one.help}`].filter(Boolean).join("\n"),
        actions: one.fixes.map((fix) => ({ name: fix.title, apply: () => this.apply(fix.edits) })),
      });
    }
    this.editor.mark(marks);
  }

  private apply(edits: readonly Edit[]): void {
    const own = edits.filter((edit) => edit.place?.file === this.shown);
    if (own.length === edits.length) {
      this.editor.edit(own.map(({ place, text }) => ({ from: place!.from, to: place!.to, insert: text })));
      this.editor.view.focus();
    }
  }

  private async format(): Promise<void> {
    const text = this.editor.text;
    try {
      const formatted = await this.page.ask("format", { name: this.shown, text });
      if (!formatted || this.editor.text !== text) return;
      if (!formatted.ok) this.page.tell("A file with an error of syntax is not formatted.");
      else if (formatted.text !== text) this.editor.edit([{ from: 0, to: text.length, insert: formatted.text }]);
    } catch (error) {
      this.page.tell(failureOf(error));
    }
  }
}
