import { own } from "../bytes.js";
import type { PeerRequest } from "../order.js";
import { allowedInTurn, type Pace } from "../pace.js";

type Events = Extract<PeerRequest, { kind: "events" }>;
type Event = Extract<PeerRequest, { kind: "event" }>;

/** The events of a batch, which begin one behind the other, in turns. The rest is dropped where its connection is to hold less [MXP-15.4] [MXP-15.5]. */
export class Batch {
  readonly #request: Events;
  readonly #load: { readonly drops: boolean; readonly overruns: boolean };
  readonly #pace: Pace;
  #place = 0;
  #left: number;
  /** How many have begun in this turn, and how many may. */
  #begun = 0;
  #most: number;
  /** How many were dropped, of a peer that is gone. */
  dropped = 0;

  constructor(request: Events, load: { readonly drops: boolean; readonly overruns: boolean }, pace: Pace) {
    this.#request = request;
    this.#load = load;
    this.#pace = pace;
    this.#left = request.values.length;
    this.#most = pace.allowed(true);
  }

  /** The next event that is to begin. */
  next(): Event | undefined {
    if (this.#left === 0 || this.#load.drops) {
      this.dropped = this.#load.overruns ? 0 : this.#left;
      this.#pace.spent(this.#begun, 0);
      return undefined;
    }
    const [value, next] = this.#request.values.at(this.#place);
    this.#place = next;
    this.#left--;
    this.#begun++;
    return { ...this.#request, kind: "event", ack: false, value: own(value) };
  }

  /** Whether others have their turns before it begins. */
  yields(): boolean {
    if (this.#begun <= this.#most) {
      return false;
    }
    this.#pace.spent(this.#most, 0);
    [this.#begun, this.#most] = [1, allowedInTurn];
    return true;
  }
}
