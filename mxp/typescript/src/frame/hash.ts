// XXH3 with 64 bits and the seed 0 [MXP-1.6], by version 0.8 of xxHash's specification. Numbers of 64
// bits are pairs of 32, since bigints take a page's time for every byte. No library that is kept has
// this hash without WebAssembly, which a page's policy may forbid.

/** A number of 64 bits. */
interface Long {
  high: number;
  low: number;
}

const secretText =
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
  "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
  "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
  "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e";

/** The secret, as it is read at each of its bytes: as a number of 32 bits. */
const secret: Int32Array = /* @__PURE__ */ secretWords();

function secretWords(): Int32Array {
  const bytes = new DataView(new ArrayBuffer(200));
  (secretText.match(/../g) ?? []).forEach((byte, i) => bytes.setUint8(i, Number.parseInt(byte, 16)));
  return Int32Array.from({ length: 189 }, (_, i) => bytes.getInt32(i, true));
}

const prime1: Long = { high: 0x9e3779b1 | 0, low: 0x85ebca87 | 0 };
const prime2: Long = { high: 0xc2b2ae3d | 0, low: 0x27d4eb4f | 0 };
const prime3: Long = { high: 0x165667b1 | 0, low: 0x9e3779f9 | 0 };
const prime4: Long = { high: 0x85ebca77 | 0, low: 0xc2b2ae63 | 0 };
const prime5: Long = { high: 0x27d4eb2f | 0, low: 0x165667c5 | 0 };
const shortPrime1 = 0x9e3779b1 | 0;
const shortPrime2 = 0x85ebca77 | 0;
const shortPrime3 = 0xc2b2ae3d | 0;
const avalanchePrime: Long = { high: 0x16566791 | 0, low: 0x9e3779f9 | 0 };
const mixPrime: Long = { high: 0x9fb21c65 | 0, low: 0x1e98df25 | 0 };

/** The number that is worked on: functions below change it. */
let high = 0;
let low = 0;

/** The high half of a product of two numbers of 32 bits. */
function mulHigh(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const other = a0 * b1 + (middle & 0xffff);
  return (a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(other / 0x10000)) | 0;
}

function add(h: number, l: number): void {
  const sum = (low >>> 0) + (l >>> 0);
  high = (high + h + (sum > 0xffffffff ? 1 : 0)) | 0;
  low = sum | 0;
}

/** Multiplies, and keeps the low 64 bits. */
function multiply(factor: Long): void {
  high = (mulHigh(low, factor.low) + Math.imul(low, factor.high) + Math.imul(high, factor.low)) | 0;
  low = Math.imul(low, factor.low);
}

/** Shifts to the right, and combines with the number before the shift. */
function xorShift(n: number): void {
  if (n >= 32) {
    low ^= high >>> (n - 32);
  } else {
    low ^= (low >>> n) | (high << (32 - n));
    high ^= high >>> n;
  }
}

function avalanche(): void {
  xorShift(37);
  multiply(avalanchePrime);
  xorShift(32);
}

function oldAvalanche(): void {
  xorShift(33);
  multiply(prime2);
  xorShift(29);
  multiply(prime3);
  xorShift(32);
}

/** Adds both halves of a product of 128 bits, combined. */
function addFolded(ah: number, al: number, bh: number, bl: number): void {
  // a × b = hh·2^64 + (hl + lh)·2^32 + ll
  const llLow = Math.imul(al, bl) >>> 0;
  const llHigh = mulHigh(al, bl) >>> 0;
  const hlLow = Math.imul(ah, bl) >>> 0;
  const hlHigh = mulHigh(ah, bl) >>> 0;
  const lhLow = Math.imul(al, bh) >>> 0;
  const lhHigh = mulHigh(al, bh) >>> 0;
  const hhLow = Math.imul(ah, bh) >>> 0;
  const hhHigh = mulHigh(ah, bh) >>> 0;
  const second = llHigh + hlLow + lhLow;
  const third = hhLow + hlHigh + lhHigh + Math.floor(second / 0x100000000);
  const fourth = hhHigh + Math.floor(third / 0x100000000);
  add((second | 0) ^ (fourth | 0), llLow ^ (third | 0));
}

/** Adds what 16 bytes come to, with the secret from a place on. */
function mix(input: DataView, offset: number, start: number): void {
  addFolded(
    input.getInt32(offset + 4, true) ^ (secret[start + 4] as number), input.getInt32(offset, true) ^ (secret[start] as number),
    input.getInt32(offset + 12, true) ^ (secret[start + 12] as number), input.getInt32(offset + 8, true) ^ (secret[start + 8] as number),
  );
}

/** The secret's number of 64 bits at a place, combined with that at another. */
function flipped(a: number, b: number): void {
  low = (secret[a] as number) ^ (secret[b] as number);
  high = (secret[a + 4] as number) ^ (secret[b + 4] as number);
}

function upTo16(input: DataView, n: number): void {
  if (n === 0) {
    flipped(56, 64);
    oldAvalanche();
  } else if (n < 4) {
    const all = (input.getUint8(0) << 16) | (input.getUint8(n >> 1) << 24) | input.getUint8(n - 1) | (n << 8);
    high = 0;
    low = all ^ (secret[0] as number) ^ (secret[4] as number);
    oldAvalanche();
  } else if (n <= 8) {
    flipped(8, 16);
    low ^= input.getInt32(n - 4, true);
    high ^= input.getInt32(0, true);
    mixShort(n);
  } else {
    longer(input, n);
  }
}

function rotated(distance: number): [number, number] {
  const [h, l] = distance >= 32 ? [low, high] : [high, low];
  const n = distance & 31;
  return [(h << n) | (l >>> (32 - n)), (l << n) | (h >>> (32 - n))];
}

/** The end of 4 to 8 bytes. */
function mixShort(n: number): void {
  const [ah, al] = rotated(49);
  const [bh, bl] = rotated(24);
  high ^= ah ^ bh;
  low ^= al ^ bl;
  multiply(mixPrime);
  const h = high;
  const l = low;
  high = h >>> 3; // 35 bits to the right
  low = high;
  high = 0;
  add(0, n);
  high ^= h;
  low ^= l;
  multiply(mixPrime);
  xorShift(28);
}

/** 9 to 16 bytes. */
function longer(input: DataView, n: number): void {
  flipped(24, 32);
  const al = low ^ input.getInt32(0, true);
  const ah = high ^ input.getInt32(4, true);
  flipped(40, 48);
  const bl = low ^ input.getInt32(n - 8, true);
  const bh = high ^ input.getInt32(n - 4, true);
  high = 0;
  low = n;
  add(turned(al), turned(ah));
  add(bh, bl);
  addFolded(ah, al, bh, bl);
  avalanche();
}

/** A number with its bytes the other way round. */
function turned(n: number): number {
  return (n << 24) | ((n & 0xff00) << 8) | ((n >>> 8) & 0xff00) | (n >>> 24);
}

function begin(n: number): void {
  high = 0;
  low = n;
  multiply(prime1);
}

function upTo128(input: DataView, n: number): void {
  begin(n);
  for (let i = (n - 1) >> 5; i >= 0; i--) {
    mix(input, 16 * i, 32 * i);
    mix(input, n - 16 * (i + 1), 32 * i + 16);
  }
  avalanche();
}

function upTo240(input: DataView, n: number): void {
  begin(n);
  for (let i = 0; i < 8; i++) {
    mix(input, 16 * i, 16 * i);
  }
  avalanche();
  for (let i = 8; i < n >> 4; i++) {
    mix(input, 16 * i, 16 * (i - 8) + 3);
  }
  mix(input, n - 16, 119);
  avalanche();
}

/** Eight numbers of 64 bits: for each the high half, then the low one. */
const lanes: Int32Array = /* @__PURE__ */ new Int32Array(16);

function startLanes(): void {
  lanes.set([
    0, shortPrime3, prime1.high, prime1.low, prime2.high, prime2.low, prime3.high, prime3.low,
    prime4.high, prime4.low, 0, shortPrime2, prime5.high, prime5.low, 0, shortPrime1,
  ]);
}

/** Takes 64 bytes into the lanes. */
function accumulate(input: DataView, offset: number, start: number): void {
  for (let i = 0; i < 8; i++) {
    const l = input.getInt32(offset + 8 * i, true);
    const h = input.getInt32(offset + 8 * i + 4, true);
    addToLane(i ^ 1, h, l);
    const kl = l ^ (secret[start + 8 * i] as number);
    const kh = h ^ (secret[start + 8 * i + 4] as number);
    addToLane(i, mulHigh(kl, kh), Math.imul(kl, kh));
  }
}

function addToLane(i: number, h: number, l: number): void {
  const sum = ((lanes[2 * i + 1] as number) >>> 0) + (l >>> 0);
  lanes[2 * i] = (lanes[2 * i] as number) + h + (sum > 0xffffffff ? 1 : 0);
  lanes[2 * i + 1] = sum;
}

function scramble(): void {
  for (let i = 0; i < 8; i++) {
    high = lanes[2 * i] as number;
    low = lanes[2 * i + 1] as number;
    xorShift(47);
    high ^= secret[128 + 8 * i + 4] as number;
    low ^= secret[128 + 8 * i] as number;
    lanes[2 * i] = mulHigh(low, shortPrime1) + Math.imul(high, shortPrime1);
    lanes[2 * i + 1] = Math.imul(low, shortPrime1);
  }
}

const blockBytes = 1024;

function long(input: DataView, n: number): void {
  startLanes();
  let at = 0;
  for (; at + blockBytes < n; at += blockBytes) {
    for (let i = 0; i < 16; i++) {
      accumulate(input, at + 64 * i, 8 * i);
    }
    scramble();
  }
  const stripes = Math.floor((n - 1 - at) / 64);
  for (let i = 0; i < stripes; i++) {
    accumulate(input, at + 64 * i, 8 * i);
  }
  accumulate(input, n - 64, 121);
  begin(n);
  for (let i = 0; i < 4; i++) {
    addFolded(
      (lanes[4 * i] as number) ^ (secret[11 + 16 * i + 4] as number), (lanes[4 * i + 1] as number) ^ (secret[11 + 16 * i] as number),
      (lanes[4 * i + 2] as number) ^ (secret[11 + 16 * i + 12] as number), (lanes[4 * i + 3] as number) ^ (secret[11 + 16 * i + 8] as number),
    );
  }
  avalanche();
}

/** Hashes bytes, and puts the 8 bytes of their hash into a view at a place. */
export function putHash(bytes: Uint8Array, view: DataView, offset: number): void {
  compute(bytes);
  view.setInt32(offset, low, true);
  view.setInt32(offset + 4, high, true);
}

/** The hash of a text, by the function of the trailer [MXP-1.6]. */
export function hashText(text: string): bigint {
  const to = new DataView(new ArrayBuffer(8));
  putHash(new TextEncoder().encode(text), to, 0);
  return to.getBigUint64(0, true);
}

/** Whether the 8 bytes at a place of a view are the hash of bytes. */
export function isHash(bytes: Uint8Array, view: DataView, offset: number): boolean {
  compute(bytes);
  return view.getInt32(offset, true) === low && view.getInt32(offset + 4, true) === high;
}

function compute(bytes: Uint8Array): void {
  const input = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const n = bytes.length;
  if (n <= 16) {
    upTo16(input, n);
  } else if (n <= 128) {
    upTo128(input, n);
  } else if (n <= 240) {
    upTo240(input, n);
  } else {
    long(input, n);
  }
}
