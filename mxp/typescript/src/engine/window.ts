import { subscriptionMessages } from "../session/spec_gen.js";

/** How much of a stream may be on its way to a reader who takes nothing: chunks, and bytes where nothing else is said. */
export const windowMessages = 16384;
export const windowBytes: number = 2 << 20;

/** The chunks of a service's streams: of events of the mesh few, since a node drops what is too much for a subscriber, and not its oldest where they are here [MESH-5.1]. */
export function messagesOf(service: string): number {
  return service === "mxp.mesh.Mesh" ? subscriptionMessages : windowMessages;
}
