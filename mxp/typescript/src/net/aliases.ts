// Names of 0.4, which go on for one more release.

import type { Request } from "../engine/request.js";
import type { ServerMethod } from "./server.js";
import type { BidiStream, ClientStream } from "./stub.js";

/** @deprecated Use `Request`. */
export type Asked = Request;

/** @deprecated Use `ServerMethod`. */
export type Served = ServerMethod;

/** @deprecated Use `ClientStream`. */
export type Upload<Q, A> = ClientStream<Q, A>;

/** @deprecated Use `BidiStream`. */
export type Duplex<Q, A> = BidiStream<Q, A>;
