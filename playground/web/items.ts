// The list of what bytes are, item by item, as `sdp inspect` prints it.

import { made } from "./elements.ts";
import type { Span } from "./protocol.ts";

/** rowsMax is how many items are listed. */
const rowsMax = 400;

/** bytesMax is how many bytes of an item are shown. */
const bytesMax = 4;

export class Items {
  private rows: HTMLTableRowElement[] = [];
  private spans: readonly Span[] = [];

  constructor(
    private readonly body: HTMLElement,
    private readonly note: HTMLElement,
    private readonly chosen: (span: Span) => void,
  ) {}

  show(spans: readonly Span[], hex: string): void {
    this.spans = spans;
    this.rows = spans.slice(0, rowsMax).map((span) => this.row(span, hex));
    this.body.replaceChildren(...this.rows);
    this.note.textContent = spans.length > rowsMax ? `and ${spans.length - rowsMax} more` : "";
  }

  /** mark marks the rows of spans, and shows the first. */
  mark(chosen: ReadonlySet<Span>): void {
    let first: HTMLTableRowElement | undefined;
    this.rows.forEach((row, at) => {
      const isChosen = chosen.has(this.spans[at]!);
      row.classList.toggle("linked", isChosen);
      if (isChosen) first ??= row;
    });
    first?.scrollIntoView({ block: "nearest" });
  }

  private row(span: Span, hex: string): HTMLTableRowElement {
    const bytes = (hex.slice(2 * span.at, 2 * (span.at + Math.min(span.length, bytesMax))).match(/../g) ?? []).join(" ");
    const path = made("button", "path", span.path || span.part);
    path.type = "button";
    path.addEventListener("click", () => this.chosen(span));
    return made(
      "tr",
      `part-${span.part}`,
      made("td", "offset", span.at.toString(16).padStart(4, "0")),
      made("td", "digits", span.length > bytesMax ? `${bytes}…` : bytes),
      made("td", "", path),
      made("td", "", meaning(span)),
    );
  }
}

/** meaning is what an item's bytes say. */
function meaning(span: Span): string {
  switch (span.part) {
    case "value":
    case "text":
    case "presence":
      return span.text;
    case "tag":
      return `tag ${span.text}`;
    case "bytes":
    case "unknown":
    case "tail":
      return `${span.part}, ${span.length === 1 ? "1 byte" : `${span.length} bytes`}`;
    default:
      return `${span.part} ${span.text}`;
  }
}
