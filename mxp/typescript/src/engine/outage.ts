import { type Failure, Status } from "../session/index.js";
import { MxpError, toError } from "./failure.js";

/** Why an attempt to connect has failed [MXP-14.2]. */
export class DialError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.name = "DialError";
    this.status = status;
  }
}

/** The error of an attempt that has failed, which names the address. Nobody has acted on it. */
export function outageOf(error: unknown, address: string): MxpError {
  if (error instanceof DialError) {
    return new MxpError(error.status, error.status === Status.InvalidArgument ? "address_invalid" : "not_connected", { text: `${address}: ${error.message}`, acted: false });
  }
  return error instanceof MxpError ? new MxpError(error.status, error.code, { ...error, acted: false, text: `${address}: ${error.text}` }) : toError(error);
}

/** Whether a later attempt may succeed where one has failed [MXP-14.3]. */
export function mayHeal(failure: { readonly status: number }): boolean {
  return failure.status === Status.Unavailable;
}

/** Why a session has ended before requests could be made [MXP-14.2]. */
export function beforeHello(end: Failure, cause: string, status: number): Failure {
  if (!isRefusal(end)) {
    return { ...end, status, name: "not_connected", text: cause };
  }
  if (end.status === Status.Unavailable) {
    return { ...end, name: "not_connected", text: `${end.name}${end.text === "" ? "" : `: ${end.text}`} before its Hello` };
  }
  return end.name === "frame_magic" ? { ...end, status: Status.FailedPrecondition, text: "the peer speaks another protocol than MXP, or has TLS where the address has none" } : end;
}

/** Whether a side has ended the session by a refusal: it is not just lost, or drained. */
export function isRefusal(end: Failure): boolean {
  return end.status !== Status.Ok && end.name !== "session_lost";
}
