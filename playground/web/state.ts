// Contents of the page, and how they stand in the fragment of its address: as JSON,
// compressed, in base64url, behind the number of this form.

export type Lead = "json" | "hex";

export interface State {
  root: string;
  files: Record<string, string>;
  /** tab is the view that is shown, and language that of the code. */
  tab: string;
  language: string;
  /** options are the chosen options of each language. */
  options: Record<string, Record<string, string>>;
  type: string;
  message: boolean;
  /** lead says which of the value's forms was edited, and value is its text. */
  lead: Lead;
  value: string;
  old: string;
  columns: string[];
}

/** fragmentMax is how long a fragment is written: links that are longer are cut by others. */
export const fragmentMax = 64_000;

/** stateBytesMax bounds what a link may unpack to. */
const stateBytesMax = 4 << 20;

const form = "1.";

export async function toFragment(state: State): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"), Infinity);
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return form + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** fromFragment reads a fragment, which anyone may have written; of another shape it is nothing. */
export async function fromFragment(fragment: string): Promise<State | undefined> {
  if (!fragment.startsWith(form)) return undefined;
  try {
    const binary = atob(fragment.slice(form.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"), stateBytesMax);
    return shaped(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

async function through(bytes: Uint8Array, stream: GenericTransformStream, most: number): Promise<Uint8Array> {
  const reader = (new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream) as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("it unpacks to too much");
    }
    chunks.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** shaped is a state made of read JSON, as far as that is of its shape. */
function shaped(read: unknown): State | undefined {
  if (!isRecord(read)) return undefined;
  const files = texts(read.files);
  const root = text(read.root);
  if (!Object.hasOwn(files, root)) return undefined;
  const options: Record<string, Record<string, string>> = {};
  if (isRecord(read.options)) {
    for (const [language, chosen] of Object.entries(read.options)) options[language] = texts(chosen);
  }
  return {
    root,
    files,
    tab: text(read.tab),
    language: text(read.language),
    options,
    type: text(read.type),
    message: read.message === true,
    lead: read.lead === "hex" ? "hex" : "json",
    value: text(read.value),
    old: text(read.old),
    columns: Array.isArray(read.columns) ? read.columns.map(text) : [],
  };
}

function isRecord(read: unknown): read is Record<string, unknown> {
  return typeof read === "object" && read !== null && !Array.isArray(read);
}

function text(read: unknown): string {
  return typeof read === "string" ? read : "";
}

function texts(read: unknown): Record<string, string> {
  if (!isRecord(read)) return {};
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, text(value)]));
}
