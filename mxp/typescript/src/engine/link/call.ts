import type { MxpError } from "../failure.js";
import type { Reply } from "../request.js";

/** The waiter for the answer of a request. */
export interface Call {
  resolve(reply: Reply): void;
  reject(error: MxpError): void;
}

/** The requests of this side's that wait for their answers, by their ids. */
export class Calls extends Map<bigint, Call> {
  /** Takes out the call that an end belongs to. */
  take(id: bigint): Call | undefined {
    const call = this.get(id);
    this.delete(id);
    return call;
  }
}
