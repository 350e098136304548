// Clients and servers of MXP with Node's sockets.

export * from "./index.js";
export { listen, type Listener, socketTransports } from "./net/node.js";
