// Clients and servers of MXP with Node's sockets.

export * from "./index.js";
export { listen, type ListenOptions, socketTransports } from "./net/node.js";
export type { Listener } from "./net/system.js";
export type { AdmissionOptions } from "./net/web/admission.js";
export { type Handshakes, webSocketHandshakes, type WebSocketListenOptions } from "./net/web/listen.js";
export type { WsPackage, WsSocket } from "./net/web/package.js";
