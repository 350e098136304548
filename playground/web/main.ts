// The page: it begins the compiler, and joins the panes.

import parts from "parts.json";
import { BreakingPane } from "./breaking-pane.ts";
import { CodePane } from "./code-pane.ts";
import { Connection, type Port } from "./connection.ts";
import { element } from "./elements.ts";
import { Page, failureOf, soon } from "./page.ts";
import { Measuring, type MeasuringPort } from "./processor-time.ts";
import type { About, Schema } from "./protocol.ts";
import { SchemaPane } from "./schema-pane.ts";
import { type State, fragmentMax, fromFragment, toFragment } from "./state.ts";
import { Tabs } from "./tabs.ts";
import { ValuePane } from "./value-pane.ts";

interface Example {
  title: string;
  schema: Schema;
  type: string;
  value: string;
  old: string;
}

/** The build has asked the compiler about itself, so that the page is there before the compiler is. */
const { about, examples } = parts as { about: About; examples: Example[] };

/** limitMilliseconds is how much of a processor's time the compiler may take for one question. */
const limitMilliseconds = 5000;

/** The page opens with the first. */
const views = [
  { id: "value", title: "Value" },
  { id: "code", title: "Code" },
  { id: "breaking", title: "Breaking changes" },
];

function stateOf(example: Example, before?: State): State {
  return {
    root: example.schema.root,
    files: { ...example.schema.files },
    tab: before?.tab ?? views[0]!.id,
    language: before?.language ?? "go",
    options: before?.options ?? {},
    type: example.type,
    message: false,
    lead: "json",
    value: example.value,
    old: example.old,
    columns: before?.columns ?? [],
  };
}

/** compiler is the compiled module; the network gives it with its type where the server knows that. */
async function compiler(): Promise<WebAssembly.Module> {
  const response = await fetch("sdp.wasm");
  if (!response.ok) throw new Error(`sdp.wasm: the server says ${response.status}`);
  if (response.headers.get("Content-Type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

class Playground {
  private readonly page: Page;
  private readonly schema: SchemaPane;
  // Panes are made when they are seen first.
  private value: ValuePane | undefined;
  private code: CodePane | undefined;
  private breaking: BreakingPane | undefined;
  private readonly tabs: Tabs;
  private fragment = "";

  constructor(page: Page) {
    this.page = page;
    page.changed = soon(300, () => void this.write());
    page.outdated = () => {
      this.value?.outdate();
      this.code?.outdate();
      this.breaking?.outdate();
    };
    this.schema = new SchemaPane(page, () => void this.refresh());
    this.tabs = new Tabs(element("views"), views, (id) => `${id}-panel`, (id) => {
      page.state.tab = id;
      page.changed();
      void this.refresh();
    });
    this.offerExamples();
    element("again").addEventListener("click", () => this.schema.again());
    element("to-results").addEventListener("click", () => element("results").scrollIntoView());
    element("link").addEventListener("click", () => void this.copyLink());
    addEventListener("hashchange", () => void this.read());
  }

  /** show shows the state in all panes. */
  show(): void {
    this.tabs.show(this.page.state.tab);
    this.page.state.tab = this.tabs.chosen;
    this.value?.show();
    this.breaking?.show();
    this.page.checked = undefined;
    this.code?.show();
    this.schema.show();
  }

  /** refresh asks anew for the content of the open tab. */
  private async refresh(): Promise<void> {
    switch (this.page.state.tab) {
      case "code":
        if (!this.code) {
          this.code = new CodePane(this.page);
          this.code.show();
        }
        return this.code.refresh();
      case "breaking":
        if (!this.breaking) {
          this.breaking = new BreakingPane(this.page);
          this.breaking.show();
        }
        return this.breaking.refresh();
      default:
        if (!this.value) {
          this.value = new ValuePane(this.page);
          this.value.show();
        }
        return this.value.refresh();
    }
  }

  private offerExamples(): void {
    const list = element<HTMLSelectElement>("example");
    examples.forEach((example, at) => list.add(new Option(example.title, String(at))));
    list.addEventListener("change", () => {
      const example = examples[Number(list.value)];
      list.value = "";
      if (!example) return;
      this.page.state = stateOf(example, this.page.state);
      this.show();
      this.page.changed();
    });
  }

  /** write keeps the state in the page's address. */
  private async write(): Promise<boolean> {
    const fragment = await toFragment(this.page.state);
    if (fragment.length > fragmentMax) return false;
    this.fragment = fragment;
    history.replaceState(null, "", `#${fragment}`);
    return true;
  }

  private async read(): Promise<void> {
    const fragment = location.hash.slice(1);
    if (fragment === this.fragment) return;
    const state = await fromFragment(fragment);
    if (!state) {
      this.page.tell("The link has no schema that this page can read.");
      return;
    }
    this.fragment = fragment;
    this.page.state = state;
    this.show();
  }

  private async copyLink(): Promise<void> {
    if (!(await this.write())) {
      this.page.tell("The schema and the value are too long for a link.");
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      this.page.tell("The link is copied. It has the schema and the value in it.");
    } catch {
      this.page.tell("The link is in the address bar.");
    }
  }
}

async function main(): Promise<void> {
  const status = element("status");
  const module = compiler();
  const measuring = new Measuring(() => new Worker("worker.js") as unknown as MeasuringPort);
  const connection = new Connection(module, () => new Worker("worker.js") as unknown as Port, limitMilliseconds, measuring.share);
  element("version").textContent = about.version;
  const linked = await fromFragment(location.hash.slice(1));
  const page = new Page(connection, about, linked ?? stateOf(examples[0]!), status, element("again"));
  new Playground(page).show();
  try {
    await module;
    if (location.hash.length > 1 && !linked) page.tell("The link has no schema that this page can read.");
  } catch (error) {
    page.tell(`The compiler could not be loaded. ${failureOf(error)}`);
  }
}

void main();
