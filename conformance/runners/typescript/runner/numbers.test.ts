// Tests of integers of 64 bits that are numbers, @x.ts(number): Wide has the bytes of Safe as bigints.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as numbers from "./numbers/numbers.js";
import * as sdp from "./sdp/index.js";

const max = Number.MAX_SAFE_INTEGER;

const safe: numbers.Safe = {
  count: max, change: -max, list: [0, 1, 4294967295, 4294967296, max], array: [-1, -4294967296, -4294967297], maybe: 0,
  map: new Map([[0, [null, -max]], [255, []], [max, [1]]]), points: [{ x: -5, y: 5 }],
  parts: [{ kind: "Whole", value: -1 }, { kind: "Two", value: { a: 2, b: 2n ** 64n - 1n } }, { kind: "Several", value: [max] }],
  fixed: [{ x: 1, y: 2 }, { x: 3, y: 4 }], later: -8, perhaps: null, rest: [max],
};

/** A value with a bigint for each number but the texts' and payloads' own numbers. */
function wide(value: unknown): unknown {
  if (typeof value === "number") {
    return BigInt(value);
  }
  if (value instanceof Map) {
    return new Map([...value].map(([key, one]) => [wide(key), wide(one)]));
  }
  if (Array.isArray(value)) {
    return value.map(wide);
  }
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, wide(one)])) : value;
}

const asWide = {
  ...(wide(safe) as object), list: new BigUint64Array(wide(safe.list) as bigint[]), array: new BigInt64Array(wide(safe.array) as bigint[]),
  rest: new BigInt64Array([BigInt(max)]),
  parts: [{ kind: "Whole", value: -1n }, { kind: "Two", value: { a: 2n, b: 2n ** 64n - 1n } }, { kind: "Several", value: new BigUint64Array([BigInt(max)]) }],
} as numbers.Wide;

test("numbers have the bytes, the JSON and the fingerprints that bigints have", () => {
  const bytes = numbers.encodeSafe(safe);
  assert.deepEqual(bytes, numbers.encodeWide(asWide));
  assert.deepEqual(numbers.decodeSafe(bytes), safe);
  assert.equal(sdp.toJson(numbers.Safe, safe), sdp.toJson(numbers.Wide, asWide));
  assert.deepEqual(sdp.fromJson(numbers.Safe, sdp.toJson(numbers.Safe, safe)), safe);
  assert.deepEqual(numbers.fingerprintsOfSafe$, numbers.fingerprintsOfWide$);
  assert.equal(sdp.layoutOf(numbers.Safe), sdp.layoutOf(numbers.Wide).replaceAll(".Wide", ".").replace("numbers.\n", "numbers.Safe\n"));
  const seen = sdp.view(numbers.Safe, bytes);
  assert.deepEqual([seen.count, seen.list.at(-1), seen.array.at(2), seen.map.get(max)?.at(0), seen.later], [max, max, -4294967297, 1, -8]);
  assert.deepEqual(sdp.owned(numbers.Safe, seen), safe);
});

test("what a value leaves out, or a segment lacks, is a number too", () => {
  const { later: _, perhaps: __, rest: ___, ...first } = safe;
  const whole = numbers.decodeSafe(numbers.encodeSafe(first));
  assert.deepEqual([whole.later, whole.perhaps, whole.rest], [-7, 9, []]);
  assert.deepEqual([sdp.zero(numbers.Safe).count, sdp.zero(numbers.Safe).array, sdp.zero(numbers.Safe).later], [0, [0, 0, 0], -7]);
});

/** Each place of Safe that has a number: a value of Wide with a number there, and the number's path. */
const places: readonly [path: string, signed: boolean, at: (n: bigint) => Partial<numbers.Wide>][] = [
  ["count", false, (n) => ({ count: n })],
  ["change", true, (n) => ({ change: n })],
  ["list[5]", false, (n) => ({ list: new BigUint64Array([...asWide.list, n]) })],
  ["array[2]", true, (n) => ({ array: new BigInt64Array([0n, 1n, n]) })],
  ["maybe", false, (n) => ({ maybe: n })],
  ["map[0].key", false, (n) => ({ map: new Map([[n, []]]) })],
  ["map[0].value[1]", true, (n) => ({ map: new Map([[3n, [null, n]]]) })],
  ["points[0].x", true, (n) => ({ points: [{ x: n, y: 1n }] })],
  ["points[1].y", false, (n) => ({ points: [{ x: 1n, y: 1n }, { x: 1n, y: n }] })],
  ["parts[0].Whole", true, (n) => ({ parts: [{ kind: "Whole", value: n }] })],
  ["parts[0].Two.a", false, (n) => ({ parts: [{ kind: "Two", value: { a: n, b: 0n } }] })],
  ["parts[0].Several[0]", false, (n) => ({ parts: [{ kind: "Several", value: new BigUint64Array([n]) }] })],
  ["fixed[1].x", true, (n) => ({ fixed: [{ x: 0n, y: 0n }, { x: n, y: 0n }] })],
  ["later", true, (n) => ({ later: n })],
  ["perhaps", false, (n) => ({ perhaps: n })],
  ["rest[0]", true, (n) => ({ rest: new BigInt64Array([n]) })],
];

/** The refusal of an operation. */
function refusal(run: () => unknown): sdp.SdpError {
  try {
    run();
  } catch (error) {
    assert(error instanceof sdp.SdpError, String(error));
    return error;
  }
  return assert.fail("it is accepted");
}

// [WIRE-4.9]
test("integers beyond 2^53-1 in size are refused by their place and path, wherever they stand", () => {
  const edge = BigInt(max);
  for (const [path, signed, at] of places) {
    const right = signed ? [edge, -edge, 0n] : [edge, 0n];
    const wrong = signed ? [edge + 1n, -edge - 1n, edge + 2n, 2n ** 63n - 1n, -(2n ** 63n)] : [edge + 1n, edge + 2n, 2n ** 63n, 2n ** 64n - 1n];
    for (const n of right) {
      const bytes = numbers.encodeWide({ ...asWide, ...at(n) });
      assert.deepEqual(numbers.encodeSafe(numbers.decodeSafe(bytes)), bytes);
      sdp.view(numbers.Safe, bytes);
    }
    // A number that stands nowhere else says where the bytes of this one are.
    const marked = numbers.encodeWide({ ...asWide, ...at(0x1abcdef1234567n) });
    const offset = Buffer.from(marked).indexOf(Buffer.from("674523f1debc1a00", "hex"));
    assert(offset >= 0);
    for (const n of wrong) {
      const value = { ...asWide, ...at(n) };
      const bytes = numbers.encodeWide(value);
      for (const run of [() => numbers.decodeSafe(bytes), () => sdp.view(numbers.Safe, bytes)]) {
        const { code, offset: found, path: named } = refusal(run);
        assert.deepEqual([code, found, named], ["value_invalid", offset, path]);
      }
      const text = sdp.toJson(numbers.Wide, value);
      const read = refusal(() => sdp.fromJson(numbers.Safe, text));
      assert.deepEqual([read.code, read.path], ["value_invalid", path]);
      assert(text.slice(read.offset).startsWith(`"${n}"`), `${path}: ${text.slice(read.offset)}`);
    }
  }
});

test("values that are no exact integers have no encoding", () => {
  for (const wrong of [max + 1, -max - 1, 0.5, Number.NaN, Infinity, 1n, "1", null, undefined, {}]) {
    for (const [path, value] of [
      ["change", { ...safe, change: wrong }], ["list[0]", { ...safe, list: [wrong] }], ["map[0].key", { ...safe, map: new Map([[wrong, []]]) }],
      ["parts[0].Whole", { ...safe, parts: [{ kind: "Whole", value: wrong }] }],
    ] as const) {
      for (const run of [() => numbers.encodeSafe(value as never), () => sdp.toJson(numbers.Safe, value as never)]) {
        const { code, offset, path: named } = refusal(run);
        assert.deepEqual([code, offset, named], ["value_invalid", -1, path]);
      }
    }
  }
  for (const path of ["count", "maybe", "perhaps"] as const) {
    assert.equal(refusal(() => numbers.encodeSafe({ ...safe, [path]: -1 })).path, path);
  }
  assert.deepEqual(numbers.encodePoint({ x: -0, y: -0 }), new Uint8Array(16));
  assert.equal(sdp.toJson(numbers.Point, { x: -0, y: -0 }), '{"x":"0","y":"0"}');
  assert.equal(refusal(() => numbers.encodeSafe({ ...safe, list: new Float64Array(1) as never })).path, "list");
});

test("times convert from and to milliseconds and dates, as far as 64 bits reach", () => {
  const date = new Date(-1);
  assert.equal(sdp.timestampFromDate(date), -1_000_000n);
  assert.deepEqual(sdp.timestampDate(-1_000_000n), date);
  assert.deepEqual([-1n, -1_000_000n, -1_000_001n, 0n, 999_999n, 1_000_000n].map(sdp.timestampMs), [-1, -1, -2, 0, 0, 1]);
  assert.deepEqual([1.5, -1.5, 0.000001, -0.000001].map(sdp.durationFromMs), [1_500_000n, -1_500_000n, 1n, -1n]);
  assert.deepEqual([1_500_000n, -1_500_000n, 1n].map(sdp.durationMs), [1.5, -1.5, 0.000001]);
  const most = 9223372036854; // the whole milliseconds within 2^63 nanoseconds
  assert.equal(sdp.timestampMs(sdp.timestampFromMs(most)), most);
  assert.equal(sdp.timestampMs(sdp.timestampFromMs(-most)), -most);
  for (const beyond of [most + 1, -most - 1, NaN, Infinity, -Infinity, Number.MAX_VALUE]) {
    assert.throws(() => sdp.timestampFromMs(beyond), { code: "value_invalid", offset: -1, path: "" });
    assert.throws(() => sdp.durationFromMs(beyond), { code: "value_invalid" });
  }
  assert.throws(() => sdp.timestampFromDate(new Date(NaN)), { code: "value_invalid" });
  const before = Date.now();
  const now = sdp.timestampMs(sdp.timestampNow());
  assert.ok(before <= now && now <= Date.now());
});
