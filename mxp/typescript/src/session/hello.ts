import { decodeHello, encodeHello, type Hello } from "../control/mxp_control.js";
import { FrameType } from "../frame/index.js";
import { payloadBytes } from "../frame/spec_gen.js";
import { fail } from "./ending.js";
import { farewell } from "./request.js";
import { compare, layoutHash, sendLayouts, servicesMax, takeLayouts } from "./schema.js";
import { type State, textBytes } from "./state.js";
import { failPayload } from "./handle.js";

const version = 1;
const offerChecksumOff = 1;
const offerBatches = 2;

const utf8 = new TextEncoder();
const scratch = new Uint8Array(1 << 10);

/** How many bytes a text has in UTF-8. A Hello has many, of which each would be memory of its own. */
function utf8Bytes(text: string): number {
  return text.length * 3 <= scratch.length ? utf8.encodeInto(text, scratch).written : utf8.encode(text).length;
}

/** Sends Hello [MXP-6.1]. */
export function greet(s: State, now: bigint): void {
  const { offerChecksumOff: off = false, offerBatches: batches = false, services = [], types = [] } = s.config;
  const said: Hello = {
    version,
    payloadBytes: s.payloadBytes,
    offers: (off ? offerChecksumOff : 0) | (batches ? offerBatches : 0),
    services: services.map((name) => ({ name })),
    types: types.map((type) => ({ name: type.name, fingerprints: new BigUint64Array(type.fingerprints), layout: layoutHash(type) })),
  };
  s.send({ type: FrameType.Hello }, encodeHello(said), now);
}

/** Takes the peer's Hello [MXP-6.3 to MXP-6.7]. */
export function hello(s: State, payload: Uint8Array, now: bigint): void {
  if (s.phase === "comparing") {
    if (takeLayouts(s, payload, now)) {
      greeted(s, now);
    }
    return;
  }
  let said: Hello;
  try {
    said = decodeHello(payload);
  } catch (error) {
    failPayload(s, error, now);
    return;
  }
  if (said.version < version) {
    fail(s, "session_version", now);
    return;
  }
  s.accepts = Math.min(said.payloadBytes, payloadBytes);
  s.services = said.services.slice(0, servicesMax).map(({ name }) => name);
  s.texts = s.services.reduce((n, name) => n + utf8Bytes(name) + textBytes, 0);
  compare(s, said.types);
  if (s.config.offerChecksumOff === true) {
    s.reader.setChecksum(false);
    s.checksum = (said.offers & offerChecksumOff) === 0;
  }
  s.batches = s.config.offerBatches === true && (said.offers & offerBatches) !== 0;
  if (s.clashes.length > 0) {
    s.phase = "comparing";
    sendLayouts(s, now);
    return;
  }
  greeted(s, now);
}

/** Makes the session ready. */
function greeted(s: State, now: bigint): void {
  s.phase = "ready";
  s.tell({ kind: "ready", services: s.services });
  if (s.leaving !== undefined) {
    farewell(s, s.leaving, now);
  }
}
