import { type Control, control } from "./control.js";
import { element } from "./elements.js";
import type { Change, Plugin } from "../out/rack.js";
import { type RackStub, Talk } from "./talk.js";

/** The panel of one plug-in: its controls move what the host has, and follow it. */
export class Panel {
  readonly element: HTMLElement;
  readonly #talk: Talk;
  readonly #controls: readonly Control[];
  readonly #automation: HTMLInputElement = element("input", { type: "checkbox", role: "switch" });

  /** Opens the panel of the plug-in that the rack has at a place of its list. */
  constructor(rack: RackStub, place: number, plugin: Plugin, said: (there: boolean, text: string) => void) {
    const talk = new Talk(rack, place, { changed: (change) => this.#show(change), said });
    this.#talk = talk;
    this.#automation.onchange = (): void => talk.automate(this.#automation.checked);
    this.#controls = plugin.parameters.map((parameter, i) =>
      control(parameter, { turn: (value) => talk.turn(i, value), letGo: () => talk.letGo(i) }));
    const of = (outputs: boolean): HTMLElement[] =>
      this.#controls.filter((_, i) => plugin.parameters[i]?.isOutput === outputs).map((one) => one.element);
    const outputs = of(true);
    this.element = element("article", { class: "panel" },
      element("div", { class: "head" },
        element("div", {},
          element("h2", {}, plugin.name),
          element("p", { class: "maker" }, [plugin.maker, plugin.class].filter((text) => text !== "").join(" · "))),
        element("label", {}, this.#automation, " Automation")),
      element("div", { class: "controls" }, ...of(false)),
      ...(outputs.length === 0 ? [] : [element("h3", {}, "Outputs"), element("div", { class: "controls" }, ...outputs)]));
  }

  #show({ automated, moves }: Change): void {
    this.#automation.checked = automated;
    for (const { parameter, value } of moves) {
      this.#controls[parameter]?.show(value);
    }
  }

  /** Takes the panel away. */
  close(): void {
    this.#talk.close();
    this.element.remove();
  }
}
