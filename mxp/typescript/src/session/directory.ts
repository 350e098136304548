import type { Agent, Lease, Query, Registration } from "../control/mxp_registry.js";
import { max, min, sum } from "./exchange.js";
import { Refusal } from "./failure.js";
import * as spec from "./spec_gen.js";

/** How many addresses and services an agent has at most. */
const agentAddresses = 16;
const agentServices = 64;

/** Bounds of a directory; times are in microseconds. */
export interface DirectoryLimits {
  readonly agents: number;
  readonly capabilities: number;
  readonly leaseMin: bigint;
  readonly leaseMax: bigint;
}

interface NameEntry {
  readonly owner: bigint;
  readonly registration: Registration;
  readonly lasts: bigint;
  readonly epoch: bigint;
  until: bigint;
}

/**
 * Keeps agents by their names, while their leases are live [MXP-12.1]. One directory serves all
 * sessions of a hub; an owner is a number that the hub has for each of them.
 */
export class Directory {
  readonly #limits: DirectoryLimits;
  readonly #agents = new Map<string, NameEntry>();
  #epoch = 0n;

  constructor(limits: Partial<DirectoryLimits> = {}) {
    this.#limits = {
      agents: spec.agents,
      capabilities: spec.agentCapabilities,
      leaseMin: BigInt(spec.leaseMinUs),
      leaseMax: BigInt(spec.leaseMaxUs),
      ...limits,
    };
  }

  /** Gives a name to an owner, and returns its lease [MXP-12.3]. */
  register(owner: bigint, r: Registration, now: bigint): Lease {
    const { capabilities, addresses = [], services = [] } = r;
    if (r.name === "" || !distinct(capabilities, this.#limits.capabilities) || !distinct(addresses, agentAddresses) || !distinct(services, agentServices)) {
      throw new Refusal("agent_invalid");
    }
    this.#expire(now);
    const held = this.#agents.get(r.name);
    if (held !== undefined && held.owner !== owner) {
      throw new Refusal("agent_taken");
    }
    if (held === undefined && this.#agents.size >= this.#limits.agents) {
      throw new Refusal("limit_agents");
    }
    const lasts = min(max(r.lease, this.#limits.leaseMin), this.#limits.leaseMax);
    this.#epoch++;
    this.#agents.set(r.name, { owner, registration: r, lasts, epoch: this.#epoch, until: sum(now, lasts) });
    return { lease: lasts, epoch: this.#epoch };
  }

  /** Renews a lease, whose epoch stays [MXP-12.4]. */
  heartbeat(owner: bigint, name: string, now: bigint): Lease {
    this.#expire(now);
    const held = this.#agents.get(name);
    if (held === undefined || held.owner !== owner) {
      throw new Refusal("agent_unknown");
    }
    held.until = sum(now, held.lasts);
    return { lease: held.lasts, epoch: held.epoch };
  }

  /** The agents that are all that a query says, in the order of their names [MXP-12.5]. */
  discover(q: Query, now: bigint): Agent[] {
    this.#expire(now);
    const utf8 = new TextEncoder();
    return [...this.#agents]
      .filter(([name, { registration: { capabilities, services = [] } }]) =>
        has(capabilities, q.capability) && has(services, q.service ?? "") && ((q.name ?? "") === "" || q.name === name))
      .map(([name, { registration: { capabilities, addresses = [], services = [] }, until, epoch }]) =>
        ({ name, capabilities, lease: until - now, addresses, services, epoch }))
      .sort((a, b) => compareBytes(utf8.encode(a.name), utf8.encode(b.name)));
  }

  /** Ends all leases of an owner, whose session has ended [MXP-12.6]. */
  release(owner: bigint): void {
    this.#drop((lease) => lease.owner === owner);
  }

  /** The earliest end of a lease; undefined if there is none. */
  get nextTimeout(): bigint | undefined {
    return [...this.#agents.values()].map(({ until }) => until).reduce<bigint | undefined>((a, b) => (a === undefined ? b : min(a, b)), undefined);
  }

  #expire(now: bigint): void {
    this.#drop((lease) => lease.until <= now);
  }

  #drop(is: (lease: NameEntry) => boolean): void {
    for (const [name, held] of this.#agents) {
      if (is(held)) {
        this.#agents.delete(name);
      }
    }
  }
}

/** Whether there are no more texts than can be, and none is empty or there twice. */
function distinct(texts: readonly string[], most: number): boolean {
  return texts.length <= most && !texts.includes("") && new Set(texts).size === texts.length;
}

/** Whether a text is there, or nothing is asked about. */
function has(texts: readonly string[], text: string): boolean {
  return text === "" || texts.includes(text);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) {
      return (a[i] as number) - (b[i] as number);
    }
  }
  return a.length - b.length;
}
