// Elements of the page.

/** element is an element of the page by its id, which index.html has. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

/** made is a new element with a class and its content. */
export function made<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, ...content: (Node | string)[]): HTMLElementTagNameMap[K] {
  const one = document.createElement(tag);
  if (className) one.className = className;
  one.append(...content);
  return one;
}

/** checkbox is a box with a label, which tells when it is changed. */
export function checkbox(title: string, checked: boolean, changed: (checked: boolean) => void): HTMLLabelElement {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = checked;
  box.addEventListener("change", () => changed(box.checked));
  return made("label", "choice", box, title);
}

/** fill gives a list of choices its options, and chooses one. */
export function fill(list: HTMLSelectElement, options: readonly { value: string; title: string }[], chosen: string): void {
  const same =
    list.options.length === options.length &&
    options.every((option, at) => list.options[at]!.value === option.value && list.options[at]!.text === option.title);
  if (!same) list.replaceChildren(...options.map(({ value, title }) => new Option(title, value)));
  list.value = chosen;
}
