// A value as JSON and as bytes: an edit of each changes the other.

import { lineNumbers } from "@codemirror/view";
import { jsonLanguage } from "./code-languages.ts";
import { Editor, isTooLong } from "./editor.ts";
import { element, fill } from "./elements.ts";
import { byteAt, bytesPerLine, layOut, readDigits } from "./hex.ts";
import { Items } from "./items.ts";
import { colour, digitsOf, link, linkedField, partsField } from "./links.ts";
import { type Page, failureOf, soon } from "./page.ts";
import { innermost, isWithin, locate } from "./pointers.ts";
import type { Refusal, Span, Valued } from "./protocol.ts";
import { tooLong } from "./schema-pane.ts";
import type { Lead } from "./state.ts";

export class ValuePane {
  private readonly json: Editor;
  private readonly hex: Editor;
  private readonly types = element<HTMLSelectElement>("type");
  private readonly message = element<HTMLInputElement>("message");
  private readonly note = element("value-note");
  private readonly item = element("item");
  private readonly size = element("size");
  private readonly items: Items;
  private spans: Span[] = [];
  private readonly soonConvert = soon(40, () => void this.convert());

  constructor(private readonly page: Page) {
    const refused = (): void => page.tell(tooLong);
    this.json = new Editor(element("json-editor"), {
      label: "Value as JSON",
      extensions: [jsonLanguage, linkedField],
      edited: () => this.edited("json"),
      selected: (at) => this.selectedJSON(at),
      refused,
    });
    const offsets = lineNumbers({ formatNumber: (line) => ((line - 1) * bytesPerLine).toString(16).padStart(4, "0") });
    this.hex = new Editor(element("hex-editor"), {
      label: "Value as bytes, in hexadecimal",
      extensions: [partsField, linkedField, offsets],
      edited: () => this.edited("hex"),
      selected: (at) => this.selectedHex(at),
      refused,
    });
    this.items = new Items(element("items"), element("more-items"), (span) => this.tellOf([span], span.pointer));
    this.hex.host.addEventListener("focusout", () => this.tidy());
    this.types.addEventListener("change", () => void this.chooseType(this.types.value));
    this.message.addEventListener("change", () => {
      page.state.message = this.message.checked;
      // The bytes are of the other mode: JSON is the value that stays.
      this.edited(this.json.text ? "json" : "hex");
    });
    element("sample").addEventListener("click", () => void this.sample());
  }

  /** outdate marks both forms as what another schema makes of the value. */
  outdate(): void {
    this.stale([this.json.host, ...this.ofBytes]);
  }

  /** ofBytes are the elements that show the bytes. */
  private get ofBytes(): HTMLElement[] {
    return [this.hex.host, element("items-of-bytes")];
  }

  /** following are the elements of the form that is not edited. */
  private get following(): HTMLElement[] {
    return this.page.state.lead === "json" ? this.ofBytes : [this.json.host];
  }

  /** stale marks these elements, and no others. */
  private stale(marked: HTMLElement[]): void {
    for (const one of [this.json.host, ...this.ofBytes]) one.classList.toggle("stale", marked.includes(one));
  }

  /** show shows the value of the state. */
  show(): void {
    const { lead, value } = this.page.state;
    this.json.show(lead === "json" ? value : "");
    this.hex.show(lead === "hex" ? value : "");
    this.hex.mark([]);
    this.json.mark([]);
  }

  /** refresh takes the types of the schema, and converts the value by it. */
  async refresh(): Promise<void> {
    const { page } = this;
    this.outdate();
    if (!page.isSound) {
      this.note.textContent = page.checked ? "The schema has errors." : "";
      return;
    }
    const types = page.checked!.types;
    const known = types.find(({ name }) => name === page.state.type);
    const chosen = known ?? types.find(({ has_id }) => has_id) ?? types[0];
    fill(this.types, types.map(({ name, kind }) => ({ value: name, title: `${name} (${kind})` })), chosen?.name ?? "");
    this.message.disabled = !chosen?.has_id;
    this.message.checked = page.state.message && chosen?.has_id === true;
    if (!chosen) {
      this.note.textContent = "The schema has no struct, message or union.";
      return;
    }
    if (!known) await this.chooseType(chosen.name);
    else if (!page.state.value) await this.sample();
    else await this.convert();
  }

  private async chooseType(name: string): Promise<void> {
    this.page.state.type = name;
    this.page.changed();
    const type = this.page.checked?.types.find((one) => one.name === name);
    this.message.disabled = !type?.has_id;
    this.message.checked = this.page.state.message && type?.has_id === true;
    await this.sample();
  }

  private async sample(): Promise<void> {
    try {
      const sample = await this.page.ask("sample", { schema: this.page.schema, type: this.page.state.type }, "value");
      if (!sample) return;
      this.json.show(sample.json);
      this.edited("json");
    } catch (error) {
      this.note.textContent = failureOf(error);
    }
  }

  private edited(lead: Lead): void {
    this.page.state.lead = lead;
    this.page.state.value = lead === "json" ? this.json.text : this.hex.text;
    this.page.changed();
    if (this.page.isCurrent) this.stale(this.following);
    this.soonConvert();
  }

  /** convert makes the form that is not edited. */
  private async convert(): Promise<void> {
    const { page } = this;
    if (!page.isSound) return;
    const { lead, type } = page.state;
    if (isTooLong(page.state.value)) {
      page.tell(tooLong);
      return;
    }
    const question = { schema: page.schema, type, message: this.message.checked };
    try {
      if (lead === "json") {
        const valued = await page.ask("encode", { ...question, json: this.json.text }, "value");
        if (valued) this.encoded(valued);
      } else {
        const digits = readDigits(this.hex.text);
        if (digits.fault >= 0) {
          this.noByte(digits.fault);
          return;
        }
        const valued = await page.ask("decode", { ...question, hex: digits.hex }, "value");
        if (valued) this.decoded(valued);
      }
    } catch (error) {
      this.note.textContent = failureOf(error);
    }
  }

  private encoded(valued: Valued): void {
    this.hex.mark([]);
    this.follow(valued.refusal);
    if (valued.refusal) {
      const { from } = valued.refusal;
      const length = this.json.view.state.doc.length;
      const at = from < 0 ? { from: 0, to: 0 } : { from: Math.min(from, length), to: Math.min(from + 1, length) };
      this.json.mark([{ ...this.widened(at), severity: "error", message: refusalText(valued.refusal) }]);
      return;
    }
    this.json.mark([]);
    this.spans = valued.spans;
    this.hex.show(layOut(valued.hex));
    this.drawSpans();
  }

  private decoded(valued: Valued): void {
    this.json.mark([]);
    this.follow(valued.refusal);
    this.spans = valued.spans;
    this.drawSpans();
    if (!valued.refusal) {
      this.hex.mark([]);
      this.json.show(valued.json);
      return;
    }
    const { places } = readDigits(this.hex.text);
    const length = this.hex.view.state.doc.length;
    const { offset } = valued.refusal;
    const from = places[offset] ?? length;
    this.hex.mark([{ from, to: Math.min(from + 2, length), severity: "error", message: refusalText(valued.refusal) }]);
  }

  /** widened is the whole value that a fault is at, so that it can be seen. */
  private widened(at: { from: number; to: number }): { from: number; to: number } {
    const value = locate(this.json.text).find(({ from }) => from === at.from);
    return value ? { from: value.from, to: Math.min(value.to, this.json.view.state.doc.length) } : at;
  }

  /** follow tells of a refusal, for which the form that is not edited keeps what it had. */
  private follow(refusal: Refusal | null): void {
    if (this.page.isCurrent) this.stale(refusal ? this.following : []);
    this.note.textContent = refusal ? `Refused: ${refusalText(refusal)}` : "";
    this.note.classList.toggle("refused", refusal !== null);
    this.select([], [], "");
  }

  private noByte(at: number): void {
    const message = "a byte is two hexadecimal digits";
    this.hex.mark([{ from: at, to: Math.min(at + 1, this.hex.view.state.doc.length), severity: "error", message }]);
    this.note.textContent = `At digit ${at}: ${message}.`;
    this.note.classList.add("refused");
  }

  /** tidy lays out bytes as soon as nobody writes them. */
  private tidy(): void {
    const { hex, fault } = readDigits(this.hex.text);
    if (fault >= 0 || this.hex.text === layOut(hex)) return;
    this.hex.show(layOut(hex));
    this.soonConvert();
  }

  private drawSpans(): void {
    const { places, hex } = readDigits(this.hex.text);
    this.items.show(this.spans, hex);
    this.size.textContent = places.length === 1 ? "1 byte" : `${places.length} bytes`;
    colour(this.hex.view, this.spans, places);
  }

  /** selectedJSON marks the bytes of the value that a place in JSON is in. */
  private selectedJSON(at: number): void {
    const value = innermost(locate(this.json.text), at);
    if (!value) return;
    const spans = this.spans.filter(({ pointer }) => isWithin(pointer, value.pointer));
    this.tellOf(spans, value.pointer);
  }

  /** selectedHex marks the value in JSON that the byte at a place belongs to. */
  private selectedHex(at: number): void {
    const byte = byteAt(readDigits(this.hex.text).places, at);
    const span = this.spans.find((one) => one.at <= byte && byte < one.at + one.length);
    if (span) this.tellOf([span], span.pointer);
  }

  private tellOf(spans: readonly Span[], pointer: string): void {
    const { places } = readDigits(this.hex.text);
    const first = spans[0];
    const last = spans.at(-1);
    if (!first || !last) {
      this.select([], [], "no bytes: the field is of a segment that is missing");
      return;
    }
    const length = last.at + last.length - first.at;
    const values = locate(this.json.text).filter((one) => one.pointer === pointer);
    const parts = spans.length === 1 ? [first.type, first.part, first.text] : [`${spans.length} items`];
    const range = length === 1 ? `byte ${first.at}` : `bytes ${first.at} to ${first.at + length - 1}`;
    this.select(
      [digitsOf(first.at, length, places)],
      values.map(({ keyFrom, to }) => ({ from: keyFrom, to })),
      [pathOf(spans, pointer), range, ...parts].filter(Boolean).join("  ·  "),
    );
    this.items.mark(new Set(spans));
  }

  private select(inHex: { from: number; to: number }[], inJSON: { from: number; to: number }[], text: string): void {
    link(this.hex.view, inHex);
    link(this.json.view, inJSON);
    this.items.mark(new Set());
    this.item.textContent = text || "Put the cursor on a value or a byte to see what belongs to it.";
  }
}

/** pathOf is the specification's name for the value; one without bytes of its own goes by its pointer. */
function pathOf(spans: readonly Span[], pointer: string): string {
  const steps = pointer.replace(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".").replace(/^\./, "");
  return spans.find((one) => one.pointer === pointer)?.path || steps || "the whole value";
}

/** refusalText is a refusal's name, and where and why as far as that is known. */
function refusalText(refusal: Refusal): string {
  const offset = refusal.offset >= 0 ? ` at byte ${refusal.offset}` : "";
  const path = refusal.path ? ` in ${refusal.path}` : "";
  const detail = refusal.detail ? `: ${refusal.detail}` : "";
  return refusal.name + offset + path + detail + (refusal.help ? `; ${refusal.help}` : "");
}
