// WebSockets that Node takes.
import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import type tls from "node:tls";
import { Status } from "../../session/index.js";
import { helloUs } from "../../session/spec_gen.js";
import { addressOf, hostPort, type Listener } from "../system.js";
import { closeMs, placeOf, protocol, SocketWire, type WebSocketLike } from "../websocket.js";
import { DialError, type Wire } from "../wire.js";
import { Admission, type AdmissionOptions, type Denial } from "./admission.js";
import { LowerSocket } from "./lower.js";
import { neededWs, type WsPackage } from "./package.js";

/** The options of a listener of WebSockets. */
export interface WebSocketListenOptions extends AdmissionOptions {
  /** The package ws, of a program that is bundled: `import * as ws from "ws"`. */
  readonly ws?: WsPackage;
  /** Says of handshakes of another's HTTP server whether that has TLS. */
  readonly secure?: boolean;
}

/** Takes handshakes: the listener of the event `upgrade` of an HTTP server. */
export type Handshakes = (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void;

const headerBytes = 16 << 10;
/** The longest message that ws is handed: longer messages come in pieces. */
const messageBytes = 1 << 20;
/** The time in which a refused socket has to end, in milliseconds. */
const partingMs = 1000;
const noBytes = Buffer.alloc(0);

/** A WebSocket of a server, which answers the peer's Close behind what it has still to say. */
class ServerWire extends SocketWire {
  readonly #lower: LowerSocket;

  constructor(socket: WebSocketLike, protects: boolean, lower: LowerSocket) {
    super(socket, protects);
    this.#lower = lower;
  }

  override end(): void {
    super.end();
    this.#lower.release();
  }
}

/**
 * Takes handshakes of an HTTP server that a program has already, and hands over the wires of admitted peers [MXP-19.5]:
 * `server.on("upgrade", await webSocketHandshakes(accept))`.
 */
export async function webSocketHandshakes(accept: (wire: Wire) => void, options: WebSocketListenOptions = {}): Promise<Handshakes> {
  const admission = new Admission(options);
  const { WebSocketServer } = options.ws ?? (await neededWs());
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: false, maxPayload: messageBytes, skipUTF8Validation: true, handleProtocols: () => protocol });
  return (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const { origin } = request.headers;
    const why = admission.refuse(request) ?? (admission.enter(origin) ? undefined : { status: 429, why: "this origin has too many connections" });
    if (why !== undefined) {
      refuse(socket, why);
      return;
    }
    let wire: ServerWire | undefined;
    const lower = new LowerSocket(socket, () => {
      wire?.peerCloses();
      setTimeout(() => lower.release(), closeMs).unref();
    });
    lower.once("close", () => admission.leave(origin));
    if (head.length > 0) {
      socket.unshift(head);
    }
    server.handleUpgrade(request, lower, noBytes, (websocket) => {
      wire = new ServerWire(websocket, options.secure === true, lower);
      accept(wire);
    });
  };
}

/** Answers a handshake that opens no WebSocket, and ends its connection. */
function refuse(socket: Duplex, { status, why }: Denial): void {
  const text = `${why}\n`;
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
  socket.resume(); // bytes that are not read would take the answer away
  setTimeout(() => socket.destroy(), partingMs).unref();
}

/** Listens on an address of `mxp+ws` or `mxp+wss`, by an HTTP server that has nothing else. */
export async function listenWeb(scheme: "ws" | "wss", place: string, accept: (wire: Wire) => void, options: { readonly tls?: tls.TlsOptions; readonly webSocket?: WebSocketListenOptions }): Promise<Listener> {
  const url = placeOf("ws:", place);
  const at = hostPort(place.split("/", 1)[0] ?? "");
  if (url === undefined || at === undefined) {
    throw new DialError(Status.InvalidArgument, `mxp+${scheme}://${place} is no address that can be listened on: it has no host, port and path`);
  }
  const { pathname } = new URL(url);
  const take = await webSocketHandshakes(accept, { ...options.webSocket, secure: scheme === "wss" });
  const limits = { maxHeaderSize: headerBytes, headersTimeout: helloUs / 1000, requestTimeout: helloUs / 1000, connectionsCheckingInterval: 1000, requireHostHeader: false };
  const server = scheme === "ws"
    ? http.createServer(limits)
    : https.createServer({ ...options.tls, ...limits, handshakeTimeout: helloUs / 1000, ALPNProtocols: ["http/1.1"] } as https.ServerOptions);
  const isHere = (request: http.IncomingMessage): boolean => request.url?.split("?", 1)[0] === pathname;
  server.on("request", (request, response) => {
    response.writeHead(isHere(request) ? 426 : 404, { connection: "close", ...(isHere(request) ? { upgrade: "websocket" } : {}) }).end();
  });
  server.on("upgrade", (request, socket, head) => {
    if (isHere(request)) {
      take(request, socket, head);
    } else {
      refuse(socket, { status: 404, why: "there is nothing here" });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(at, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  return {
    address: addressOf(scheme, at.host, server.address(), pathname),
    close: () => {
      server.close();
      server.closeAllConnections(); // those that have asked for nothing yet
    },
  };
}
