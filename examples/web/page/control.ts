import { element } from "./elements.js";
import { type Parameter, Scale } from "../out/rack.js";
import { placeOf, placesOf, textOf, valueAt } from "./scale.js";

/** Receiver of a hand's actions at a control. */
export interface Hand {
  turn(value: number): void;
  letGo(): void;
}

/** A parameter, as it is shown. */
export interface Control {
  readonly element: HTMLElement;
  /** Shows a value that the host tells; but not while a hand is on it. */
  show(value: number): void;
  /** Forgets a hand that is on it, as its host is gone. */
  forget(): void;
}

let made = 0;

export function control(parameter: Parameter, hand: Hand): Control {
  if (parameter.isOutput) {
    return meter(parameter);
  }
  return parameter.scale === Scale.Switch ? toggle(parameter, hand) : slider(parameter, hand);
}

function slider(parameter: Parameter, hand: Hand): Control {
  const input = element("input", { type: "range", id: `control-${++made}`, min: 0, max: placesOf(parameter), step: 1 });
  const value = element("output", { for: input.id });
  let held = false;
  const say = (now: number): void => {
    value.value = textOf(parameter, now);
    input.setAttribute("aria-valuetext", value.value);
  };
  const turn = (): void => {
    held = true;
    const now = valueAt(parameter, input.valueAsNumber);
    say(now);
    hand.turn(now);
  };
  const letGo = (): void => {
    if (held) {
      held = false;
      hand.letGo();
    }
  };
  input.onpointerdown = input.oninput = turn;
  input.onpointerup = input.onpointercancel = input.onchange = input.onblur = letGo;
  return {
    element: element("div", { class: "control" }, element("label", { for: input.id }, parameter.name), input, value),
    show(now) {
      if (!held) {
        input.valueAsNumber = placeOf(parameter, now);
        say(now);
      }
    },
    forget() {
      held = false;
    },
  };
}

function toggle(parameter: Parameter, hand: Hand): Control {
  const input = element("input", { type: "checkbox", role: "switch", id: `control-${++made}` });
  const value = element("output", { for: input.id });
  input.onchange = (): void => {
    hand.turn(input.checked ? parameter.high : parameter.low);
    hand.letGo();
  };
  return {
    element: element("div", { class: "control" }, element("label", { for: input.id }, parameter.name), element("span", {}, input), value),
    show(now) {
      value.value = textOf(parameter, now);
      input.checked = value.value === "on";
    },
    forget: () => undefined,
  };
}

function meter(parameter: Parameter): Control {
  const shown = element("meter", { id: `control-${++made}`, min: 0, max: placesOf(parameter) });
  const value = element("output", { for: shown.id });
  return {
    element: element("div", { class: "control" }, element("label", { for: shown.id }, parameter.name), shown, value),
    show(now) {
      shown.value = placeOf(parameter, now);
      value.value = textOf(parameter, now);
    },
    forget: () => undefined,
  };
}
