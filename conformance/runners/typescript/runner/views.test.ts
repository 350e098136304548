// Tests of views beyond the harness: all ways to read one give the same, views share memory with
// the bytes, and they refuse damaged bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as framed from "./framed/framed.js";
import * as lists from "./lists/lists.js";
import * as maps from "./maps/maps.js";
import * as sdp from "./sdp/index.js";
import * as unions from "./unions/unions.js";

test("elements are found by index in any order, from the end, and by a loop", () => {
  const texts: lists.Texts = { v: Array.from({ length: 100 }, (_, i) => "x".repeat(i % 7)) };
  const { v } = sdp.view(lists.Texts, lists.encodeTexts(texts));
  assert.equal(v.length, 100);
  assert.deepEqual([...v], texts.v);
  for (const i of [99, 0, 50, 51, 3]) {
    assert.equal(v.at(i), texts.v[i]);
  }
  assert.deepEqual([v.at(-1), v.at(-100), v.at(100), v.at(-101), v.at(Number.NaN)], [texts.v[99], texts.v[0], undefined, undefined, undefined]);
  const points = sdp.view(lists.Points, lists.encodePoints({ v: [{ x: 1, y: 2 }, { x: 3, y: -4 }] })).v;
  assert.deepEqual([points.at(1)?.y, [...points].map((p) => p.x)], [-4, [1, 3]]);
});

test("loops over one list do not disturb each other", () => {
  const grid = sdp.view(lists.Shapes, lists.encodeShapes({ v: [[{ x: 1, y: 2 }], [], [{ x: 3, y: 4 }, { x: 5, y: 6 }]] }));
  const pairs: number[][] = [];
  for (const row of grid.v) {
    for (const point of row) {
      for (const other of grid.v.at(2) ?? []) {
        pairs.push([point.x, other.y]);
      }
    }
  }
  assert.deepEqual(pairs, [[1, 4], [1, 6], [3, 4], [3, 6], [5, 4], [5, 6]]);
});

test("maps find the value of each key, and of no other", () => {
  const m = new Map(Array.from({ length: 33 }, (_, i) => [`${String.fromCodePoint(0x61 + i * 997)}`, i]));
  const seen = sdp.view(maps.ByText, maps.encodeByText({ m })).m;
  assert.equal(seen.size, 33);
  for (const [key, value] of m) {
    assert.equal(seen.get(key), value);
    assert.equal(seen.get(`${key}!`), undefined);
  }
  assert.deepEqual(new Map(seen), new Map([...m].sort((a, b) => Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])))));
  const wide = sdp.view(maps.ByU64, maps.encodeByU64({ m: new Map([[1n, 1], [2n ** 64n - 1n, 2]]) })).m;
  assert.deepEqual([wide.get(2n ** 64n - 1n), wide.get(2n)], [2, undefined]);
});

test("bytes are those of the input, and numbers and owned values are copies", () => {
  const input = unions.encodeEvent({ kind: "$unknown", tag: 99, payload: new Uint8Array([1, 2, 3]) });
  const seen = sdp.view(unions.Event, input);
  assert(seen.kind === "$unknown");
  assert.equal(seen.payload.buffer, input.buffer);
  const own = sdp.owned(unions.Event, seen);
  const blobs = lists.encodeBlobs({ v: [new Uint8Array([7, 8])] });
  const blob = sdp.view(lists.Blobs, blobs).v.at(0);
  const numbers = sdp.view(lists.Numbers, lists.encodeNumbers({ v: new Uint32Array([9]) })).v;
  assert.equal(blob?.buffer, blobs.buffer);
  assert(numbers instanceof Uint32Array);
  input.fill(0);
  assert.deepEqual(own, { kind: "$unknown", tag: 99, payload: new Uint8Array([1, 2, 3]) });
});

test("alternatives are told apart by their kind, as in values", () => {
  const seen = sdp.view(unions.Event, unions.encodeEvent({ kind: "Loaded", value: { name: "EQ", gain: 0.5 } }));
  if (seen.kind === "Loaded") {
    assert.equal(seen.value.name, "EQ");
  } else {
    assert.fail(seen.kind);
  }
  assert.equal(sdp.view(unions.Event, unions.encodeEvent({ kind: "Stopped" })).kind, "Stopped");
});

test("fields of segments that are missing have their defaults", () => {
  const seen = sdp.view(maps.Note, new Uint8Array([2, 0x68, 0x69]));
  assert.deepEqual([seen.text, seen.stars], ["hi", 0]);
  assert.equal(sdp.view(maps.Note, maps.encodeNote({ text: "hi", stars: 3 })).stars, 3);
});

test("messages, prefixes, limits and exact are those of decoding", () => {
  const bytes = framed.encodeNoteMessage({ text: "hi" });
  assert.equal(sdp.viewMessage(framed.Note, bytes).text, "hi");
  assert.throws(() => sdp.viewMessage(framed.Point, bytes), { code: "type_id_mismatch", offset: 4 });
  assert.throws(() => sdp.viewMessage(framed.Note, bytes.subarray(0, 12)), { code: "payload_length", offset: 6 });
  const short = framed.encodePointMessage({ x: 1, y: 2 }).subarray(0, 11);
  assert.throws(() => sdp.viewMessage(framed.Point, new Uint8Array([...short.subarray(0, 6), 1, 0, 0, 0, 1])), { code: "truncated", offset: 11, path: "y" });
  const prefix = { used: 0 };
  assert.equal(sdp.view(framed.Point, new Uint8Array([1, 2, 3]), { prefix }).y, 2);
  assert.equal(prefix.used, 2);
  assert.throws(() => sdp.view(framed.Point, new Uint8Array([1, 2, 3])), { code: "trailing_bytes", offset: 2 });
  assert.throws(() => sdp.view(framed.Point, new Uint8Array(2), { limits: { messageBytes: 1 } }), { code: "limit_message_bytes" });
  assert.throws(() => sdp.view(lists.Texts, lists.encodeTexts({ v: ["a", "b"] }), { limits: { elements: 1 } }), { code: "limit_elements", path: "v" });
  assert.throws(() => sdp.view(maps.Note, new Uint8Array([0]), { exact: true }), { code: "segment_partial" });
});

test("a view has the places of bytes within a larger buffer, also of Node's", () => {
  const bytes = lists.encodeTexts({ v: ["abc", "d"] });
  const larger = Buffer.concat([Buffer.from("...."), bytes, Buffer.from("....")]);
  const seen = sdp.view(lists.Texts, larger.subarray(4, 4 + bytes.length));
  assert.deepEqual([...seen.v], ["abc", "d"]);
});
