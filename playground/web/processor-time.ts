// Processor time of a run. No browser tells it, so it is estimated: another worker measures
// now and then which part of the time on the clock it gets, which the compiler's gets, too.

import type { FromWorker, ToWorker } from "./protocol.ts";

/** stepMilliseconds is how long the run goes on between two measurements, at most a quarter of its limit. */
const stepMilliseconds = 400;

/** mostOfStep is how much of the clock counts between two measurements: the machine may have slept. */
const mostOfStep = 3;

/** leastShare bounds how much longer than its limit a run may take. */
const leastShare = 1 / 16;

/** ProcessorTime calls a function as soon as a run, which begins now, has had the time that it may. */
export class ProcessorTime {
  private stopped = false;
  private used = 0;
  private readonly step: number;

  constructor(
    private readonly share: () => Promise<number>,
    private readonly limitMilliseconds: number,
    private readonly isOver: () => void,
  ) {
    this.step = Math.min(stepMilliseconds, limitMilliseconds / 4);
    void this.follow();
  }

  stop(): void {
    this.stopped = true;
  }

  private async follow(): Promise<void> {
    let before = performance.now();
    while (this.used < this.limitMilliseconds) {
      await new Promise((resolve) => setTimeout(resolve, this.step));
      if (this.stopped) return;
      const share = await this.share();
      if (this.stopped) return;
      const now = performance.now();
      this.used += Math.min(now - before, mostOfStep * this.step) * Math.min(1, Math.max(leastShare, share));
      before = now;
    }
    this.isOver();
  }
}

/** windows are the pieces of a measurement, each of which goes on for so long on the clock. */
const windows = 20;
const windowMilliseconds = 2;

/**
 * measureShare works for some 40 ms of a processor's time, in short windows, of which most are
 * not interrupted where the machine is busy, and compares all of them with those.
 */
export function measureShare(): number {
  const rates: number[] = [];
  let all = 0;
  const begun = performance.now();
  for (let i = 0; i < windows; i++) {
    const from = performance.now();
    let passed = 0;
    let rounds = 0;
    for (let mixed = 1; passed < windowMilliseconds; rounds++) {
      for (let n = 0; n < 1000; n++) mixed = (mixed * 1_664_525 + 1_013_904_223) | 0;
      passed = mixed === 0.5 ? 0 : performance.now() - from; // the work is not left out, as its result is looked at
    }
    rates.push(rounds / passed);
    all += rounds;
  }
  rates.sort((a, b) => a - b);
  const undisturbed = rates[Math.floor(rates.length * 0.75)]!;
  return all / (performance.now() - begun) / undisturbed;
}

/** MeasuringPort is the used part of the measuring worker. */
export interface MeasuringPort {
  postMessage(message: ToWorker): void;
  onmessage: ((event: { data: FromWorker }) => void) | null;
  onerror: (() => void) | null;
}

/** Measuring is a worker that measures its share, and is begun when it is asked the first time. */
export class Measuring {
  private port: MeasuringPort | undefined;

  constructor(private readonly spawn: () => MeasuringPort) {}

  /** share is 1 where no worker can be begun: then the time on the clock counts. */
  readonly share = (): Promise<number> => {
    this.port ??= this.spawn();
    const { port } = this;
    return new Promise((resolve) => {
      port.onmessage = ({ data }) => resolve("share" in data ? data.share : 1);
      port.onerror = () => resolve(1);
      port.postMessage({ measure: true });
    });
  };
}
