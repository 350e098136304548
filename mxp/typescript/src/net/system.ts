// Parts that clients and servers in Node share.
import { Status } from "../session/index.js";

/** A listener on an address, which hands over a wire for each client. */
export interface Listener {
  /** The address that clients dial, with the port that the system has chosen. */
  readonly address: string;
  close(): void;
}

/** The host and port of a place. */
export function hostPort(place: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/?#[\]]+)):(\d{1,5})$/.exec(place) ?? [];
  const host = bracketed ?? plain;
  return host === undefined || Number(port) > 65535 ? undefined : { host, port: Number(port) };
}

/** An address, of the port that the system has chosen. */
export function addressOf(scheme: string, host: string, bound: { readonly port: number } | string | null, path = ""): string {
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return `mxp+${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
}

/** The status of an attempt that the system has ended [MXP-14.2]. EPROTO is of TLS, where Node was about to write. */
export function statusOf(error: NodeJS.ErrnoException): number {
  const code = error.code ?? "";
  const final = ["EACCES", "EPERM", "ENOTSOCK", "ENOTDIR", "ELOOP", "ENOTFOUND", "EPROTO"].includes(code) || code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || /CERT|ISSUER|SELF_SIGNED|UNABLE_TO/.test(code);
  return code === "ENAMETOOLONG" || code === "EINVAL" ? Status.InvalidArgument : final ? Status.FailedPrecondition : Status.Unavailable;
}
