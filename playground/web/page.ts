// State that the panes of the page share.

import { type Connection, TookTooLong, overtaken } from "./connection.ts";
import type { About, Asks, Checked, Kind, Schema } from "./protocol.ts";
import type { State } from "./state.ts";

export class Page {
  /** checked is the compiler's check of the schema, once there is one. */
  checked: Checked | undefined;
  /** changed is called where the state has changed, and outdated where the schema has. */
  changed: () => void = () => {};
  outdated: () => void = () => {};
  /** isChecked tells whether `checked` is of the schema as it is now. */
  isChecked = false;
  /** open counts the questions that have no answer yet. */
  private open = 0;

  constructor(
    readonly connection: Connection,
    readonly about: About,
    public state: State,
    private readonly status: HTMLElement,
    /** again is a button, which is there as long as it is of use. */
    private readonly again: HTMLElement,
  ) {}

  get schema(): Schema {
    return { root: this.state.root, files: { ...this.state.files } };
  }

  /** isSound tells whether the schema has no error, as far as is known. */
  get isSound(): boolean {
    return this.checked !== undefined && this.checked.errors === 0;
  }

  /** isCurrent tells whether an answer that comes now is of the schema as it is. */
  get isCurrent(): boolean {
    return this.isSound && this.isChecked;
  }

  /** outdate tells all panes that they show something of another schema. */
  outdate(): void {
    this.isChecked = false;
    this.outdated();
  }

  tell(text: string): void {
    this.status.textContent = text;
    this.again.hidden = true;
  }

  /**
   * ask asks the compiler, and answers with nothing where a newer question of the topic has
   * come. A failure is told by the pane that asks, and here where it concerns the compiler.
   */
  async ask<K extends Kind>(kind: K, question: Asks[K][0], topic: string = kind): Promise<Asks[K][1] | undefined> {
    this.count(1);
    try {
      const answer = await this.connection.ask(kind, question, topic);
      return answer === overtaken ? undefined : (answer as Asks[K][1]);
    } catch (error) {
      if (error instanceof TookTooLong) {
        this.tell(sentence(error.message));
        this.again.hidden = false;
      }
      throw error;
    } finally {
      this.count(-1);
    }
  }

  /** count lets the page show that it waits for the compiler. */
  private count(more: number): void {
    this.open += more;
    document.documentElement.classList.toggle("busy", this.open > 0);
  }
}

/** sentence is a text as one that stands alone. */
export function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
}

/** failureOf is what an error says. */
export function failureOf(error: unknown): string {
  return sentence(error instanceof Error ? error.message : String(error));
}

/** soon calls a function when nothing has asked for it for a while. */
export function soon(milliseconds: number, call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(call, milliseconds);
  };
}
