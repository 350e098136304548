// Lines that must not compile: the compiler refuses this file where it takes one of them.
import * as defaults from "./defaults/defaults.js";
import * as framed from "./framed/framed.js";
import * as lists from "./lists/lists.js";
import * as maps from "./maps/maps.js";
import * as scalars from "./scalars/scalars.js";
import * as sdp from "./sdp/index.js";
import * as unions from "./unions/unions.js";

declare const bytes: Uint8Array;
declare const event: unions.Event;
declare const gate: unions.Gate;
declare const declared: defaults.Declared;

export function misuse(): void {
  // Literals lack fields, have others, or have values of other types.
  // @ts-expect-error
  scalars.encodeFlags({});
  // @ts-expect-error
  scalars.encodeFlags({ first: true });
  // @ts-expect-error
  scalars.encodeFlags({ first: 1, second: 0 });
  // @ts-expect-error
  scalars.encodeFlags({ first: true, second: true, third: true });
  // @ts-expect-error
  scalars.encodeFlags({ first: true, second: null });
  // @ts-expect-error
  scalars.encodeFlags({ first: true, second: undefined });
  // @ts-expect-error
  scalars.encodeFloats({ single: "1", double: 1 });
  // @ts-expect-error
  scalars.encodeFloats({ single: 1n, double: 1 });
  // @ts-expect-error
  scalars.encodeIntegers({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1n });
  // @ts-expect-error
  scalars.encodeIntegers({ a: 1n, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1n, h: 1n });
  // @ts-expect-error
  defaults.encodeDeclared({});
  // @ts-expect-error
  defaults.encodeDeclared({ a: 1, negative: 1 });
  // @ts-expect-error
  defaults.encodeDeclared({ a: 1, text: null });
  // @ts-expect-error
  defaults.encodeDeclared({ a: 1, text: undefined });
  // @ts-expect-error
  defaults.encodeDeclared({ a: 1, at: new Date() });
  // @ts-expect-error
  defaults.encodeDeclared({ a: 1, gate: 77 });
  // @ts-expect-error
  defaults.encodeDeclared({ a: 1, gate: "Open" });
  // @ts-expect-error
  defaults.encodeDeclared({ a: 1, kind: "Instrument" });
  // @ts-expect-error
  defaults.encodeDeclared({ a: 1, maybe: "1" });
  // @ts-expect-error
  defaults.encodeDeclared([]);

  // An optional member may not be there.
  // @ts-expect-error
  declared.text.length;
  // @ts-expect-error
  declared.maybe + 1;
  // @ts-expect-error
  declared.negative + 1n;
  // @ts-expect-error
  declared.nothing;

  // Lists of numbers are typed arrays of their own width.
  // @ts-expect-error
  lists.encodeNumbers({ v: [1, 2] });
  // @ts-expect-error
  lists.encodeNumbers({ v: new Uint16Array(2) });
  // @ts-expect-error
  lists.encodeNumbers2({ v: new Int32Array(2) });
  // @ts-expect-error
  lists.encodeFloats({ v: new Float64Array(2) });
  // @ts-expect-error
  lists.encodeTexts({ v: "abc" });
  // @ts-expect-error
  lists.encodeTexts({ v: [1] });
  // @ts-expect-error
  lists.encodeTexts({ v: [null] });
  // @ts-expect-error
  lists.encodeTexts({ v: null });
  // @ts-expect-error
  lists.encodeMaybe({ v: ["1"] });
  // @ts-expect-error
  lists.encodePoints({ v: [{ x: 1 }] });
  // @ts-expect-error
  lists.encodeBools({ v: [1, 0] });
  // @ts-expect-error
  lists.encodeBlobs({ v: ["abc"] });
  // @ts-expect-error
  lists.encodeTimes({ v: [1n] });

  // Maps are maps.
  // @ts-expect-error
  maps.encodeByU8({ v: {} });
  // @ts-expect-error
  maps.encodeByU8(new Map());
  // @ts-expect-error
  maps.encodeByU8(null);

  // Values of unions are told apart by their kind.
  // @ts-expect-error
  unions.encodeEvent({ kind: "Lost" });
  // @ts-expect-error
  unions.encodeEvent({ kind: "Text" });
  // @ts-expect-error
  unions.encodeEvent({ kind: "Text", value: 1 });
  // @ts-expect-error
  unions.encodeEvent({ kind: "Stopped", value: 1 });
  // @ts-expect-error
  unions.encodeEvent({ value: "abc" });
  // @ts-expect-error
  unions.encodeEvent("Stopped");
  // @ts-expect-error
  unions.encodeEvent({ kind: "$unknown", tag: 9 });
  // @ts-expect-error
  unions.encodeEvent({ kind: "$unknown", tag: "9", payload: bytes });
  // @ts-expect-error
  event.value;
  // @ts-expect-error
  event.kind === "Lost";

  // Members of enums are constants, and closed ones have no others.
  // @ts-expect-error
  unions.Gate.Open = 3;
  // @ts-expect-error
  unions.Gate.Half;
  // @ts-expect-error
  const closed: unions.Gate = 3;
  // @ts-expect-error
  const text: string = gate;

  // Functions take what they say.
  // @ts-expect-error
  unions.decodeEvent("abc");
  // @ts-expect-error
  unions.decodeEvent([1, 2]);
  // @ts-expect-error
  unions.decodeEvent(bytes, { exact: 1 });
  // @ts-expect-error
  unions.decodeEvent(bytes, { limits: { depths: 1 } });
  // @ts-expect-error
  unions.decodeEvent(bytes).first;
  // @ts-expect-error
  unions.encodeEvent(event, "into");
  // @ts-expect-error
  sdp.toJson(unions.Event, { kind: "Lost" });
  // @ts-expect-error
  sdp.toJson(unions.Gate, gate);
  // @ts-expect-error
  sdp.fromJson(unions.Event, 1);
  // @ts-expect-error
  const flags: scalars.Flags = sdp.fromJson(unions.Event, "{}");
  // @ts-expect-error
  framed.decodeMessage(bytes).value.x;
  // @ts-expect-error
  framed.readMessages("abc");

  // Views are read, and are no values.
  const seen = sdp.view(unions.Holder, bytes);
  // @ts-expect-error
  seen.before = 3;
  // @ts-expect-error
  sdp.view(unions.Many, bytes).events[0];
  // @ts-expect-error
  sdp.view(unions.Many, bytes).events.at("0");
  // @ts-expect-error
  if (seen.event.kind === "Lost") return;
  // @ts-expect-error
  unions.encodeMany(sdp.view(unions.Many, bytes));
  // @ts-expect-error
  sdp.viewMessage(unions.Many, bytes);
  // @ts-expect-error
  sdp.owned(unions.Many, seen);
  void [closed, text, flags];
}
