import { decodeLayouts, encodeLayouts, Tolerance, type Type } from "../control/mxp_control.js";
import { FrameType } from "../frame/index.js";
import type { Method, TypeInfo } from "./config.js";
import { fail } from "./ending.js";
import { greeted, servicesMax } from "./hello.js";
import { isText, layoutOf } from "./layout.js";
import { unread } from "./reading.js";
import { failPayload } from "./receive.js";
import type { State } from "./state.js";

/** How many bytes the texts in Layouts have together at most. */
const layoutBytes = 64 << 10;

/** A type whose fingerprints are not compatible with those of the peer's type of the same name. */
export interface Clash {
  readonly type: TypeInfo;
  /** What is sent of its layout text. */
  text: string;
  /** Why this side does not read what the peer writes, and the reverse; or nothing. */
  inward: string;
  outward: string;
}

/** A method that is refused, since its request or its response is of a type that the two sides can't exchange. */
export interface Difference {
  readonly method: Method;
  /** Whether this side serves it; else the peer does. */
  readonly served: boolean;
  /** Where the types differ first. */
  readonly text: string;
}

/** The key of a method of this side's or of the peer's, by numbers. */
export function refusalKey(served: boolean, service: number, method: number): string {
  return `${served ? "here" : "peer"} ${service} ${method}`;
}

/** Finds the types that may mean different bytes on the two sides [MXP-6.5]. */
export function compare(s: State, theirs: readonly Type[]): void {
  const byName = new Map(theirs.map((one) => [one.name, one.fingerprints]));
  for (const type of s.config.types ?? []) {
    const other = byName.get(type.name);
    const n = Math.min(type.fingerprints.length, other?.length ?? 0);
    if (other !== undefined && type.fingerprints.slice(0, n).some((print, i) => print !== other[i])) {
      s.clashes.push({ type, text: "", inward: "", outward: "" });
    }
  }
}

/** What this side does about the types that clash. */
function toleranceOf(s: State): Tolerance {
  const isUnknown = s.clashes.some(({ type }) => type.requests.length + type.responses.length === 0);
  return isUnknown ? Tolerance.Layouts : Tolerance.Methods;
}

/** Takes texts as long as there is room for them; what has none is empty. */
function budget(): (text: string) => string {
  let left = layoutBytes;
  const utf8 = new TextEncoder();
  return (text) => {
    const n = utf8.encode(text).length;
    if (n > left) {
      return "";
    }
    left -= n;
    return text;
  };
}

/** Whether the peer may learn how a type is laid out: a service that either side serves reaches it, or nobody knows [MXP-6.5]. */
function concerns(type: TypeInfo, served: ReadonlyMap<string, number>, used: ReadonlyMap<string, number>): boolean {
  const methods = [...type.requests, ...type.responses];
  return methods.length === 0 || methods.some(({ service }) => served.has(service) || used.has(service));
}

export function sendLayouts(s: State, now: bigint): void {
  const take = budget();
  const served = positions(s.config.services ?? []);
  const used = positions(s.services);
  const layouts = s.clashes.map((clash) => {
    if (concerns(clash.type, served, used)) {
      clash.text = take(clash.type.layout);
    }
    return { name: clash.type.name, text: clash.text };
  });
  s.send({ type: FrameType.Hello }, encodeLayouts({ layouts, tolerance: toleranceOf(s) }), now);
}

/** Finds out which types read each other, and what is to be refused of the others [MXP-6.6, MXP-6.8]. */
export function takeLayouts(s: State, payload: Uint8Array, now: bigint): void {
  let said: ReturnType<typeof decodeLayouts>;
  try {
    said = decodeLayouts(payload);
  } catch (error) {
    failPayload(s, error, now);
    return;
  }
  const texts = new Map<string, string>();
  const take = budget();
  for (const { name, text: whole } of said.layouts) {
    const text = take(whole);
    if (!texts.has(name) && isText(text)) {
      texts.set(name, text);
    }
  }
  for (const clash of s.clashes) {
    meet(clash, texts.get(clash.type.name));
  }
  const why = intolerable(s, Math.min(said.tolerance ?? Tolerance.None, toleranceOf(s)));
  if (why !== "") {
    fail(s, "session_schema", now, why);
    return;
  }
  differ(s);
  s.clashes = [];
  greeted(s, now);
}

/** Compares the layout texts of a type. */
function meet(clash: Clash, theirs: string | undefined): void {
  if (!isText(clash.text) || theirs === undefined) {
    clash.inward = `${clash.type.name}: layouts unknown`;
    clash.outward = clash.inward;
    return;
  }
  const here = layoutOf(clash.text);
  const there = layoutOf(theirs);
  clash.inward = unread(here, there, true);
  clash.outward = unread(here, there, false);
}

/** Why the session ends, or nothing. */
function intolerable(s: State, tolerance: number): string {
  if (tolerance >= Tolerance.Methods) {
    return "";
  }
  for (const { inward, outward } of s.clashes) {
    if (inward !== "" || outward !== "") {
      return inward === "" ? outward : inward;
    }
  }
  return tolerance === Tolerance.None ? `${s.clashes[0]?.type.name}: fingerprints differ` : "";
}

/** Finds the methods that are refused: who serves one reads its requests, and who calls it the responses. */
function differ(s: State): void {
  const served = positions(s.config.services ?? []);
  const used = positions(s.services);
  const refuse = (methods: readonly Method[], atServer: string, atPeer: string): void => {
    for (const method of methods) {
      refuseMethod(s, method, true, served, atServer);
      refuseMethod(s, method, false, used, atPeer);
    }
  };
  for (const { type, inward, outward } of s.clashes) {
    refuse(type.requests, inward, outward);
  }
  for (const { type, inward, outward } of s.clashes) {
    refuse(type.responses, outward, inward);
  }
}

/** The numbers of services, by their names. Of two of one name the first counts. */
function positions(services: readonly string[]): Map<string, number> {
  const numbers = new Map<string, number>();
  services.slice(0, servicesMax).forEach((name, i) => {
    if (!numbers.has(name)) {
      numbers.set(name, i);
    }
  });
  return numbers;
}

/** Refuses a method of services at these positions, for the first difference that there is. */
function refuseMethod(s: State, method: Method, served: boolean, services: ReadonlyMap<string, number>, text: string): void {
  const number = services.get(method.service);
  if (text === "" || number === undefined) {
    return;
  }
  const key = refusalKey(served, number, method.number);
  if (!s.refusals.has(key)) {
    s.refusals.set(key, text);
    s.differences.push({ method, served, text });
  }
}
