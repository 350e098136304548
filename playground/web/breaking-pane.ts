// The comparison of the schema with an older one.

import { Editor, isTooLong } from "./editor.ts";
import { checkbox, element, made } from "./elements.ts";
import { type Page, failureOf, soon } from "./page.ts";
import type { Change, Compared, Verdict } from "./protocol.ts";
import { tooLong } from "./schema-pane.ts";
import { sdpLanguage } from "./sdp-language.ts";

/** alwaysCounted is what counts where nothing is chosen. */
const alwaysCounted = "bytes";

export class BreakingPane {
  private readonly editor: Editor;
  private readonly note = element("breaking-note");
  private readonly changes = element("changes");
  private readonly soonCompare = soon(80, () => void this.refresh());

  constructor(private readonly page: Page) {
    this.editor = new Editor(element("old-editor"), {
      label: "Older schema",
      extensions: sdpLanguage,
      edited: () => this.edited(),
      refused: () => page.tell(tooLong),
    });
    element("take").addEventListener("click", () => {
      this.editor.show(page.state.files[page.state.root] ?? "");
      this.edited();
    });
  }

  /** outdate marks the changes as the changes of other schemas. */
  outdate(): void {
    this.stale(true);
  }

  private stale(isStale: boolean): void {
    element("comparison").classList.toggle("stale", isStale && this.changes.childElementCount > 0);
  }

  /** show shows the older schema of the state. */
  show(): void {
    this.editor.show(this.page.state.old);
    this.editor.mark([]);
    this.offer();
  }

  /** offer makes a box for each column. */
  private offer(): void {
    const chosen = this.page.state.columns.length > 0 ? this.page.state.columns : [alwaysCounted];
    element("columns").replaceChildren(
      ...this.page.about.columns.map((word) =>
        checkbox(word, chosen.includes(word), (on) => {
          const before = this.page.state.columns.length > 0 ? this.page.state.columns : [alwaysCounted];
          this.page.state.columns = this.page.about.columns.filter((one) => (one === word ? on : before.includes(one)));
          this.page.changed();
          this.offer();
          element("columns").querySelectorAll<HTMLInputElement>("input")[this.page.about.columns.indexOf(word)]?.focus();
          void this.refresh();
        }),
      ),
    );
  }

  private edited(): void {
    this.page.state.old = this.editor.text;
    this.page.changed();
    this.outdate();
    this.soonCompare();
  }

  /** refresh compares anew. */
  async refresh(): Promise<void> {
    const { state } = this.page;
    this.outdate();
    if (!this.page.isSound || !state.old.trim()) {
      this.changes.replaceChildren();
      this.outdate();
      this.note.textContent = state.old.trim()
        ? "The schema has errors."
        : "Paste the schema of an older release above, or take the schema as it is and change it then.";
      return;
    }
    if (isTooLong(state.old, ...Object.values(state.files))) {
      this.page.tell(tooLong);
      return;
    }
    const old = { root: state.root, files: { ...state.files, [state.root]: state.old } };
    try {
      const compared = await this.page.ask("breaking", { schema: this.page.schema, old, for: state.columns });
      if (!compared) return;
      this.tell(compared);
      this.stale(!this.page.isCurrent);
    } catch (error) {
      this.note.textContent = failureOf(error);
    }
  }

  private tell(compared: Compared): void {
    const { length } = this.editor.view.state.doc;
    const own = compared.diagnostics.filter(({ place }) => place && place.file === this.page.state.root && place.to <= length);
    this.editor.mark(own.map(({ place, severity, message }) => ({ from: place!.from, to: place!.to, severity, message })));
    if (!compared.report) {
      this.changes.replaceChildren();
      this.note.textContent = `The older schema has errors: ${compared.diagnostics[0]?.message ?? ""}`;
      return;
    }
    this.note.textContent = compared.summary;
    this.changes.replaceChildren(...compared.report.changes.map(row));
  }
}

/** row is a change, with its effects on each kind of program. */
function row(change: Change): HTMLTableRowElement {
  const broken = Object.entries(change.source).filter(([, compiles]) => !compiles);
  const source: Verdict = { ok: broken.length === 0, note: broken.map(([language]) => language).join(", ") };
  const name = made("th", "", made("span", "subject", change.subject), ` ${change.what} `, made("span", "code", change.code));
  name.scope = "row";
  if (change.help) name.append(made("p", "help", change.help));
  const cells = [change.old_readers_of_new_bytes, change.new_readers_of_old_bytes, source, change.json].map(cell);
  return made("tr", change.breaking ? "breaking" : "", name, ...cells);
}

function cell(verdict: Verdict): HTMLTableCellElement {
  const mark = made("span", verdict.ok ? "fine" : "breaks", verdict.ok ? "works" : "breaks");
  return made("td", "", mark, verdict.note ? ` (${verdict.note})` : "");
}
