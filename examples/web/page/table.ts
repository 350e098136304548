import { byId, element } from "./elements.js";
import type { Plugin } from "../out/rack.js";

type Key = "name" | "maker" | "class" | "parameters";

interface Row {
  readonly plugin: Plugin;
  readonly place: number;
  readonly button: HTMLButtonElement;
  readonly element: HTMLTableRowElement;
}

const order = new Intl.Collator("en", { numeric: true });

/** The list of plug-ins. Tab goes into it and out of it, the arrows from one plug-in to the next. */
export class Table {
  readonly #body = byId("plugins", HTMLTableSectionElement);
  readonly #filter = byId("filter", HTMLInputElement);
  readonly #heads = [...document.querySelectorAll<HTMLButtonElement>("thead button")];
  readonly #chosen: (place: number) => void;
  #rows: Row[] = [];
  #key: Key = "name";
  #descends = false;

  constructor(chosen: (place: number) => void) {
    this.#chosen = chosen;
    this.#filter.oninput = (): void => this.#lay();
    this.#filter.onkeydown = (event): void => {
      if (event.key === "ArrowDown") {
        event.preventDefault();
        this.#visible[0]?.button.focus();
      }
    };
    this.#body.onkeydown = (event): void => this.#go(event);
    for (const head of this.#heads) {
      head.onclick = (): void => this.#sortBy(head);
    }
  }

  fill(plugins: readonly Plugin[]): void {
    this.#rows = plugins.map((plugin, place) => {
      const button = element("button", { tabindex: -1 }, plugin.name);
      const row = element("tr", {}, element("th", { scope: "row" }, button), element("td", {}, plugin.maker), element("td", {}, plugin.class),
        element("td", { class: "number" }, String(plugin.parameters.length)));
      row.onclick = (): void => this.choose(place);
      return { plugin, place, button, element: row };
    });
    this.#lay();
  }

  /** Shows which plug-in is chosen, and tells of it. */
  choose(place: number): void {
    for (const row of this.#rows) {
      row.element.toggleAttribute("data-chosen", row.place === place);
      row.button.setAttribute("aria-current", String(row.place === place));
    }
    this.#reach(this.#rows[place]);
    this.#chosen(place);
  }

  get #visible(): Row[] {
    return this.#rows.filter((row) => row.element.isConnected).sort((a, b) => (a.element.rowIndex < b.element.rowIndex ? -1 : 1));
  }

  #lay(): void {
    const words = this.#filter.value.toLowerCase().split(/\s+/);
    const value = ({ plugin }: Row): string => (this.#key === "parameters" ? String(plugin.parameters.length) : plugin[this.#key]);
    const sign = this.#descends ? -1 : 1;
    const shown = this.#rows
      .filter(({ plugin: { name, maker, class: kind } }) => words.every((word) => `${name} ${maker} ${kind}`.toLowerCase().includes(word)))
      .sort((a, b) => sign * order.compare(value(a), value(b)));
    this.#body.replaceChildren(...shown.map((row) => row.element));
    if (!shown.some(({ button }) => button.tabIndex === 0)) {
      this.#reach(shown[0]);
    }
  }

  /** Makes a row the target of Tab. */
  #reach(row: Row | undefined): void {
    for (const { button } of this.#rows) {
      button.tabIndex = button === row?.button ? 0 : -1;
    }
  }

  #sortBy(head: HTMLButtonElement): void {
    const key = head.dataset["key"] as Key;
    this.#descends = key === this.#key && !this.#descends;
    this.#key = key;
    for (const other of this.#heads) {
      other.closest("th")?.removeAttribute("aria-sort");
    }
    head.closest("th")?.setAttribute("aria-sort", this.#descends ? "descending" : "ascending");
    this.#lay();
  }

  #go(event: KeyboardEvent): void {
    const rows = this.#visible;
    const at = rows.findIndex(({ button }) => button === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    const row = to === undefined ? undefined : rows[to];
    if (row !== undefined) {
      event.preventDefault();
      this.#reach(row);
      row.button.focus();
    }
  }
}
