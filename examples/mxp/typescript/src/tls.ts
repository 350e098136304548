import { readFileSync } from "node:fs";

/** The TLS of a server: its certificate and key. */
export function serverTls(): { tls?: { cert: Buffer; key: Buffer } } {
  const { MXP_DEMO_CERTIFICATE: certificate, MXP_DEMO_KEY: key } = process.env;
  return certificate === undefined || key === undefined ? {} : { tls: { cert: readFileSync(certificate), key: readFileSync(key) } };
}

/** The TLS of a client: the authority that it trusts. */
export function clientTls(): { tls?: { ca: Buffer } } {
  const { MXP_DEMO_AUTHORITY: authority } = process.env;
  return authority === undefined ? {} : { tls: { ca: readFileSync(authority) } };
}
