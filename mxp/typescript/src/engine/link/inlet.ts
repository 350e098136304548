import type { Incoming, Session } from "../../session/index.js";
import { joined, nothing, own } from "../bytes.js";
import { allowedInTurn, type Pace } from "../pace.js";

/** The bytes of a frame that comes, from which on handling it takes long. */
const muchBytes = 64 << 10;

/** The owner of an inlet. */
export interface InletOwner {
  readonly session: Session;
  readonly driver: { readonly pace: Pace };
  /** Microseconds of the session's clock. */
  now(): bigint;
  /** Does what the session tells. */
  handle(incoming: Incoming): void;
  /** So many of the read bytes are left. */
  bound(rest: number): void;
  /** More was handled in a turn of its own. */
  update(): void;
}

/** Gives a session what was read, in turns: what one turn has no time for waits behind what other connections have. */
export class Inlet {
  readonly #owner: InletOwner;
  #left: Uint8Array = nothing;
  #isHandling = false;
  #waits = false;
  #isClosed = false;
  #then: (() => void) | undefined;

  constructor(owner: InletOwner) {
    this.#owner = owner;
  }

  /** How many of the read bytes are left. */
  get left(): number {
    return this.#left.length;
  }

  /** Takes a piece; or nothing, to try again what is left. */
  take(piece: Uint8Array): void {
    if (this.#isHandling) {
      return; // something that was handled lets go of bytes: they are looked at in the end
    }
    const hadLeft = this.#left.length > 0;
    this.#left = hadLeft ? joined(this.#left, piece) : piece;
    if (this.#waits) {
      this.#owner.bound(this.#left.length);
    } else {
      this.#handle(this.#owner.driver.pace.allowed(!hadLeft && this.#owner.session.reading < muchBytes));
    }
  }

  /** Does something when no turn is waited for any more; says whether one is. */
  after(run: () => void): boolean {
    this.#then = this.#waits ? run : undefined;
    return this.#waits;
  }

  close(): void {
    this.#isClosed = true;
    this.#left = nothing;
  }

  #handle(most: number): void {
    const rest = { bytes: this.#left };
    const before = rest.bytes.length;
    const now = this.#owner.now();
    let handled = 0;
    this.#isHandling = true;
    for (; handled < most; handled++) {
      const incoming = this.#owner.session.receive(rest, now);
      if (incoming === undefined) {
        break;
      }
      this.#owner.handle(incoming);
    }
    this.#isHandling = false;
    this.#owner.driver.pace.spent(handled, before - rest.bytes.length);
    this.#left = rest.bytes.length === 0 ? nothing : own(rest.bytes);
    if (handled === most && this.#left.length > 0) {
      this.#waits = true;
      this.#owner.driver.pace.readLater(() => this.#goOn());
    }
    this.#owner.bound(this.#left.length);
  }

  #goOn(): void {
    this.#waits = false;
    if (this.#isClosed) {
      return;
    }
    this.#handle(allowedInTurn);
    this.#owner.update();
    if (!this.#waits) {
      this.#then?.();
    }
  }
}
