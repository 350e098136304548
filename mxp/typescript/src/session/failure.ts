import { type FrameRefusal, frameRefusals } from "../frame/index.js";
import { Status } from "../control/mxp_control.js";
import { type SessionRefusal, sessionRefusals } from "./spec_gen.js";

export { Status };

/** The name of a refusal that ends a session, or of one that a request ends with. */
export type RefusalName = FrameRefusal | SessionRefusal;

function entryOf(name: RefusalName): readonly [number: number, status: number] {
  return (sessionRefusals as Readonly<Record<string, readonly [number, number]>>)[name] ?? frameRefusals[name as FrameRefusal];
}

/** The number of a refusal. */
export function numberOf(name: RefusalName): number {
  return entryOf(name)[0];
}

/** The status that a peer is told of a refusal. */
export function statusOf(name: RefusalName): number {
  return entryOf(name)[1];
}

/** A call of the user's that is refused, and has changed nothing [MXP-5.9]. */
export class Refusal extends Error {
  readonly code: SessionRefusal;
  /** The details beside the name. */
  readonly text: string;

  constructor(code: SessionRefusal, text = "") {
    super(text === "" ? code : `${code}: ${text}`);
    this.name = "Refusal";
    this.code = code;
    this.text = text;
  }
}

/** Why a request, or the session, ended. */
export interface Failure {
  readonly status: number;
  /** The name of a refusal or a limit, or a name that the peer's user chose. */
  readonly name: string;
  readonly text: string;
  readonly details: Uint8Array;
  /** Whether the peer may have acted on the request [MXP-7.4]. */
  readonly acted: boolean;
}

/** A failure of which most is nothing. */
export function failureOf(status: number, name: string, more: Partial<Failure> = {}): Failure {
  return { status, name, text: "", details: new Uint8Array(0), acted: false, ...more };
}

const statusNames = new Map<number, string>(Object.entries(Status).map(([name, number]) => [number, name]));

/** The name of a status; undefined for numbers that have none. */
export function statusName(status: number): string | undefined {
  return statusNames.get(status);
}
