// Clients and servers of MXP. Parts that need Node's sockets are in node.ts.

export type { Asked, Duplex, Served, Upload } from "./net/aliases.js";
export { Client, type ClientOptions, type MethodName } from "./net/client.js";
export { MxpError } from "./engine/failure.js";
export { type PortLike, portWire } from "./net/port.js";
export { Health, type HealthMethods, type HealthReport, HealthReporter, type HealthRequest, HealthState, serveHealth } from "./net/provided/health.js";
export { type DescribedMethod, type DescribedService, type DescribedType, type DescribedValue, MethodKind, Reflection, type ReflectionMethods, serveReflection } from "./net/provided/reflection.js";
export type { Request, CallOptions, EventOptions, Interceptor, Metadatum, Reply, TraceContext } from "./net/request.js";
export type { Context } from "./net/handler_context.js";
export { type ServerMethod, Server, type ServerOptions } from "./net/server.js";
export type { RetryPolicy } from "./engine/retry.js";
export type { ClientState } from "./engine/state.js";
export type { RawStream } from "./net/streams.js";
export { type BidiStream, type Handlers, type Receiver, type Sender, serve, type Stub, stub, typesOf, type ClientStream } from "./net/stub.js";
export { SocketWire, type WebSocketClass, type WebSocketLike, type WebSocketOptions, webSocketTransports } from "./net/websocket.js";
export { DialError, type Transport, type Transports, type Wire, type WireOwner } from "./net/wire.js";
export { Status } from "./session/index.js";
