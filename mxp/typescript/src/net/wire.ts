import type { Wire } from "../engine/driver.js";

export type { Wire, WireOwner } from "../engine/driver.js";
export { DialError } from "../engine/outage.js";

/** A transport: makes wires to the places of its scheme [MXP-16.1]. */
export interface Transport {
  /** Connects; rejects with a DialError. The signal ends the attempt. */
  dial(place: string, signal: AbortSignal): Promise<Wire>;
}

/** The transports of addresses, by their schemes. */
export type Transports = Readonly<Record<string, Transport>>;

const address = /^mxp\+([a-z0-9]+):\/\/(.+)$/s;

/** The transport and the place of an address. Undefined for a text that is no address. */
export function transportOf(transports: Transports, text: string): { readonly transport: Transport; readonly place: string } | undefined {
  const [, scheme, place] = address.exec(text) ?? [];
  const transport = scheme !== undefined && Object.hasOwn(transports, scheme) ? transports[scheme] : undefined;
  return transport === undefined || place === undefined ? undefined : { transport, place };
}
