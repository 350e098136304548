// Lists of tabs, as ARIA has them: arrows go from one to the next, and choose it.

export interface Tab {
  id: string;
  title: string;
}

export class Tabs {
  private readonly buttons = new Map<string, HTMLButtonElement>();
  chosen = "";

  constructor(
    list: HTMLElement,
    tabs: readonly Tab[],
    private readonly panelOf: (id: string) => string,
    private readonly changed: (id: string) => void,
  ) {
    for (const tab of tabs) {
      const button = document.createElement("button");
      button.type = "button";
      button.id = `${list.id}-${tab.id}`;
      button.textContent = tab.title;
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", this.panelOf(tab.id));
      button.addEventListener("click", () => this.choose(tab.id));
      this.buttons.set(tab.id, button);
      list.append(button);
    }
    list.addEventListener("keydown", (event) => this.key(event));
  }

  /** show makes a tab the chosen one without telling; one that is not there gives way to the first. */
  show(id: string): void {
    this.chosen = this.buttons.has(id) ? id : ([...this.buttons.keys()][0] ?? "");
    for (const [other, button] of this.buttons) {
      const isChosen = other === this.chosen;
      button.setAttribute("aria-selected", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(this.panelOf(other));
      if (isChosen) panel?.setAttribute("aria-labelledby", button.id);
    }
    for (const other of this.buttons.keys()) {
      const panel = document.getElementById(this.panelOf(other));
      if (panel && this.panelOf(other) !== this.panelOf(this.chosen)) panel.hidden = true;
    }
    const panel = document.getElementById(this.panelOf(this.chosen));
    if (panel) panel.hidden = false;
  }

  private choose(id: string): void {
    this.show(id);
    this.buttons.get(id)?.focus();
    this.changed(id);
  }

  private key(event: KeyboardEvent): void {
    const ids = [...this.buttons.keys()];
    const at = ids.indexOf(this.chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choose(ids[(to + ids.length) % ids.length]!);
  }
}
