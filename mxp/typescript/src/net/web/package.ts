import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { Status } from "../../session/index.js";
import type { WebSocketLike } from "../websocket.js";
import { DialError } from "../wire.js";

/** A WebSocket of the package ws. */
export interface WsSocket extends WebSocketLike {
  on(event: string, listener: (...values: never[]) => void): unknown;
}

/** The used parts of the package ws. */
export interface WsPackage {
  readonly WebSocket: new (url: string, protocols: string[], options: object) => WsSocket;
  readonly WebSocketServer: new (options: object) => {
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, callback: (socket: WebSocketLike) => void): void;
  };
}

/** Loads the package ws: that beside this one, or that of the program, where it has this one by a link. Undefined where there is none. */
async function findPackage(): Promise<WsPackage | undefined> {
  const name: string = "ws"; // which need not be there to compile this
  try {
    return (await import(name)) as WsPackage;
  } catch {
    try {
      return createRequire(process.argv[1] ?? join(process.cwd(), "program.js"))(name) as WsPackage;
    } catch {
      return undefined;
    }
  }
}

let loading: Promise<WsPackage | undefined> | undefined;

/** The package ws, if it is installed. */
export function optionalWs(): Promise<WsPackage | undefined> {
  loading ??= findPackage();
  return loading;
}

/** The package ws; rejects with instructions where it is not installed. */
export async function neededWs(): Promise<WsPackage> {
  const ws = await optionalWs();
  if (ws === undefined) {
    throw new DialError(Status.FailedPrecondition, "WebSockets need the package ws here: npm install ws");
  }
  return ws;
}
