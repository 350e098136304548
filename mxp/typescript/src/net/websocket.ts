import { Status } from "../session/index.js";
import { DialError, type Transport, type Transports, type Wire, type WireOwner } from "./wire.js";

/** The options of a connection by WebSocket. */
export interface WebSocketOptions {
  /** The token that the server asks for [MXP-19.5]. */
  readonly token?: string;
  /**
   * The class to be used instead of the global class, or where there is none: the class of the package ws, for
   * instance.
   */
  readonly WebSocket?: WebSocketClass;
}

/** The class WebSocket, as far as it is used. */
export interface WebSocketClass {
  new (url: string, protocols: string[]): WebSocketLike;
}

/** A WebSocket, as far as it is used. */
export interface WebSocketLike {
  binaryType: string;
  readonly protocol: string;
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  /** Sends a message. Classes that know call `callback` when it is written; browsers' classes do not. */
  send(data: Uint8Array, callback?: () => void): void;
  close(code?: number): void;
  /** Closes it without a word, where the class has that. */
  terminate?(): void;
  /** Reads nothing for now, and goes on, where the class has that. */
  pause?(): void;
  resume?(): void;
}

/** The subprotocol of connections of MXP, and what stands before a token in another [MXP-19.2] [MXP-19.5]. */
export const protocol = "mxp.1";
export const tokenPrefix = "mxp.token.";

/** How many bytes wait in a socket before it is taken to be full. */
const bufferedMax = 256 << 10;

/** The time between two looks at a full socket, in milliseconds: a browser does not say when there is room. */
const lookMs = 4;

/** The longest time that a side waits for the peer's Close, in milliseconds [MXP-19.4]. */
export const closeMs = 5000;

/** The transports `ws` and `wss` [MXP-19.1], for pages and for other programs with a class WebSocket. */
export function webSocketTransports(options: WebSocketOptions = {}): Transports {
  return { ws: transport("ws:", options), wss: transport("wss:", options) };
}

function transport(scheme: string, options: WebSocketOptions): Transport {
  return {
    dial(place, signal) {
      const made = options.WebSocket ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
      const url = placeOf(scheme, place);
      if (url === undefined) {
        return Promise.reject(new DialError(Status.InvalidArgument, "this is no place of a WebSocket"));
      }
      if (made === undefined) {
        return Promise.reject(new DialError(Status.FailedPrecondition, "there is no class WebSocket here: give one in the options"));
      }
      return open(new made(url, protocols(options.token)), scheme === "wss:", signal);
    },
  };
}

/** The URL of a place [MXP-19.1]; undefined for a text that is no place. */
export function placeOf(scheme: string, place: string): string | undefined {
  const url = URL.canParse(`${scheme}//${place}`) ? new URL(`${scheme}//${place}`) : undefined;
  return url === undefined || url.search !== "" || url.hash !== "" || url.username !== "" ? undefined : url.href;
}

/** The subprotocols that an opener asks for [MXP-19.2]. */
export function protocols(token: string | undefined): string[] {
  return token === undefined ? [protocol] : [protocol, tokenPrefix + token];
}

/** Waits until a WebSocket is open. `refusal` says why a handshake was refused, where the class tells it. */
export function open(socket: WebSocketLike, protects: boolean, signal: AbortSignal, refusal: () => DialError | undefined = () => undefined): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const fail = (status: number, text: string): void => {
      socket.onopen = socket.onclose = null;
      socket.onerror = (): void => undefined; // the package ws throws what nobody listens to
      signal.removeEventListener("abort", aborted);
      reject(new DialError(status, text));
    };
    const aborted = (): void => {
      fail(Status.Unavailable, "the attempt was given up");
      socket.close();
    };
    // A page is not told the status of a handshake that is refused. Node 22 says nothing behind the error.
    socket.onerror = socket.onclose = (): void => {
      const why = refusal();
      fail(why?.status ?? Status.Unavailable, why?.message ?? "the WebSocket could not be opened");
    };
    socket.onopen = (): void => {
      if (socket.protocol !== protocol) {
        fail(Status.FailedPrecondition, `the server does not speak ${protocol}`);
        socket.close();
        return;
      }
      signal.removeEventListener("abort", aborted);
      resolve(new SocketWire(socket, protects));
    };
    signal.addEventListener("abort", aborted);
  });
}

/** A WebSocket that is open, of a client or a server, as a wire [MXP-19.3]. */
export class SocketWire implements Wire {
  readonly protects: boolean;
  readonly #socket: WebSocketLike;
  readonly #early: Uint8Array[] = [];
  #owner: WireOwner | undefined;
  #peerCloses = false;
  #waiting = 0;
  #look: ReturnType<typeof setTimeout> | undefined;
  #closing: ReturnType<typeof setTimeout> | undefined;
  #gone = false;
  #cause = "";

  constructor(socket: WebSocketLike, protects: boolean) {
    this.protects = protects;
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: { data: unknown }): void => this.#came(event.data);
    socket.onclose = (event: { code?: number; reason?: string }): void => {
      if (event.code === 1000) {
        this.peerCloses();
      }
      this.#close(event.code === undefined ? "the WebSocket was closed" : `the WebSocket was closed with ${event.code}`);
    };
    socket.onerror = (): void => this.#waitForClose(); // `onclose` follows, once the peer has gone
  }

  /** Says that the peer sends nothing more, and is to be answered before its Close is [MXP-19.4]. */
  peerCloses(): void {
    if (!this.#peerCloses && !this.#gone) {
      this.#peerCloses = true;
      this.#owner?.ended();
    }
  }

  start(owner: WireOwner): void {
    queueMicrotask(() => { // the owner is not called from within its own call
      this.#owner = owner;
      for (const piece of this.#early.splice(0)) {
        owner.bytes(piece);
      }
      if (this.#peerCloses) {
        owner.ended();
      }
      if (this.#gone) {
        owner.closed(this.#cause);
      }
    });
  }

  #came(data: unknown): void {
    if (this.#gone) {
      return;
    }
    if (!(data instanceof ArrayBuffer)) {
      this.#refuseText();
      return;
    }
    const piece = new Uint8Array(data);
    if (this.#owner === undefined) {
      this.#early.push(piece);
    } else {
      this.#owner.bytes(piece);
    }
  }

  #refuseText(): void {
    try {
      this.#socket.close(1003);
    } catch {
      this.#socket.close(); // a page may not give this code
    }
    this.#close("the peer has sent a text message");
  }

  write(bytes: Uint8Array): boolean {
    if (this.#gone) {
      return true;
    }
    this.#socket.send(bytes, this.#sent);
    if (this.#socket.bufferedAmount < bufferedMax) {
      return true;
    }
    this.#waiting = this.#socket.bufferedAmount;
    this.#look ??= setTimeout(() => this.#lookAgain(), lookMs);
    return false;
  }

  readonly #sent = (): void => {
    if (this.#look !== undefined) {
      this.#lookAgain();
    }
  };

  #lookAgain(): void {
    clearTimeout(this.#look);
    this.#look = undefined;
    if (this.#gone) {
      return;
    }
    const waits = this.#socket.bufferedAmount;
    if (waits < bufferedMax) {
      this.#owner?.drained();
    } else {
      if (waits < this.#waiting) {
        this.#owner?.moved();
      }
      this.#waiting = waits;
      this.#look = setTimeout(() => this.#lookAgain(), lookMs);
    }
  }

  // A page can't keep a WebSocket from reading: what streams may bring is bounded by their credit.
  pause(): void {
    this.#socket.pause?.();
  }

  resume(): void {
    this.#socket.resume?.();
  }

  end(): void {
    this.#socket.resume?.(); // the peer's Close is waited for
    this.#socket.close(1000);
    this.#waitForClose();
  }

  #waitForClose(): void {
    this.#closing ??= setTimeout(() => this.destroy("the peer has not closed the WebSocket"), closeMs);
  }

  destroy(cause = "the WebSocket was closed"): void {
    if (this.#socket.terminate === undefined) {
      this.#socket.close();
    } else {
      this.#socket.terminate(); // a peer that reads nothing does not answer a Close
    }
    this.#close(cause);
  }

  #close(cause: string): void {
    clearTimeout(this.#look);
    clearTimeout(this.#closing);
    if (!this.#gone) {
      this.#gone = true;
      this.#cause = cause;
      this.#owner?.closed(cause);
    }
  }
}
