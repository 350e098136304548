// The generated code: its language, what it has, and its files.

import { languageOf, titles } from "./code-languages.ts";
import { Editor } from "./editor.ts";
import { checkbox, element, fill } from "./elements.ts";
import { type Page, failureOf } from "./page.ts";
import type { GeneratedFile, Option } from "./protocol.ts";
import { Tabs } from "./tabs.ts";

export class CodePane {
  private readonly editor: Editor;
  private readonly tabs: Tabs;
  private readonly list = element<HTMLSelectElement>("code-file");
  private readonly choices = element("code-options");
  private readonly note = element("code-note");
  private readonly copyButton = element<HTMLButtonElement>("copy-code");
  private files: GeneratedFile[] = [];

  constructor(private readonly page: Page) {
    this.editor = new Editor(element("code-editor"), { label: "Generated code", readOnly: true });
    const tabs = page.about.languages.map(({ name }) => ({ id: name, title: titles[name] ?? name }));
    this.tabs = new Tabs(
      element("languages"),
      tabs,
      () => "code-of-language",
      (language) => {
        page.state.language = language;
        page.changed();
        // Code of another language is never shown as this one's.
        this.files = [];
        fill(this.list, [], "");
        this.open("");
        this.show();
      },
    );
    this.list.addEventListener("change", () => this.open(this.list.value));
    this.copyButton.addEventListener("click", () => void this.copy());
  }

  /** show shows the language of the state. */
  show(): void {
    this.tabs.show(this.page.state.language);
    this.page.state.language = this.tabs.chosen;
    this.offer();
    void this.refresh();
  }

  /** outdate marks the code as that of something else than the schema as it is. */
  outdate(): void {
    this.stale(true);
  }

  private stale(isStale: boolean): void {
    this.editor.host.classList.toggle("stale", isStale && this.files.length > 0);
    this.copyButton.disabled = isStale;
  }

  /** refresh generates the code anew. */
  async refresh(): Promise<void> {
    const { language } = this.page.state;
    this.stale(true);
    if (!this.page.isSound) {
      const before = this.files.length > 0 ? "; this is its code before them" : "";
      this.note.textContent = this.page.checked ? `The schema has errors${before}.` : "";
      return;
    }
    try {
      const generated = await this.page.ask("generate", { schema: this.page.schema, language, options: this.chosen });
      if (!generated) return;
      this.files = generated.files;
      const [problem] = generated.diagnostics;
      const bytes = generated.files.reduce((sum, file) => sum + file.text.length, 0);
      this.note.textContent = problem ? problem.message : `${generated.files.length} files, ${Math.ceil(bytes / 1024)} KiB, beside the runtime`;
      const known = generated.files.some(({ path }) => path === this.list.value);
      const chosen = known ? this.list.value : (generated.files[0]?.path ?? "");
      fill(this.list, generated.files.map(({ path }) => ({ value: path, title: path })), chosen);
      this.open(chosen);
      this.stale(!this.page.isCurrent);
    } catch (error) {
      this.note.textContent = failureOf(error);
    }
  }

  private open(path: string): void {
    const file = this.files.find((one) => one.path === path);
    this.editor.show(file?.text ?? "", languageOf(path));
  }

  /** chosen are the options of the language that a person has chosen. */
  private get chosen(): Record<string, string> {
    const { options, language } = this.page.state;
    const offered = this.offered.map(({ name }) => name);
    return Object.fromEntries(Object.entries(options[language] ?? {}).filter(([name]) => offered.includes(name)));
  }

  private get offered(): Option[] {
    return this.page.about.languages.find(({ name }) => name === this.page.state.language)?.options ?? [];
  }

  /** offer makes a box for each switch, and for each word of a list but the first, which always is in it. */
  private offer(): void {
    const boxes: HTMLElement[] = [];
    for (const option of this.offered) {
      const value = this.chosen[option.name] ?? option.default;
      if (option.words.length === 0) {
        boxes.push(checkbox(option.name, value === "true", (on) => this.choose(option.name, String(on))));
      }
      const words = value.split(",");
      for (const word of option.words.slice(1)) {
        boxes.push(
          checkbox(word, words.includes(word), (on) => {
            const before = (this.chosen[option.name] ?? option.default).split(",");
            const after = option.words.filter((one) => (one === word ? on : before.includes(one)));
            this.choose(option.name, after.join(","));
          }),
        );
      }
    }
    this.choices.replaceChildren(...boxes);
  }

  private choose(name: string, value: string): void {
    const { options, language } = this.page.state;
    options[language] = { ...this.chosen, [name]: value };
    this.page.changed();
    void this.refresh();
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.editor.text);
      this.page.tell("The file is copied.");
    } catch {
      this.page.tell("The browser did not let the page copy the file.");
    }
  }
}
