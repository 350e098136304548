// Makes elements of plain DOM, without text that would be read as HTML.

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** An element with attributes, of which true ones are there and false ones are not, and children. */
export function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) {
      made.setAttribute(key, value === true ? "" : String(value));
    }
  }
  made.append(...children);
  return made;
}

/** The element of the page's own text that has an id. */
export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) {
    throw new Error(`the page has no ${kind.name} with the id ${id}`);
  }
  return found;
}
