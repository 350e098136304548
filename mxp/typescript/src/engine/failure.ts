import { type Failure, failureOf, Refusal, type RefusalName, Status, statusName, statusOf } from "../session/index.js";
import { failureTextBytes } from "../session/spec_gen.js";
import { nothing } from "./bytes.js";

/** The details of a failure beside the details that a session tells. */
export interface FailureDetails {
  readonly text?: string;
  readonly details?: Uint8Array;
  /** Whether the peer may have acted on the request; it may, where nothing is said. */
  readonly acted?: boolean;
  /** The full name of the service, a slash and the method's name. */
  readonly method?: string;
  readonly peer?: string;
}

/**
 * Why a request has failed. A handler throws one to answer with it: status, code, text and details are
 * told as they are. Any other error is told with the status Unknown.
 */
export class MxpError extends Error {
  /** One of gRPC's numbers. */
  readonly status: number;
  /** The name of a refusal, or a name that the handler chose. */
  readonly code: string;
  readonly text: string;
  readonly details: Uint8Array;
  /** Whether somebody may have acted on the request [MXP-7.4]. */
  readonly acted: boolean;
  readonly method: string;
  readonly peer: string;

  constructor(status: number, code: string, more: FailureDetails = {}) {
    const { text = "", details = new Uint8Array(0), acted = true, method = "", peer = "" } = more;
    super(lineOf(status, code, text, acted, method, peer));
    this.name = "MxpError";
    this.status = status;
    this.code = code;
    this.text = text;
    this.details = details;
    this.acted = acted;
    this.method = method;
    this.peer = peer;
  }

  /** The same, of a request at a peer, unless it is known to be another's. */
  of(method: string, peer: string): MxpError {
    return this.method !== "" || this.peer !== "" ? this : new MxpError(this.status, this.code, { ...this, method, peer });
  }
}

/** The failure in one line, in the words that all languages have for it. Unknown parts are left out. */
function lineOf(status: number, code: string, text: string, acted: boolean, method: string, peer: string): string {
  const where = [method, peer].filter((part) => part !== "").join(" at ");
  const names = code === "" || text.startsWith(code) ? text : text === "" ? code : `${code}: ${text}`;
  const end = method === "" ? "" : acted ? "; it may have been acted on" : "; it was not acted on";
  return `${where === "" ? "" : `${where}: `}${statusName(status) ?? "Status"} (${status})${names === "" ? "" : ` ${names}`}${end}`;
}

/** The error of a failure that a session has told. */
export function errorOf(f: Failure): MxpError {
  return new MxpError(f.status, f.name, { text: f.text, details: f.details.slice(), acted: f.acted });
}

/** An error of a refusal of this side's, on which nobody has acted. */
export function refusalError(name: RefusalName, text = "", acted = false): MxpError {
  return new MxpError(statusOf(name), name, { text, acted });
}

/** A thrown value as an error that can be told. */
export function toError(error: unknown): MxpError {
  if (error instanceof MxpError) {
    return error;
  }
  if (error instanceof Refusal) {
    return refusalError(error.code, error.text);
  }
  return new MxpError(Status.Unknown, "unknown", { text: error instanceof Error ? error.message : String(error) });
}

/** Does something about a request that may have ended. */
export function attempt(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
  }
}

/** An error as a session is told it. */
export function failureFrom(error: MxpError): Failure {
  const text = new TextEncoder().encode(error.text);
  const cut = text.length <= failureTextBytes ? error.text : new TextDecoder().decode(text.subarray(0, failureTextBytes)).replace(/\ufffd$/, "");
  return failureOf(error.status, error.code, { text: cut, details: error.details, acted: error.acted });
}

/** Tells a failure, without details and a text that the peer does not take. */
export function tell(failure: Failure, fail: (failure: Failure) => void): void {
  for (const less of [{}, { details: nothing }, { details: nothing, text: "" }]) {
    try {
      return fail({ ...failure, ...less });
    } catch (error) {
      if (!(error instanceof Refusal && error.code === "payload_too_large")) {
        throw error;
      }
    }
  }
}

/** An error of bytes that can't be decoded, or of a value that can't be encoded [MXP-13.4]; undefined for other errors. */
export function codecError(error: unknown, status: number, acted: boolean): MxpError | undefined {
  const { code, offset, path, detail } = error as { code?: unknown; offset?: unknown; path?: unknown; detail?: unknown };
  if (typeof code !== "string" || typeof offset !== "number" || typeof path !== "string") {
    return undefined;
  }
  const text = [offset < 0 ? "" : `at byte ${offset}`, path, typeof detail === "string" ? detail : ""].filter((part) => part !== "").join(": ");
  return new MxpError(status, code, { text, acted });
}
