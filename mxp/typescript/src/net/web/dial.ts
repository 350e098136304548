// WebSockets that Node opens.
import type { ClientRequest, IncomingMessage } from "node:http";
import type tls from "node:tls";
import { Status } from "../../session/index.js";
import { statusOf } from "../system.js";
import { open, placeOf, protocols, type WebSocketOptions, webSocketTransports } from "../websocket.js";
import { DialError, type Transport, type Transports, type Wire } from "../wire.js";
import { optionalWs, type WsPackage } from "./package.js";

/** The longest text that is read of the answer to a handshake. */
const textMost = 256;

/**
 * The transports `ws` and `wss`, by the class of the options or the package ws, which says why a handshake is
 * refused, or else by the class of Node's own, which not all releases have.
 */
export function nodeWebSockets(options: WebSocketOptions & { readonly tls?: tls.ConnectionOptions } = {}): Transports {
  const others = webSocketTransports(options);
  const transport = (name: "ws" | "wss"): Transport => ({
    dial: async (place, signal) => {
      const ws = options.WebSocket === undefined ? await optionalWs() : undefined;
      if (ws !== undefined) {
        return dial(ws, `${name}:`, place, options, signal);
      }
      if (options.WebSocket === undefined && (globalThis as { WebSocket?: unknown }).WebSocket === undefined) {
        throw new DialError(Status.FailedPrecondition, "this release of Node has no WebSocket: npm install ws");
      }
      return (others[name] as Transport).dial(place, signal);
    },
  });
  return { ws: transport("ws"), wss: transport("wss") };
}

function dial({ WebSocket }: WsPackage, scheme: string, place: string, options: { readonly token?: string; readonly tls?: tls.ConnectionOptions }, signal: AbortSignal): Promise<Wire> {
  const url = placeOf(scheme, place);
  if (url === undefined) {
    return Promise.reject(new DialError(Status.InvalidArgument, "this is no place of a WebSocket"));
  }
  const socket = new WebSocket(url, protocols(options.token), { ...options.tls, perMessageDeflate: false, followRedirects: false, skipUTF8Validation: true });
  let why: DialError | undefined;
  socket.on("unexpected-response", (_: ClientRequest, answer: IncomingMessage) => {
    let text = "";
    const end = (): void => {
      why ??= handshakeFailure(answer, text.trim());
      socket.terminate?.();
    };
    answer.setEncoding("utf8").on("end", end).on("error", end).on("data", (piece: string) => {
      text = (text + piece).slice(0, textMost);
      if (text.length === textMost) {
        end();
      }
    });
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    why ??= new DialError(/subprotocol/.test(error.message) ? Status.FailedPrecondition : statusOf(error), error.message);
  });
  return open(socket, scheme === "wss:", signal, () => why);
}

/** The failure of a handshake that the server has answered otherwise [MXP-19.2]. */
function handshakeFailure({ statusCode = 0, statusMessage = "", headers }: IncomingMessage, text: string): DialError {
  const status = statusCode === 401 ? Status.Unauthenticated : statusCode === 403 ? Status.PermissionDenied : statusCode === 429 || statusCode >= 500 ? Status.Unavailable : Status.FailedPrecondition;
  const isText = headers["content-type"]?.startsWith("text/plain") === true && text !== "";
  return new DialError(status, `the server answers ${statusCode} ${statusMessage}${isText ? `: ${text}` : ""}`);
}
