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
  /** The controls, which nobody can move while the host is gone. */
  readonly #moved = element("fieldset", { "aria-label": "Controls" });
  readonly #gone = element("p", { class: "lost" });
  /** The control that had the keyboard when the host went. */
  #left: HTMLElement | undefined;

  /** Opens the panel of the plug-in that the rack has at a place of its list. */
  constructor(rack: RackStub, place: number, plugin: Plugin, said: (there: boolean, text: string) => void) {
    const talk = new Talk(rack, place, {
      changed: (change) => this.#show(change),
      said: (there, text) => {
        this.#reached(there);
        said(there, text);
      },
    });
    this.#talk = talk;
    this.#automation.onchange = (): void => talk.automate(this.#automation.checked);
    this.#controls = plugin.parameters.map((parameter, i) =>
      control(parameter, { turn: (value) => talk.turn(i, value), letGo: () => talk.letGo(i) }));
    const of = (outputs: boolean): HTMLElement[] =>
      this.#controls.filter((_, i) => plugin.parameters[i]?.isOutput === outputs).map((one) => one.element);
    const outputs = of(true);
    this.#moved.append(
      element("div", { class: "head" },
        element("div", {},
          element("h2", {}, plugin.name),
          element("p", { class: "maker" }, [plugin.maker, plugin.class].filter((text) => text !== "").join(" · ")),
          this.#gone),
        element("label", {}, this.#automation, " Automation")),
      element("div", { class: "controls" }, ...of(false)),
      ...(outputs.length === 0 ? [] : [element("h3", {}, "Outputs"), element("div", { class: "controls" }, ...outputs)]));
    this.element = element("article", { class: "panel" }, this.#moved);
  }

  /** Keeps people from moving what nobody is told of, and gives the keyboard back to where it was. */
  #reached(there: boolean): void {
    if (there !== this.#moved.disabled) {
      return;
    }
    if (!there) {
      const { activeElement } = document;
      this.#left = activeElement instanceof HTMLElement && this.#moved.contains(activeElement) ? activeElement : undefined;
      for (const one of this.#controls) {
        one.forget();
      }
    }
    this.#moved.disabled = !there;
    this.#gone.textContent = there ? "" : "These are the last values of a host that is gone.";
    this.element.toggleAttribute("data-lost", !there);
    if (there && document.activeElement === document.body) {
      this.#left?.focus({ preventScroll: true });
    }
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
