import { Comparison, isText } from "../control/layout.js";
import { decodeLayouts, encodeLayouts, Tolerance, type Type } from "../control/mxp_control.js";
import { FrameType, hashText } from "../frame/index.js";
import { type Clash, refusalKey } from "./clash.js";
import type { Method, TypeInfo } from "./config.js";
import { fail } from "./ending.js";
import { Joint } from "./joint.js";
import type { State } from "./state.js";
import { failPayload } from "./handle.js";

/** How many services have numbers. */
export const servicesMax: number = 1 << 16;

/** How many bytes the texts in Layouts have together at most. */
const layoutBytes = 64 << 10;

/** Finds the types that may mean different bytes on the two sides [MXP-6.5]. */
export function compare(s: State, types: readonly Type[]): void {
  const byName = new Map(types.map((item) => [item.name, item]));
  const uncompared: TypeInfo[] = [];
  for (const type of s.config.types ?? []) {
    const other = byName.get(type.name);
    if (other === undefined) {
      continue;
    }
    const n = Math.min(type.fingerprints.length, other.fingerprints.length);
    const alike = type.fingerprints.slice(0, n).every((print, i) => print === other.fingerprints[i]);
    const hash = layoutHash(type);
    const there = other.layout ?? 0n;
    const hashed = hash !== 0n && there !== 0n;
    if (hashed ? hash !== there : !alike) {
      s.clashes.push({ type, hashed, alike, text: "", inward: "", outward: "" });
    } else if (!hashed) {
      uncompared.push(type);
    }
  }
  note(s, uncompared);
}

/** Tells the layout text of a type from others; 0 without one [MXP-6.5]. */
export function layoutHash(type: TypeInfo): bigint {
  return type.layout === "" ? 0n : hashText(type.layout);
}

/** Keeps the names of types of which fingerprints alone are compared. */
function note(s: State, types: readonly TypeInfo[]): void {
  if (types.length > 0) {
    const served = positions(s.config.services ?? []);
    const used = positions(s.services);
    s.uncompared.push(...types.filter((type) => concerns(type, served, used)).map(({ name }) => name));
  }
}

/** The tolerance of this side for the types that clash. */
function toleranceOf(s: State): Tolerance {
  const isUnknown = s.clashes.some(({ type }) => type.requests.length + type.responses.length === 0);
  return isUnknown ? Tolerance.Layouts : Tolerance.Methods;
}

/** The rest of the bytes that texts have together. */
class Room {
  left: number = layoutBytes;

  /** Gives a text, or nothing if there is no room for it. */
  take(text: string): string {
    const n = new TextEncoder().encode(text).length;
    if (n > this.left) {
      return "";
    }
    this.left -= n;
    return text;
  }
}

/** Whether the peer may learn how a type is laid out: a service that either side serves reaches it, or nobody knows [MXP-6.5]. */
function concerns(type: TypeInfo, services: ReadonlyMap<string, number>, uses: ReadonlyMap<string, number>): boolean {
  const methods = [...type.requests, ...type.responses];
  return methods.length === 0 || methods.some(({ service }) => services.has(service) || uses.has(service));
}

export function sendLayouts(s: State, now: bigint): void {
  const room = new Room();
  const joint = new Joint();
  const served = positions(s.config.services ?? []);
  const used = positions(s.services);
  const layouts = s.clashes.map((clash) => {
    if (!concerns(clash.type, served, used)) {
      return { name: clash.type.name, text: "" };
    }
    if (clash.hashed) {
      room.left -= joint.add(clash.type.layout, room.left);
    } else {
      clash.text = room.take(clash.type.layout);
    }
    return { name: clash.type.name, text: clash.text };
  });
  s.joint = joint.text;
  s.send({ type: FrameType.Hello }, encodeLayouts({ layouts, tolerance: toleranceOf(s), joint: s.joint }), now);
}

/**
 * Finds out which types read each other, and which methods are to be refused for the others [MXP-6.6, MXP-6.8]. False
 * says that the session has ended.
 */
export function takeLayouts(s: State, payload: Uint8Array, now: bigint): boolean {
  let said: ReturnType<typeof decodeLayouts>;
  try {
    said = decodeLayouts(payload);
  } catch (error) {
    failPayload(s, error, now);
    return false;
  }
  const room = new Room();
  const joints = Comparison.of(s.joint, room.take(said.joint ?? ""));
  const texts = new Map<string, string>();
  for (const { name, text: whole } of said.layouts) {
    const text = room.take(whole);
    if (!texts.has(name) && isText(text)) {
      texts.set(name, text);
    }
  }
  const uncompared: TypeInfo[] = [];
  for (const clash of s.clashes) {
    const both = clash.hashed ? joints : Comparison.of(clash.text, texts.get(clash.type.name) ?? "");
    if (!meet(clash, both)) {
      uncompared.push(clash.type);
    }
  }
  note(s, uncompared);
  const why = intolerable(s, Math.min(said.tolerance ?? Tolerance.None, toleranceOf(s)));
  if (why !== "") {
    fail(s, "session_schema", now, why);
    return false;
  }
  differ(s);
  s.clashes = [];
  s.joint = "";
  return true;
}

/** Finds out whether the two sides read each other's type, and whether the texts tell it. If they don't, types are read whose fingerprints are alike. */
function meet(clash: Clash, comparison: Comparison | undefined): boolean {
  const root = clash.hashed ? comparison?.find(clash.type.name) : ([0, 0] as const);
  if (comparison !== undefined && root !== undefined) {
    clash.inward = comparison.inward.difference(root);
    clash.outward = comparison.outward.difference(root);
    return true;
  }
  if (clash.alike) {
    return false;
  }
  clash.inward = `${clash.type.name}: layouts unknown`;
  clash.outward = clash.inward;
  return true;
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
function refuseMethod(s: State, method: Method, isServed: boolean, services: ReadonlyMap<string, number>, text: string): void {
  const number = services.get(method.service);
  if (text === "" || number === undefined) {
    return;
  }
  const key = refusalKey(isServed, number, method.number);
  if (!s.refusals.has(key)) {
    s.refusals.set(key, text);
    s.differences.push({ method, served: isServed, text });
  }
}
