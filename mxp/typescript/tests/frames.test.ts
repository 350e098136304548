// Tests of frames beyond the vectors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFrame, FrameError, FrameReader, FrameType } from "../src/frame/index.js";
import { putHash } from "../src/frame/hash.js";

/** Bytes that look random: the high ones of a linear generator. */
function someBytes(n: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

test("hashes are those of another implementation, at the ends of each way to hash", () => {
  const bytes = someBytes(5000);
  const out = new DataView(new ArrayBuffer(8));
  const hash = (n: number): string => {
    putHash(bytes.subarray(0, n), out, 0);
    return out.getBigUint64(0, true).toString(16).padStart(16, "0");
  };
  // By github.com/zeebo/xxh3 1.1.0.
  for (const [n, want] of HASHES) {
    assert.equal(hash(n), want, `of ${n} bytes`);
  }
});

const HASHES: readonly (readonly [number, string])[] = [
  [0, "2d06800538d394c2"],
  [1, "429e81bc6744101c"],
  [2, "a65771cbfd464c2d"],
  [3, "32dbb5c7774cc94f"],
  [4, "65775238ca34c06f"],
  [5, "d3bdebb681920cdf"],
  [7, "39027a52dcba383e"],
  [8, "90b760c9d253d0ff"],
  [9, "15ae9f843bb50ea4"],
  [12, "8b715eccbb8c022c"],
  [15, "54b0978486c08a15"],
  [16, "372c92fa68129c98"],
  [17, "b5d6b9c1898bd9d6"],
  [31, "79c8355e61bb90b5"],
  [32, "0ab1dbf9e9f8c22c"],
  [33, "4f4ae280e8465c3c"],
  [48, "cb8086c34610a21c"],
  [63, "1f695e8f419c1eaa"],
  [64, "84fcac4cce9f990d"],
  [65, "2c9f18dff914a8bd"],
  [96, "e1e1ba1b4e47ded7"],
  [97, "5cc877781800cb6b"],
  [104, "74d978d6ba968378"],
  [127, "c33e60b9db382d32"],
  [128, "c59e505a97d029e0"],
  [129, "f9e651a476d6d3ca"],
  [144, "6630fc8e0296f27f"],
  [200, "85d691776ef97dbe"],
  [239, "4d083af3e4a9a1cf"],
  [240, "967597e635f3c527"],
  [241, "d6afac6f8fa85b01"],
  [255, "22062a421972fdde"],
  [256, "9e6593bab96413da"],
  [257, "c7f456fff4eaca08"],
  [512, "426b67e0356d303d"],
  [1023, "120a0457e3e899f6"],
  [1024, "bb9f0c3761cdfd54"],
  [1025, "95edccc1adc4d895"],
  [1088, "e8391a3978cbcf06"],
  [1089, "b6e2a9bc2973e16a"],
  [2047, "52e24987b24854e3"],
  [2048, "278f7a6a39416b51"],
  [2049, "644272755e8980a0"],
  [3000, "8489db8ce5637d6b"],
  [4096, "436f521f6688c5ed"],
  [5000, "06983d4ce0939f36"],
];

test("frames that are cut anywhere are the same, and take no more memory than came", () => {
  const frames = [0, 1, 90, 70_000].map((n, i) => ({ type: FrameType.Call, flags: 0, id: BigInt(2 * i + 1), trace: 0n, payload: someBytes(n) }));
  const all = Buffer.concat(frames.map((frame) => encodeFrame(frame)));
  for (const step of [1, 7, 31, 32, 33, 40, 41, 65_535, 65_537, all.length]) {
    const reader = new FrameReader();
    let n = 0;
    for (let at = 0; at < all.length; at += step) {
      const piece = { bytes: new Uint8Array(all.subarray(at, at + step)) };
      for (let frame = reader.next(piece); frame !== undefined; frame = reader.next(piece)) {
        assert.deepEqual({ ...frame, payload: frame.payload.slice() }, frames[n++]);
      }
      assert.equal(piece.bytes.length, 0);
    }
    assert.equal(n, frames.length);
    assert.equal(reader.end(), undefined);
  }
});

test("a refusal ends a stream of frames for good", () => {
  const reader = new FrameReader();
  const wrong = encodeFrame({ type: FrameType.Call, flags: 0, id: 1n, trace: 0n, payload: someBytes(9) });
  wrong[40] = (wrong[40] ?? 0) ^ 1;
  const again = { bytes: encodeFrame({ type: FrameType.Ping, flags: 0, id: 3n, trace: 0n, payload: someBytes(0) }) };
  assert.throws(() => reader.next({ bytes: wrong }), (error: unknown) => error instanceof FrameError && error.code === "frame_checksum" && error.offset === 41);
  assert.throws(() => reader.next(again), { code: "frame_checksum", offset: 41 });
});
