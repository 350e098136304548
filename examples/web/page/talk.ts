import { type BidiStream, MxpError, type Stub } from "mesh-exchange-protocol";
import type { Action, Change, RackMethods } from "../out/rack.js";

export type RackStub = Stub<RackMethods>;

/** The time that a panel waits before it opens its stream again, in milliseconds. */
const pauseMs = 300;

/** The listener of a panel. */
export interface Listener {
  changed(change: Change): void;
  /** Whether the host is there; and why not. */
  said(there: boolean, text: string): void;
}

/** The stream of a panel, which is opened anew when it is lost: the host then tells all values again. */
export class Talk {
  readonly #rack: RackStub;
  readonly #plugin: number;
  readonly #listener: Listener;
  readonly #leaving = new AbortController();
  #stream: BidiStream<Action, Change> | undefined;
  /** The actions that wait for the host: of a hand that moves faster than the host takes it, only the newest place. */
  readonly #untold = new Map<string, Action>();
  #telling = false;

  constructor(rack: RackStub, plugin: number, listener: Listener) {
    this.#rack = rack;
    this.#plugin = plugin;
    this.#listener = listener;
    void this.#follow();
  }

  turn(parameter: number, value: number): void {
    this.#tell(`turn ${parameter}`, { kind: "Turn", value: { parameter, value } });
  }

  letGo(parameter: number): void {
    this.#tell(`let go ${parameter}`, { kind: "LetGo", value: { parameter } });
  }

  automate(on: boolean): void {
    this.#tell("automate", { kind: "Automate", value: { on } });
  }

  /** Ends the stream for good. */
  close(): void {
    this.#leaving.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        const stream = this.#rack.panel({ signal });
        await stream.send({ kind: "Show", value: { plugin: this.#plugin } });
        this.#stream = stream;
        for await (const change of stream) {
          this.#listener.said(true, "Connected");
          this.#listener.changed(change);
        }
        this.#listener.said(false, "The host has ended the panel");
      } catch (error) {
        if (!signal.aborted) {
          this.#listener.said(false, why(error));
        }
      }
      this.#stream = undefined;
      this.#untold.clear();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  #tell(about: string, action: Action): void {
    if (this.#stream !== undefined) {
      this.#untold.delete(about); // so that it is told behind what came before it
      this.#untold.set(about, action);
      void this.#tellAll(this.#stream);
    }
  }

  async #tellAll(stream: BidiStream<Action, Change>): Promise<void> {
    if (this.#telling) {
      return;
    }
    this.#telling = true;
    try {
      for (const [about, action] of this.#untold) {
        this.#untold.delete(about);
        await stream.send(action); // when there is room for it
      }
    } catch {
      // the stream is lost, which #follow is told
    } finally {
      this.#telling = false;
    }
  }
}

/** Why the host is not there, for people. */
export function why(error: unknown): string {
  if (error instanceof MxpError) {
    return error.status === 14 ? "The host is gone: looking for it" : `The host refuses this: ${error.text || error.code}`;
  }
  return String(error);
}
