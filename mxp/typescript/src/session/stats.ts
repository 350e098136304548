import { frameNames, frameRefusals, FrameType } from "../frame/index.js";
import { sum } from "./exchange.js";
import { numberOf, type RefusalName } from "./failure.js";
import { sessionRefusals } from "./spec_gen.js";

/** How many powers of two the histogram has. */
const buckets = 26;

type Direction = "in" | "out";

interface Traffic {
  frames: number;
  bytes: number;
}

/** The gauges of a moment. */
export interface Gauges {
  inFlightHere: number;
  inFlightPeer: number;
  queueBytes: number;
  queueFrames: number;
  heldBytes: number;
}

/** The counters of a session. */
export class Stats {
  /** Frames and their bytes, by direction and type. */
  readonly #traffic: Readonly<Record<Direction, Map<number, Traffic>>> = { in: new Map(), out: new Map() };
  /** Refusals that the peer was told or that ended the session. */
  readonly #refusals = new Map<RefusalName, number>();
  /** Events that were dropped [MXP-9.5], and frames that were late [MXP-5.7]. */
  dropped = 0;
  late = 0;
  /** Requests that a client has made again by its policy, and that it has not for want of budget [MXP-14.8]. A session makes none. */
  retries = 0;
  retriesOverBudget = 0;
  /** The number of times that a client has left out a connection for a while [MXP-14.10]. A session leaves out none. */
  outliers = 0;
  /** The times of answered calls: how many took at most 2^i microseconds, and how many took longer. */
  readonly #calls: number[] = new Array<number>(buckets + 1).fill(0);
  #time = 0n;

  frame(direction: Direction, type: number, bytes: number): void {
    this.#count(direction, type, 1, bytes);
  }

  #count(direction: Direction, type: number, frames: number, bytes: number): void {
    const table = this.#traffic[direction];
    const traffic = table.get(type) ?? { frames: 0, bytes: 0 };
    traffic.frames += frames;
    traffic.bytes += bytes;
    table.set(type, traffic);
  }

  /** Whether no frames but Hello and Error have come. */
  get isSilent(): boolean {
    return [...this.#traffic.in].every(([type, { frames }]) => frames === 0 || type === FrameType.Hello || type === FrameType.Error);
  }

  refusal(name: RefusalName, times = 1): void {
    this.#refusals.set(name, (this.#refusals.get(name) ?? 0) + times);
  }

  /** Counts a call that took so many microseconds. */
  took(us: bigint): void {
    const below = Number(us) - 1;
    const bucket = below < 1 ? 0 : below >= 2 ** 31 ? buckets : Math.min(32 - Math.clz32(below), buckets);
    this.#calls[bucket] = (this.#calls[bucket] as number) + 1;
    this.#time = sum(this.#time, us);
  }

  /** Adds the counters of others. */
  add(stats: Stats): void {
    for (const direction of ["in", "out"] as const) {
      for (const [type, { frames, bytes }] of stats.#traffic[direction]) {
        this.#count(direction, type, frames, bytes);
      }
    }
    for (const [name, times] of stats.#refusals) {
      this.refusal(name, times);
    }
    for (const [i, n] of stats.#calls.entries()) {
      this.#calls[i] = (this.#calls[i] as number) + n;
    }
    this.#time = sum(this.#time, stats.#time);
    this.dropped += stats.dropped;
    this.late += stats.late;
    this.retries += stats.retries;
    this.retriesOverBudget += stats.retriesOverBudget;
    this.outliers += stats.outliers;
  }

  /** The counters in the text format of Prometheus. */
  prometheus(now: Gauges): string {
    return [
      ...this.#lines("mxp_frames_total", (traffic) => traffic.frames),
      ...this.#lines("mxp_bytes_total", (traffic) => traffic.bytes),
      "# TYPE mxp_in_flight gauge",
      `mxp_in_flight{side="here"} ${now.inFlightHere}`,
      `mxp_in_flight{side="peer"} ${now.inFlightPeer}`,
      ...metric("mxp_queue_bytes", "gauge", now.queueBytes),
      ...metric("mxp_queue_frames", "gauge", now.queueFrames),
      ...metric("mxp_held_bytes", "gauge", now.heldBytes),
      "# TYPE mxp_refusals_total counter",
      ...this.#refused(),
      ...metric("mxp_events_dropped_total", "counter", this.dropped),
      ...metric("mxp_late_frames_total", "counter", this.late),
      ...metric("mxp_retries_total", "counter", this.retries),
      ...metric("mxp_retries_over_budget_total", "counter", this.retriesOverBudget),
      ...metric("mxp_outliers_total", "counter", this.outliers),
      ...metric("mxp_shm_fallbacks_total", "counter", 0),
      ...this.#latency(),
      "",
    ].join("\n");
  }

  #lines(name: string, measure: (traffic: Traffic) => number): string[] {
    const lines = [`# TYPE ${name} counter`];
    for (const direction of ["in", "out"] as const) {
      const table = [...this.#traffic[direction]].sort(([a], [b]) => a - b);
      lines.push(...table.map(([type, traffic]) => `${name}{direction="${direction}",type="${frameNames[type]}"} ${measure(traffic)}`));
    }
    return lines;
  }

  #refused(): string[] {
    const all = [...Object.keys(frameRefusals), ...Object.keys(sessionRefusals)] as RefusalName[];
    return all
      .filter((name) => (this.#refusals.get(name) ?? 0) > 0)
      .sort((a, b) => numberOf(a) - numberOf(b))
      .map((name) => `mxp_refusals_total{name="${name}"} ${this.#refusals.get(name)}`);
  }

  #latency(): string[] {
    const name = "mxp_call_seconds";
    const lines = [`# TYPE ${name} histogram`];
    let n = 0;
    for (let i = 0; i < buckets; i++) {
      n += this.#calls[i] as number;
      lines.push(`${name}_bucket{le="${seconds(BigInt(2 ** i))}"} ${n}`);
    }
    const all = n + (this.#calls[buckets] as number);
    return [...lines, `${name}_bucket{le="+Inf"} ${all}`, `${name}_sum ${seconds(this.#time)}`, `${name}_count ${all}`];
  }
}

/** So many microseconds in seconds. */
function seconds(us: bigint): string {
  return `${us / 1_000_000n}.${String(us % 1_000_000n).padStart(6, "0")}`;
}

function metric(name: string, kind: string, value: number): string[] {
  return [`# TYPE ${name} ${kind}`, `${name} ${value}`];
}
