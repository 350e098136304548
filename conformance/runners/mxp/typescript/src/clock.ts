// A clock of its own for a program: time passes only where advance lets it.

interface Timer {
  at: number; // microseconds
  readonly order: number;
  readonly everyUs: number | undefined;
  readonly run: () => void;
}

/** The number of the program's turns without a sign of life until it rests: one resolved promise may begin another. */
const turns = 3;

const immediate = globalThis.setImmediate;

/** The time and the timers of the program, in place of the system's. */
export class Clock {
  /** Microseconds since the beginning. */
  now = 0;
  readonly #timers = new Set<Timer>();
  #order = 0;
  /** Turns without a sign of life. */
  #quiet = 0;

  /** Takes the place of the system's clock and timers. */
  install(): void {
    const begin = (run: () => void, ms: number | undefined, repeats: boolean): Timer => {
      const us = Math.max(1, ms ?? 1) * 1000;
      const timer: Timer = { at: this.now + us, order: this.#order++, everyUs: repeats ? us : undefined, run };
      this.#timers.add(timer);
      return Object.assign(timer, { ref: () => timer, unref: () => timer });
    };
    const end = (timer: unknown): void => {
      this.#timers.delete(timer as Timer);
    };
    const place = globalThis as unknown as Record<string, unknown>;
    place["setTimeout"] = (run: () => void, ms?: number): Timer => begin(run, ms, false);
    place["setInterval"] = (run: () => void, ms?: number): Timer => begin(run, ms, true);
    place["clearTimeout"] = end;
    place["clearInterval"] = end;
    performance.now = () => this.now / 1000;
    Date.now = () => this.now / 1000;
    AbortSignal.timeout = (ms) => {
      const over = new AbortController();
      begin(() => over.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")), ms, false);
      return over.signal;
    };
  }

  /** Lets time pass until another, or, where something is said, no further. */
  async advance(until: number, isOver: () => boolean): Promise<void> {
    await this.rest();
    while (!isOver()) {
      const next = this.#next();
      if (next === undefined || next.at > until) {
        this.now = Math.max(this.now, until);
        return;
      }
      this.now = Math.max(this.now, next.at);
      if (next.everyUs === undefined) {
        this.#timers.delete(next);
      } else {
        next.at += next.everyUs;
      }
      next.run();
      await this.rest();
    }
  }

  /** Lets the program do what it can while no time passes. */
  async rest(): Promise<void> {
    for (this.#quiet = 0; this.#quiet < turns; ) {
      this.#quiet++;
      await new Promise((resolve) => immediate(resolve));
    }
  }

  /** Notes a sign of life. */
  stir(): void {
    this.#quiet = 0;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const one of this.#timers) {
      if (first === undefined || one.at < first.at || (one.at === first.at && one.order < first.order)) {
        first = one;
      }
    }
    return first;
  }
}
