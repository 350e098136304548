// Sockets of Node: the transports `unix`, `tcp`, `tls`, `ws` and `wss`, for clients and servers.

import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, type Stats, unlinkSync, writeSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import { dirname, join } from "node:path";
import tls from "node:tls";
import { Status } from "../session/index.js";
import { setMachineBytes } from "./memory.js";
import { addressOf, hostPort, type Listener, statusOf } from "./system.js";
import { nodeWebSockets } from "./web/dial.js";
import { listenWeb, type WebSocketListenOptions } from "./web/listen.js";
import type { WebSocketOptions } from "./websocket.js";
import { DialError, type Transport, type Transports, type Wire, type WireOwner } from "./wire.js";

setMachineBytes(Math.min(os.totalmem(), ...bounds(process.constrainedMemory?.())));

/** The memory of the program's control group, where there is a bound. */
function bounds(bytes: number | undefined): number[] {
  return bytes === undefined || bytes === 0 ? [] : [bytes];
}

/**
 * The transports of Node's sockets. Without options of TLS `tls` is refused, and `wss` trusts the certificates that
 * Node trusts. `ws` and `wss` need the package ws where Node has no WebSocket of its own.
 */
export function socketTransports(options: { readonly tls?: tls.ConnectionOptions; readonly webSocket?: WebSocketOptions } = {}): Transports {
  return {
    ...nodeWebSockets({ ...options.webSocket, ...(options.tls === undefined ? {} : { tls: options.tls }) }),
    unix: { dial: (place, signal) => (place.startsWith("/") ? connect(() => net.connect({ path: place, allowHalfOpen: true }), "connect", true, signal) : noPlace("an absolute path")) },
    tcp: hosts((host, port, signal) => connect(() => net.connect({ host, port, noDelay: true, allowHalfOpen: true }), "connect", false, signal)),
    tls: hosts((host, port, signal) =>
      options.tls === undefined
        ? Promise.reject(new DialError(Status.FailedPrecondition, "TLS is not configured"))
        : connect(() => tls.connect({ host, port, servername: net.isIP(host) === 0 ? host : "", ...options.tls, minVersion: "TLSv1.3" }), "secureConnect", true, signal)),
  };
}

function noPlace(form: string): Promise<never> {
  return Promise.reject(new DialError(Status.InvalidArgument, `the place must be ${form}`));
}

function hosts(dial: (host: string, port: number, signal: AbortSignal) => Promise<Wire>): Transport {
  return {
    dial(place, signal) {
      const at = hostPort(place);
      return at === undefined ? noPlace("a host, a colon and a port") : dial(at.host, at.port, signal);
    },
  };
}

function connect(make: () => net.Socket, event: "connect" | "secureConnect", protects: boolean, signal: AbortSignal): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = make();
    const fail = (error: NodeJS.ErrnoException): void => {
      socket.destroy();
      reject(new DialError(statusOf(error), error.message));
    };
    const aborted = (): void => fail(new Error("the attempt was given up"));
    signal.addEventListener("abort", aborted);
    socket.once("error", fail);
    socket.once(event, () => {
      signal.removeEventListener("abort", aborted);
      socket.removeListener("error", fail);
      resolve(new NodeWire(socket, protects));
    });
  });
}

/** How many bytes a socket is given at once: it says that it has taken bytes when it has taken all of them. */
const pieceBytes = 64 << 10;

const nothing = new Uint8Array(0);

/** The handle by which Node reads a socket, where there is one. Node has no name for it. */
interface Handle {
  readonly fd?: number;
  readonly reading?: boolean;
  readStop?(): number;
  readStart?(): number;
}

class NodeWire implements Wire {
  readonly protects: boolean;
  readonly #socket: net.Socket;
  /** The pieces that wait for room in the socket. */
  readonly #waits: Uint8Array[] = [];
  #ends = false;
  /** Whether nothing is read, while Node goes by it that something is. */
  #isStopped = false;
  #owner: WireOwner | undefined;
  #cause = "the connection was closed";
  #status: number = Status.Unavailable;

  constructor(socket: net.Socket, protects: boolean) {
    this.protects = protects;
    this.#socket = socket;
    socket.on("error", (error: NodeJS.ErrnoException & { reason?: string }) => {
      this.#cause = error.reason ?? error.message;
      this.#status = statusOf(error); // TLS 1.3 refuses a client that is ready already
      this.#close(); // the event of that name may come when the peer closes, too
    });
  }

  start(owner: WireOwner): void {
    this.#owner = owner;
    const socket = this.#socket;
    socket.on("data", (piece: Buffer) => owner.bytes(new Uint8Array(piece.buffer, piece.byteOffset, piece.length))); // whose parts are made faster
    socket.on("drain", () => this.#drained());
    socket.on("end", () => owner.ended());
    socket.once("close", () => this.#close());
    if (socket.destroyed || socket.errored !== null) {
      queueMicrotask(() => this.#close());
    }
  }

  get #handle(): Handle | undefined {
    return (this.#socket as unknown as { readonly _handle?: Handle | null })._handle ?? undefined;
  }

  /** The bytes that a socket has read since it was paused: a piece, where it could not be stopped. */
  get ahead(): number {
    return this.#socket.readableLength;
  }

  /** Asks the system by writing no bytes, which Node has no name for: it refuses them where the peer is gone. A socket of TCP may be told so later. */
  get isHungUp(): boolean {
    const { fd = -1 } = this.#handle ?? {};
    if (fd < 0 || this.#ends) {
      return false;
    }
    try {
      writeSync(fd, nothing);
      return false;
    } catch (error) {
      return ["EPIPE", "ECONNRESET"].includes((error as NodeJS.ErrnoException).code ?? "");
    }
  }

  /** Says, once, that the connection is gone. */
  #close(): void {
    const owner = this.#owner;
    this.#owner = undefined;
    owner?.closed(this.#cause, this.#status);
  }

  write(bytes: Uint8Array): boolean {
    if (!this.#socket.writable) {
      return true;
    }
    this.#waits.push(bytes);
    return !this.#socket.writableNeedDrain && this.#give();
  }

  /** Gives the socket what waits, piece by piece; false if it has no room. */
  #give(): boolean {
    let room = true;
    for (let first = this.#waits[0]; first !== undefined && room; first = this.#waits[0]) {
      room = this.#socket.write(first.subarray(0, pieceBytes));
      if (first.length > pieceBytes) {
        this.#waits[0] = first.subarray(pieceBytes);
      } else {
        this.#waits.shift();
      }
    }
    return room;
  }

  #drained(): void {
    this.#owner?.moved();
    if (!this.#give()) {
      return;
    }
    if (this.#ends) {
      this.#socket.end();
    } else {
      this.#owner?.drained();
    }
  }

  /** Stops the socket, which would read a piece ahead by itself: a thousand that are paused would have 64 MiB so. */
  pause(): void {
    this.#socket.pause();
    const handle = this.#socket instanceof tls.TLSSocket ? undefined : this.#handle;
    if (handle?.reading === true && handle.readStart !== undefined) {
      this.#isStopped = handle.readStop?.() === 0;
    }
  }

  resume(): void {
    if (this.#isStopped && this.#handle?.reading === true) {
      this.#handle.readStart?.();
    }
    this.#isStopped = false;
    this.#socket.resume();
  }

  end(): void {
    this.#ends = true;
    if (this.#waits.length === 0) {
      this.#socket.end();
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** The options of a listener. */
export interface ListenOptions {
  /** The certificate and key of `tls` and `wss`. */
  readonly tls?: tls.TlsOptions;
  /** Says who may open WebSockets. */
  readonly webSocket?: WebSocketListenOptions;
}

/**
 * Listens on an address of `mxp+unix`, `mxp+tcp`, `mxp+tls`, `mxp+ws` or `mxp+wss`. A socket that is left of a program that is
 * gone is removed. Addresses of WebSockets need the package ws.
 */
export async function listen(address: string, accept: (wire: Wire) => void, options: ListenOptions = {}): Promise<Listener> {
  const [, web, webPlace] = /^mxp\+(wss?):\/\/(.+)$/s.exec(address) ?? [];
  if (web === "wss" && options.tls === undefined) {
    throw new DialError(Status.FailedPrecondition, "TLS is not configured");
  }
  if (webPlace !== undefined) {
    return listenWeb(web as "ws" | "wss", webPlace, accept, options);
  }
  const [, scheme, place] = /^mxp\+(unix|tcp|tls):\/\/(.+)$/s.exec(address) ?? [];
  const at = place === undefined ? undefined : scheme === "unix" ? (place.startsWith("/") ? { path: place } : undefined) : hostPort(place);
  if (scheme === undefined || at === undefined) {
    throw new DialError(Status.InvalidArgument, `${address} is no address that can be listened on`);
  }
  if (scheme === "tls" && options.tls === undefined) {
    throw new DialError(Status.FailedPrecondition, "TLS is not configured");
  }
  const server = scheme === "tls"
    ? tls.createServer({ ...options.tls, minVersion: "TLSv1.3", allowHalfOpen: true } as tls.TlsOptions, (socket) => accept(new NodeWire(socket, true)))
    : net.createServer({ allowHalfOpen: true, noDelay: scheme === "tcp" }, (socket) => accept(new NodeWire(socket, scheme === "unix")));
  if ("path" in at) {
    await removeLeftover(at.path);
  }
  // Node removes a file by the name that a socket was bound to, even if another program has made the file: the socket
  // is therefore bound to another name.
  const bindsTo = "path" in at ? { path: join(dirname(at.path), `.${randomBytes(4).toString("hex")}`) } : at;
  const mask = "path" in at ? process.umask(0o177) : undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(bindsTo, () => {
        server.removeListener("error", reject);
        resolve();
      });
    });
  } finally {
    if (mask !== undefined) {
      process.umask(mask);
    }
  }
  const file = "path" in at ? renamed(bindsTo as { path: string }, at) : undefined;
  return {
    address: "path" in at ? address : addressOf(scheme, at.host, server.address()),
    close: () => {
      if ("path" in at && file !== undefined) {
        removeSame(at.path, file); // before nobody listens on it: from then on it may be the next server's
      }
      server.close();
    },
  };
}

/** Gives a socket's file its name. */
function renamed(source: { readonly path: string }, target: { readonly path: string }): Stats {
  renameSync(source.path, target.path);
  return lstatSync(target.path);
}

/** Takes a file away, unless another has taken its place. */
function removeSame(path: string, file: Stats): void {
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now?.dev === file.dev && now.ino === file.ino) {
    unlinkSync(path);
  }
}

/** Removes a socket that nobody listens on. A file that is no socket stays, and is refused by the system. */
async function removeLeftover(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file?.isSocket() !== true) {
    return;
  }
  const refused = await new Promise<boolean>((resolve) => {
    const socket = net.connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
  if (refused) {
    removeSame(path, file);
  }
}
