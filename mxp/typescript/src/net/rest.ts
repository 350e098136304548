/** What is used of the page or worker that a client is in; nothing of it is there in Node. */
interface Around {
  readonly document?: EventTarget & { readonly visibilityState?: string };
  readonly navigator?: { readonly onLine?: boolean };
  addEventListener?(event: string, call: () => void): void;
  removeEventListener?(event: string, call: () => void): void;
}

const around = globalThis as unknown as Around;

/** Whether nobody sees the page, or it has no network. */
export function rests(): boolean {
  return around.document?.visibilityState === "hidden" || around.navigator?.onLine === false;
}

/** Calls a function whenever that may have changed. What is returned takes that back. */
export function onRest(call: () => void): () => void {
  const { document } = around;
  document?.addEventListener("visibilitychange", call);
  around.addEventListener?.("online", call);
  around.addEventListener?.("offline", call);
  return () => {
    document?.removeEventListener("visibilitychange", call);
    around.removeEventListener?.("online", call);
    around.removeEventListener?.("offline", call);
  };
}

/** The longest pauses between attempts to connect, in milliseconds: while something waits for them, and else [MXP-14.3]. */
const waitedForMs = 1000;
const alonePauseMs = 30_000;
const pauseMinMs = 5;

/** The pauses between attempts to connect: a random part of a time that doubles. */
export class Pauses {
  #longest = 0;
  /** How much of the longest pause the present one takes, and when it began. */
  #part = 0;
  #began = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over: (() => void) | undefined;
  readonly #onChange: () => void;

  /** `onChange` is called when a pause begins to last until the page is seen, and when one no longer does. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Whether it is a pause that lasts until somebody sees the page, or asks for something. */
  get rests(): boolean {
    return this.#over !== undefined && rests();
  }

  /** The next pause is short again. */
  reset(): void {
    this.#longest = 0;
  }

  /** Resolves after the next pause. */
  async next(isWaitedFor: boolean): Promise<void> {
    this.#longest = Math.min(Math.max(2 * this.#longest, pauseMinMs), isWaitedFor ? waitedForMs : alonePauseMs);
    this.#part = Math.random();
    this.#began = performance.now();
    const forget = onRest(() => this.#changed());
    await new Promise<void>((resolve) => {
      this.#over = resolve;
      this.#wait(this.#part * this.#longest);
      if (rests()) {
        this.#onChange();
      }
    });
    clearTimeout(this.#timer);
    this.#over = undefined;
    forget();
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = rests() ? undefined : setTimeout(() => this.#over?.(), ms);
  }

  #changed(): void {
    if (rests()) {
      clearTimeout(this.#timer);
    } else {
      this.#longest = 0;
      this.#over?.();
    }
    this.#onChange();
  }

  /** Something waits for the next attempt: it begins at once, unless the last one was just now. */
  hurry(): void {
    this.#longest = Math.min(this.#longest, waitedForMs);
    if (this.#over !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#over?.(), Math.max(0, this.#began + this.#part * this.#longest - performance.now()));
    }
  }

  /** Ends a pause. */
  end(): void {
    this.#over?.();
  }
}
