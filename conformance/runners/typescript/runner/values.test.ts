// Tests on values that no vector can give: values that TypeScript's types do not keep out, and the
// behaviour of the language's own numbers and texts.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as arrays from "./arrays/arrays.js";
import * as defaults from "./defaults/defaults.js";
import * as lists from "./lists/lists.js";
import * as maps from "./maps/maps.js";
import * as scalars from "./scalars/scalars.js";
import { check } from "./sdp/check.js";
import * as sdp from "./sdp/index.js";
import * as texts from "./texts/texts.js";
import * as unions from "./unions/unions.js";

/** Asserts that something is refused by a name, and with a path. */
function refuses(code: sdp.ErrorName, path: string, run: () => unknown): void {
  assert.throws(run, (error: unknown) => {
    assert(error instanceof sdp.SdpError, String(error));
    assert.deepEqual([error.code, error.offset, error.path], [code, -1, path]);
    return true;
  });
}

test("integers out of their range, and what is no integer, are refused", () => {
  const zero = sdp.zero(scalars.Integers);
  for (const [name, bits] of [["a", 8], ["b", -8], ["c", 16], ["d", -16], ["e", 32], ["f", -32]] as const) {
    const [low, high] = bits > 0 ? [0, 2 ** bits - 1] : [-(2 ** (-bits - 1)), 2 ** (-bits - 1) - 1];
    for (const wrong of [low - 1, high + 1, 0.5, Number.NaN, Infinity, "1", 1n, null, undefined, {}]) {
      refuses("value_invalid", name, () => scalars.encodeIntegers({ ...zero, [name]: wrong } as never));
      refuses("value_invalid", name, () => sdp.toJson(scalars.Integers, { ...zero, [name]: wrong } as never));
    }
    for (const right of [low, high, -0]) {
      scalars.encodeIntegers({ ...zero, [name]: right });
    }
  }
  for (const [name, low, high] of [["g", 0n, 2n ** 64n - 1n], ["h", -(2n ** 63n), 2n ** 63n - 1n]] as const) {
    for (const wrong of [low - 1n, high + 1n, 1, "1", null]) {
      refuses("value_invalid", name, () => scalars.encodeIntegers({ ...zero, [name]: wrong } as never));
    }
    scalars.encodeIntegers({ ...zero, [name]: low });
    scalars.encodeIntegers({ ...zero, [name]: high });
  }
});

const field = texts.Text1.fields()[0]?.[0] as keyof texts.Text1;

test("what is no text, and half a surrogate pair, are refused", () => {
  for (const half of ["\ud800", "a\udc00", "\ud83d", "\udc00\ud800", `${"x".repeat(60)}\ud800`]) {
    refuses("utf8_invalid", field, () => texts.encodeText1({ [field]: half } as never));
    refuses("utf8_invalid", field, () => sdp.toJson(texts.Text1, { [field]: half } as never));
  }
  for (const wrong of [1, null, undefined, ["a"], new String("a")]) {
    refuses("value_invalid", field, () => texts.encodeText1({ [field]: wrong } as never));
  }
});

test("texts come back, of every length and width of characters, with a byte order mark", () => {
  for (const unit of ["a", "é", "～", "😀", "\u0000", "\ufeff"]) {
    for (let n = 0; n < 70; n++) {
      for (const text of [unit.repeat(n), `${"x".repeat(n)}${unit}`, `${unit}${"x".repeat(n)}`]) {
        if (Buffer.byteLength(text) < 256) {
          assert.equal(texts.decodeText1(texts.encodeText1({ [field]: text } as never))[field], text);
        }
      }
    }
  }
});

// [WIRE-4.8]
test("NaNs are one where they stand alone, keep their bits in arrays, and are told apart by exact", () => {
  const bytes = new Uint8Array([1, 0, 0xc0, 0x7f, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
  const value = scalars.decodeFloats(bytes);
  assert(Number.isNaN(value.single) && Number.isNaN(value.double));
  assert.deepEqual([...scalars.encodeFloats(value)], [0, 0, 0xc0, 0x7f, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
  assert.throws(() => scalars.decodeFloats(bytes, { exact: true }), { code: "value_invalid", offset: 0, path: "single" });
  scalars.decodeFloats(scalars.encodeFloats(value), { exact: true });
  const floats = new Float32Array(new Uint32Array([0x7fa00001, 0xffc00000, 0x7fc00000]).buffer);
  const list = sdp.struct<{ all: Float32Array }>("t.T", () => [["all", sdp.list(sdp.f32, 4, 4)]]);
  const text = '{"all":["NaN:7fa00001","NaN:ffc00000","NaN"]}';
  assert.equal(sdp.toJson(list, { all: floats }), text);
  assert.deepEqual([...new Uint32Array(sdp.fromJson(list, text).all.buffer)], [0x7fa00001, 0xffc00000, 0x7fc00000]);
});

test("keys of maps are in the order of UTF-8, in which surrogate pairs come last", () => {
  const type = sdp.struct<{ m: Map<string, number> }>("t.T", () => [["m", sdp.map(sdp.str(4), sdp.u8, 5, 4)]]);
  assert.equal(sdp.toJson(type, { m: new Map([["😀", 1], ["～", 2], ["a", 3], ["", 4]]) }), '{"m":{"":4,"a":3,"～":2,"😀":1}}');
  const name = maps.ByU8.fields()[0]?.[0] ?? "";
  refuses("value_invalid", name, () => maps.encodeByU8({ [name]: {} } as never));
});

test("what a value leaves out is what its JSON would have left out", () => {
  const zero = sdp.zero(defaults.Declared);
  assert.deepEqual(defaults.encodeDeclared({ a: 0 }), defaults.encodeDeclared(zero));
  assert.equal(sdp.toJson(defaults.Declared, { a: 0 }), sdp.toJson(defaults.Declared, zero));
  assert.deepEqual(sdp.fromJson(defaults.Declared, '{"a":0}'), zero);
  assert.deepEqual(defaults.decodeDeclared(new Uint8Array([0])), zero);
  const absent = defaults.decodeDeclared(defaults.encodeDeclared({ a: 0, maybe: null, word: null }));
  assert.deepEqual(absent, { ...zero, maybe: null, word: null });
});

test("arrays have as many elements as the schema says, and those of numbers are typed arrays", () => {
  const name = arrays.Floats.fields()[0]?.[0] ?? "";
  const { [name]: floats } = sdp.zero(arrays.Floats) as unknown as Record<string, Float32Array>;
  assert(floats instanceof Float32Array);
  for (const wrong of [[...floats], floats.subarray(1), new Float64Array(floats), new Uint8Array(floats.buffer), null, "abc"]) {
    refuses("value_invalid", name, () => arrays.encodeFloats({ [name]: wrong } as never));
    refuses("value_invalid", name, () => sdp.toJson(arrays.Floats, { [name]: wrong } as never));
  }
  const text = arrays.Texts.fields()[0]?.[0] ?? "";
  const { [text]: all } = sdp.zero(arrays.Texts) as unknown as Record<string, string[]>;
  assert(Array.isArray(all));
  for (const wrong of [all.slice(1), [...all, ""], "abc", new Set(all), null]) {
    refuses("value_invalid", text, () => arrays.encodeTexts({ [text]: wrong } as never));
  }
});

test("decoding into a value uses its objects and arrays again, and gives what plain decoding gives", () => {
  const points: lists.Points = { v: [{ x: 1, y: 2 }, { x: 3, y: 4 }] };
  const old = lists.decodePoints(lists.encodePoints(points));
  const [first, second] = old.v;
  const list = old.v;
  const longer = lists.encodePoints({ v: [{ x: 5, y: 6 }, { x: 7, y: 8 }, { x: 9, y: 10 }] });
  const again = lists.decodePoints(longer, { into: old });
  assert.deepEqual(again, lists.decodePoints(longer));
  assert(again === old && again.v === list && again.v[0] === first && again.v[1] === second);
  assert.deepEqual(lists.decodePoints(lists.encodePoints({ v: [{ x: 0, y: 1 }] }), { into: again }), { v: [{ x: 0, y: 1 }] });
  const numbers = lists.decodeNumbers(lists.encodeNumbers({ v: new Uint32Array([1, 2]) }));
  const { v } = numbers;
  assert.equal(lists.decodeNumbers(lists.encodeNumbers({ v: new Uint32Array([3, 4]) }), { into: numbers }).v, v);
  assert.deepEqual(v, new Uint32Array([3, 4]));
  const shorter = lists.decodeNumbers(lists.encodeNumbers({ v: new Uint32Array([5]) }), { into: numbers }).v;
  assert.deepEqual([shorter, v], [new Uint32Array([5]), new Uint32Array([3, 4])]);
  const event = unions.decodeEvent(unions.encodeEvent({ kind: "Loaded", value: { name: "EQ", gain: 0.5 } }));
  const next = unions.decodeEvent(unions.encodeEvent({ kind: "Loaded", value: { name: "Gate", gain: 1 } }), { into: event });
  assert(event.kind === "Loaded" && next.kind === "Loaded" && event.value === next.value && next.value.name === "Gate");
  assert.deepEqual(unions.decodeEvent(unions.encodeEvent({ kind: "Stopped" }), { into: next }), { kind: "Stopped" });
  refusesBytes(lists.encodePoints(points).subarray(0, 5), old);
  assert.deepEqual(lists.decodePoints(lists.encodePoints(points), { into: old }), points);
});

/** Asserts that cut bytes are refused as without a value to read into. */
function refusesBytes(bytes: Uint8Array, into: lists.Points): void {
  for (const options of [{}, { into }]) {
    assert.throws(() => lists.decodePoints(bytes, options), { code: "count_exceeds_input", path: "v" });
  }
}

test("values of unions have an alternative, known or not, and no other", () => {
  const unset: unknown[] = [{}, { kind: "Lost" }, { kind: "$unknown", tag: 0, payload: new Uint8Array(0) }, { kind: "$unknown", tag: 1, payload: new Uint8Array(0) },
    { kind: "$unknown", tag: 256, payload: new Uint8Array(0) }, { kind: "$unknown", tag: 200 }, null, undefined, "Stopped"];
  for (const wrong of unset) {
    refuses("value_invalid", "", () => unions.encodeEvent(wrong as never));
    refuses("value_invalid", "", () => sdp.toJson(unions.Event, wrong as never));
  }
  refuses("value_invalid", "Loaded", () => unions.encodeEvent({ kind: "Loaded" } as never));
  refuses("value_invalid", "Gate", () => unions.encodeEvent({ kind: "Gate", value: 3 } as never));
});

test("an encoding goes into memory of the caller's, if that is large enough", () => {
  const value: unions.Event = { kind: "Text", value: "abc" };
  const own = unions.encodeEvent(value);
  const into = new Uint8Array(own.length + 3);
  const part = unions.encodeEvent(value, into);
  assert.equal(part.buffer, into.buffer);
  assert.deepEqual(part, own);
  refuses("buffer_too_small", "", () => unions.encodeEvent(value, new Uint8Array(own.length - 1)));
});

test("what is decoded shares nothing with its bytes, whatever these are a part of", () => {
  const bytes = unions.encodeEvent({ kind: "List", value: new Uint16Array([1, 2, 300]) });
  const around = Buffer.concat([Buffer.from([9, 9, 9]), bytes, Buffer.from([9])]);
  const part = around.subarray(3, 3 + bytes.length); // a Buffer, at an odd offset
  const value = unions.decodeEvent(part);
  around.fill(0);
  assert.deepEqual(value, { kind: "List", value: new Uint16Array([1, 2, 300]) });
  assert.equal((value as { value: Uint16Array }).value.buffer.byteLength, 6);
});

test("a value's getters may encode others", () => {
  const inner = (): string => {
    unions.encodeEvent({ kind: "Text", value: "inner".repeat(30) });
    return "outer";
  };
  const value = { kind: "Text" as const, get value(): string { return inner(); } };
  assert.deepEqual(unions.decodeEvent(unions.encodeEvent(value)), { kind: "Text", value: "outer" });
});

test("errors of a value's own are not taken for refusals", () => {
  const value = { kind: "Text" as const, get value(): string { throw new RangeError("own"); } };
  assert.throws(() => unions.encodeEvent(value), RangeError);
  assert.deepEqual(unions.encodeEvent({ kind: "Stopped" }), new Uint8Array([3, 0, 0, 0, 0]));
});

test("messages are read from streams of the web and of Node, and of iterators", async () => {
  const one = unions.encodeEventMessage({ kind: "Number", value: 7 });
  const bytes = new Uint8Array([...one, ...one, ...one]);
  const web = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) {
        controller.enqueue(new Uint8Array([byte]));
      }
      controller.close();
    },
  });
  const plain = { getReader: () => web.getReader() };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 11);
    yield bytes.subarray(11);
  }
  for (const source of [[bytes], chunks(), plain as never]) {
    let n = 0;
    for await (const message of unions.readMessages(source)) {
      assert.deepEqual(message, { type: "Event", value: { kind: "Number", value: 7 } });
      n++;
    }
    assert.equal(n, 3);
  }
});

// [WIRE-11.7]
test("a preamble stands in front of messages", async () => {
  const preamble = sdp.encodePreamble(unions.Event);
  const text = sdp.layoutOf(unions.Event);
  const id = unions.Event.id;
  const header = [0x53, 0x44, 0x50, 0x53, id & 255, id >> 8, text.length & 255, text.length >> 8, 0, 0];
  assert.deepEqual([...preamble], [...header, ...new TextEncoder().encode(text)]);
  const one = unions.encodeEventMessage({ kind: "Number", value: 7 });
  const reader = unions.readMessages([preamble, one]);
  assert.deepEqual(await reader.next(), { type: "Event", value: { kind: "Number", value: 7 } });
  assert.equal(await reader.next(), undefined);
});

// Bun says how much memory is used by other means.
test("decoding stays within the memory that the generated comment says", { skip: "Bun" in globalThis }, () => {
  const collect = (globalThis as { gc?: () => void }).gc ?? assert.fail("run node with --expose-gc");
  const used = (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const [plain, declared] = ["lists.ts", "lists.d.ts"].map((name) => new URL(`../src/lists/${name}`, import.meta.url)) as [URL, URL];
  const source = readFileSync(existsSync(plain) ? plain : declared, "utf8");
  const n = 20_000;
  const count = [n & 255, n >> 8, 0, 0];
  const most = (type: string): number => {
    const comment = new RegExp(`at most (\\d+)·n[^*]*\\*/\\nexport (?:interface|type) ${type} `);
    return Number(comment.exec(source)?.[1] ?? assert.fail(`no factor of ${type}`));
  };
  // Elements of as few bytes as there are, and of as much memory as they may have.
  const of = (element: number[]): Uint8Array => new Uint8Array([...count, ...Array.from({ length: n }, () => element).flat()]);
  const cases: [string, (bytes: Uint8Array) => unknown, Uint8Array][] = [
    ["Texts", lists.decodeTexts, of([0])],
    ["Texts", lists.decodeTexts, of([2, 0xc3, 0xa9])],
    ["Maybe", lists.decodeMaybe, of([0])],
    ["Maybe", lists.decodeMaybe, of([1, 255, 255])],
    ["Blobs", lists.decodeBlobs, of([0, 0, 0, 0])],
    ["Points", lists.decodePoints, of([255, 127, 0, 0])],
    ["Times", lists.decodeTimes, of([1, 2, 3, 4, 5, 6, 7, 8])],
    ["Pairs", lists.decodePairs, of([1, 2, 3, 4])],
  ];
  for (const [type, decode, bytes] of cases) {
    decode(bytes);
    const before = used();
    const value = decode(bytes);
    const taken = used() - before;
    assert(taken <= most(type) * bytes.length + 65536, `${type}: ${taken} bytes for ${bytes.length}`);
    assert(value !== undefined);
  }
});

// The first value that is written after a large one has 1 KiB of memory, which grows where the value does.
test("whatever stands where the writer's memory grows is written there", () => {
  const large = { v: [new Uint8Array((1 << 20) + 1)] };
  const grown: (before: number) => { readonly type: sdp.Type<any>; readonly encode: (value: any) => Uint8Array; readonly value: unknown }[] = (before) => {
    const filler = "f".repeat(before % 200);
    const texts = Array.from({ length: Math.floor(before / 200) }, () => "f".repeat(199));
    const some = { kind: "List", value: new Uint16Array([1, 2]) } as const;
    return [
      { type: unions.Many, encode: unions.encodeMany, value: { events: [...texts.map((text) => ({ kind: "Text", value: text })), { kind: "Text", value: filler }, { kind: "Stopped" }, some, { kind: "$unknown", tag: 77, payload: new Uint8Array([1, 2, 3]) }] } },
      { type: unions.ManyChoices, encode: unions.encodeManyChoices, value: { choices: [...texts.map((right) => ({ kind: "Pair", value: { left: 1, right } })), { kind: "Pair", value: { left: 2, right: filler } }, { kind: "Yes" }, { kind: "Count", value: 7 }] } },
      { type: lists.Blobs, encode: lists.encodeBlobs, value: { v: [new Uint8Array(before).fill(7), new Uint8Array([1, 2, 3]), new Uint8Array(before).fill(8)] } },
      { type: lists.Numbers, encode: lists.encodeNumbers, value: { v: new Uint32Array(before).fill(9) } },
      { type: lists.Texts, encode: lists.encodeTexts, value: { v: [...texts, filler, "é".repeat(60)] } },
    ];
  };
  for (let before = 800; before < 1080; before++) {
    for (const { type, encode, value } of grown(before)) {
      lists.encodeBlobs(large);
      const bytes = encode(value);
      assert.equal(sdp.toJson(type, sdp.owned(type, sdp.view(type, bytes))), sdp.toJson(type, value));
    }
  }
});

test("a refusal says what was expected, and what came", () => {
  const integers = { ...sdp.zero(scalars.Integers) };
  const details: readonly (readonly [sdp.Type, unknown, string])[] = [
    [scalars.Integers, { ...integers, a: 256 }, "a: expected an integer from 0 to 255, got number 256"],
    [scalars.Integers, { ...integers, b: -129 }, "b: expected an integer from −128 to 127, got number -129"],
    [scalars.Integers, { ...integers, c: "7" }, 'c: expected an integer from 0 to 65535, got string "7"'],
    [scalars.Integers, { ...integers, d: 0.5 }, "d: expected an integer from −32768 to 32767, got number 0.5"],
    [scalars.Integers, { ...integers, e: 5n }, "e: expected an integer from 0 to 4294967295, got bigint 5"],
    [scalars.Integers, { ...integers, f: NaN }, "f: expected an integer from −2147483648 to 2147483647, got number NaN"],
    [scalars.Integers, { ...integers, g: 5 }, "g: expected a bigint from 0 to 2^64−1, got number 5"],
    [scalars.Integers, { ...integers, g: -1n }, "g: expected a bigint from 0 to 2^64−1, got bigint -1"],
    [scalars.Integers, { ...integers, h: 2n ** 200n }, "h: expected a bigint from −2^63 to 2^63−1, got bigint of more than 128 bits"],
    [scalars.Integers, { ...integers, h: undefined }, "h: expected a bigint from −2^63 to 2^63−1, got undefined"],
    [scalars.Integers, undefined, "expected an object, got undefined"],
    [scalars.Flags, { first: true, second: 1 }, "second: expected a boolean, got number 1"],
    [scalars.Floats, { single: 1n, double: 0 }, "single: expected a number, got bigint 1"],
    [scalars.Floats, { single: 0, double: new Date(0) }, "double: expected a number, got a Date"],
    [scalars.Times, { at: new Date(0), took: 0n }, "at: expected a bigint of nanoseconds from −2^63 to 2^63−1, got a Date"],
    [scalars.Times, { at: 0n, took: 7 }, "took: expected a bigint of nanoseconds from −2^63 to 2^63−1, got number 7"],
    [scalars.Ident, { kind: 0, id: "0" }, 'id: expected a uuid of 32 hexadecimal digits, as 8-4-4-4-12, got string "0"'],
    [scalars.Run, { a: 0, ok: true, b: 0, level: 3, c: 0n }, "level: expected a number of scalars.Level, 1 (Low) or 2 (High), got number 3"],
    [maps.ByColor, { m: new Map([["Red", 1]]) }, 'm[0].key: expected a number of maps.Color, an integer from 0 to 255, got string "Red"'],
    [maps.ByU8, { m: { 1: 2 } }, "m: expected a Map, got an Object"],
    [maps.ByU8, { m: new Map([[1, null]]) }, "m[0].value: expected an integer from 0 to 255, got null"],
    [maps.Bounded, { m: new Map([[1, 1], [2, 2], [3, 3]]) }, "m: expected 2 entries at most, got 3"],
    [texts.Text1, { v: 7 }, "v: expected a string, got number 7"],
    [texts.Text1, { v: "x".repeat(300) }, "v: expected 255 bytes at most, got 300"],
    [texts.Text1, { v: "ab\ud800" }, "v: expected a string without half a surrogate pair, which there is at 2"],
    [arrays.Words, { v: Uint16Array.of(1, 2) }, "v: expected a Uint16Array of 3 elements, got a Uint16Array of 2 elements"],
    [arrays.Points, { v: [] }, "v: expected an Array of 3 elements, got an Array of 0 elements"],
    [arrays.Maybe, { v: [null, 300, null] }, "v[1]: expected an integer from 0 to 255, got number 300"],
    [unions.Many, { events: null }, "events: expected an Array, got null"],
    [unions.Choice, { kind: "No" }, 'expected an object whose kind is "Yes", "Count", "Pair", "Loaded", "Noted", "Deep" or "Again", got string "No"'],
    [unions.Wide, { kind: "$unknown", tag: 3, payload: new Uint8Array(0) }, "this union is closed, and takes no $unknown"],
    [unions.Event, { kind: "$unknown", tag: 300, payload: new Uint8Array(0) }, "expected a tag from 1 to 255, got number 300"],
    [unions.Event, { kind: "$unknown", tag: 5, payload: new Uint8Array(0) }, "tag 5 is that of Text"],
    [unions.Event, { kind: "$unknown", tag: 99, payload: [] }, "expected a Uint8Array as payload, got an Array of 0 elements"],
    [unions.Event, "Stopped", 'expected an object whose kind is "Loaded", "Changed", "Stopped", "Noted", "Text", "Number", "List", "Inner" or 7 more, got string "Stopped"'],
    [unions.Event, { kind: "Text", value: "a".repeat(40).replace("a", '"').concat("\n").slice(0, 41).split("") }, "Text: expected a string, got an Array of 41 elements"],
    [unions.Event, { kind: "Number", value: "a".repeat(100) }, `Number: expected an integer from 0 to 65535, got string "${"a".repeat(32)}", of 100 characters`],
  ];
  for (const [type, value, text] of details) {
    for (const made of [check(type, value), caught(() => sdp.toJson(type, value))]) {
      const [, detail] = /^(?:value_invalid|limit_max|value_too_large|utf8_invalid): (.*)$/s.exec(made?.message ?? "") ?? [];
      assert(detail === text || (made === undefined && /at most/.test(text)), `${made?.message} is not ${text}`);
      assert(text.endsWith(made?.detail ?? ""));
    }
  }
  assert.throws(() => scalars.encodeIntegers({ ...integers, g: 5 } as never), { message: "value_invalid: g: expected a bigint from 0 to 2^64−1, got number 5" });
  assert.throws(() => scalars.encodeFlags({ first: true, second: true }, new Uint8Array(1)), { message: "buffer_too_small: expected room for 2 bytes, got 1" });
  assert.throws(() => sdp.timestampFromMs(Infinity), { detail: "expected a finite number of milliseconds, got number Infinity" });
});

function caught(run: () => unknown): sdp.SdpError | undefined {
  try {
    run();
  } catch (error) {
    return error as sdp.SdpError;
  }
  return undefined;
}
