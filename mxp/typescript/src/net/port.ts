import type { Wire, WireOwner } from "./wire.js";

/** The used members of a MessagePort: of a worker, an iframe, or node:worker_threads. */
export interface PortLike {
  onmessage: ((event: never) => void) | null;
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  start?(): void;
  close(): void;
}

/** How many bytes may be on their way before the peer has said that it took them [MXP-20.3]. */
const windowBytes = 1 << 20;

/**
 * A wire of a MessagePort, whose other end must be given to portWire, too. Bytes are handed over
 * without a copy where they have a buffer of their own. Ports tell of no end of the other side:
 * sessions notice that it is gone by their Pings.
 */
export function portWire(port: PortLike): Wire {
  return new PortWire(port);
}

class PortWire implements Wire {
  // The bytes stay within the browser or the process.
  readonly protects: boolean = true;
  readonly #port: PortLike;
  #owner: WireOwner | undefined;
  #sent = 0;
  #full = false;
  #paused = false;
  #unsaid = 0;
  #gone = false;
  #ended = false;
  #peerEnded = false;

  constructor(port: PortLike) {
    this.#port = port;
  }

  start(owner: WireOwner): void {
    this.#owner = owner;
    this.#port.onmessage = (event: { data: unknown }): void => this.#came(event.data);
    this.#port.start?.();
  }

  /** Bytes; a number of bytes that the peer has taken; or null, which is the end of a direction [MXP-20.2]. */
  #came(data: unknown): void {
    if (this.#gone) {
      return;
    }
    if (data instanceof Uint8Array) {
      this.#unsaid += data.length;
      this.#owner?.bytes(data);
      this.#say();
    } else if (typeof data === "number" && Number.isInteger(data) && data > 0 && data <= this.#sent) {
      this.#sent -= data;
      if (this.#full && this.#sent < windowBytes) {
        this.#full = false;
        this.#owner?.drained();
      } else {
        this.#owner?.moved();
      }
    } else if (data === null) {
      this.#peerEnded = true;
      this.#owner?.ended();
      this.#closeWhenEnded();
    } else {
      this.#close("the peer has sent a message that is none");
    }
  }

  #say(): void {
    if (!this.#paused && this.#unsaid > 0 && !this.#gone) {
      this.#port.postMessage(this.#unsaid, []);
      this.#unsaid = 0;
    }
  }

  write(bytes: Uint8Array): boolean {
    if (this.#gone) {
      return true;
    }
    const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
    this.#sent += own.length;
    this.#port.postMessage(own, [own.buffer as ArrayBuffer]);
    this.#full = this.#sent >= windowBytes;
    return !this.#full;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#say();
  }

  end(): void {
    if (!this.#ended && !this.#gone) {
      this.#ended = true;
      this.#port.postMessage(null, []);
      this.#closeWhenEnded();
    }
  }

  #closeWhenEnded(): void {
    if (this.#ended && this.#peerEnded) {
      this.#close("the port was closed");
    }
  }

  destroy(): void {
    if (!this.#gone) {
      this.end();
      this.#close("the port was closed");
    }
  }

  #close(cause: string): void {
    if (!this.#gone) {
      this.#gone = true;
      this.#port.close();
      this.#owner?.closed(cause);
    }
  }
}
