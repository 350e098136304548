export { type Config, defaultLimits, type Limits, type Method, never, type Role, type TypeInfo } from "./config.js";
export { Directory, type DirectoryLimits } from "./directory.js";
export { type Failure, failureOf, Refusal, type RefusalName, Status, statusName, statusOf } from "./failure.js";
export type * from "./incoming.js";
export type { Full, SessionRequest } from "./request.js";
export type { Difference } from "./clash.js";
export { Values } from "./records.js";
export { Session } from "./session.js";
export { type SessionRefusal } from "./spec_gen.js";
