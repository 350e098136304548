// Peers that do as they like.
import net from "node:net";
import { type Config, defaultLimits } from "../src/session/config.js";
import { type Incoming, type SessionRequest, Session } from "../src/session/index.js";

/** A session on a socket, whose user is a test. */
export class Raw {
  readonly socket: net.Socket;
  readonly session: Session;
  readonly told: Incoming[] = [];
  #waits: (() => void)[] = [];
  #isGone = false;

  constructor(socket: net.Socket, role: Config["role"], config: Partial<Config> = {}) {
    this.socket = socket;
    const limits = { ...defaultLimits, inFlight: 1 << 20, inFlightBytes: 1 << 30, queueBytes: 1 << 30, bulkBytes: 1 << 30, ping: 0n };
    this.session = new Session({ role, offerChecksumOff: true, limits, ...config }, 0n);
    socket.on("error", () => undefined);
    socket.on("data", (piece: Buffer) => this.#take(new Uint8Array(piece)));
    socket.on("close", () => {
      this.#isGone = true;
      this.#wake();
    });
    this.flush();
  }

  /** Connects to the socket of an address. */
  static dial(address: string, config: Partial<Config> = {}): Raw {
    return new Raw(net.connect(address.replace("mxp+unix://", "")), "opener", config);
  }

  /** Sends what the session has made. */
  flush(): void {
    const bytes = this.session.poll(Number.MAX_SAFE_INTEGER, 0n);
    if (bytes !== undefined) {
      this.socket.write(bytes);
    }
  }

  /** Waits until something holds; throws if the connection is gone before, or if that takes too long. */
  async until(holds: () => boolean): Promise<void> {
    const late = performance.now() + 10_000;
    while (!holds()) {
      if (this.#isGone || performance.now() > late) {
        throw new Error(`it does not come: ${this.told.map(({ kind }) => kind).join(" ")}`);
      }
      await new Promise<void>((resolve) => {
        this.#waits.push(resolve);
        setTimeout(resolve, 100).unref();
      });
    }
  }

  has(kind: Incoming["kind"], is: (one: Incoming) => boolean = () => true): boolean {
    return this.told.some((one) => one.kind === kind && is(one));
  }

  #take(piece: Uint8Array): void {
    const rest = { bytes: piece };
    for (let one = this.session.receive(rest, 0n); one !== undefined; one = this.session.receive(rest, 0n)) {
      this.told.push(one);
    }
    this.flush();
    this.#wake();
  }

  #wake(): void {
    this.#waits.splice(0).forEach((resolve) => resolve());
  }
}

/** A request of a method of the first service. */
export const request = (method: number): SessionRequest => ({ service: 0, method, deadline: 0n, trace: null, metadata: [] });
