// Hosts and origins of handshakes [MXP-19.5].
import net from "node:net";

/** A host without its port and brackets; one that has neither form as it is. */
export function bare(host: string): string {
  const [, name = host] = /^(.*):\d*$/s.exec(host) ?? [];
  if (name.startsWith("[")) {
    return name.endsWith("]") ? name.slice(1, -1) : host;
  }
  return name.includes(":") ? host : name;
}

/** Whether a host, with or without a port, is a literal loopback address, or a name that browsers take for one. */
export function isLoopback(host: string): boolean {
  const name = bare(host);
  const isBracketed = host.startsWith("[");
  if (net.isIP(name) !== 0) {
    return isBracketed ? net.isIPv6(name) && isOne(name) : net.isIPv4(name) && name.startsWith("127.");
  }
  return !isBracketed && /^(?:(?:[a-z0-9_-]+\.)+|)localhost$/i.test(name);
}

/** Whether an address of IPv6 is ::1, however it is written. */
function isOne(address: string): boolean {
  return URL.canParse(`http://[${address}]`) && new URL(`http://[${address}]`).hostname === "[::1]";
}

/** Whether an origin is one of pages of this machine, as browsers write it. */
export function isLoopbackOrigin(origin: string): boolean {
  const [, host] = /^https?:\/\/(.*)$/s.exec(origin) ?? [];
  return host !== undefined && isLoopback(host);
}
