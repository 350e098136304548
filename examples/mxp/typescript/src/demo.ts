import type { MethodName } from "mesh-exchange-protocol";

/** A method of demo.Echo by its number, since there is no schema that names it. */
export const method = (number: number): MethodName => ({ service: "demo.Echo", name: "", number, idempotent: false });

/** A call that gives the value back. */
export const echo = method(1);
/** A call that fails with the value as text. */
export const refuse = method(2);
/** A stream that gives each chunk back in upper case. */
export const upper = method(3);
/** An event that is counted. */
export const tick = method(4);
/** A call that gives how many events there were, in 8 bytes. */
export const count = method(5);

export const nothing = new Uint8Array(0);

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Aborts when the program is told to end. */
export const ended: AbortSignal = (() => {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => controller.abort());
  }
  return controller.signal;
})();
