// Damages values of every type, in bytes and as JSON: each result is a value or an SdpError, and an
// accepted value has an encoding that gives it again. The gate does the same each time; FUZZ_COUNT and
// FUZZ_SEED do more, and other damage.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as sdp from "./sdp/index.js";
import { explained } from "./sdp/json_read.js";
import { schemas } from "./types.js";

/** Numbers that look random, and are the same for a seed (the generator is mulberry32). */
function generator(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const seed = Number(process.env["FUZZ_SEED"] ?? 1);
const executions = Number(process.env["FUZZ_COUNT"] ?? 60_000);
const random = generator(seed);

/** Interesting bytes: bytes of counts and tags, and the ends of UTF-8. */
const bytes = [0, 1, 2, 3, 4, 0x20, 0x22, 0x5c, 0x7b, 0x7f, 0x80, 0xbf, 0xc3, 0xed, 0xf4, 0xff];

function damage(from: Uint8Array): Uint8Array {
  const out = [...from];
  for (let edits = 1 + random(4); edits > 0; edits--) {
    const at = random(out.length + 1);
    switch (random(5)) {
      case 0:
        out.splice(at, 1);
        break;
      case 1:
        out.splice(at, 0, bytes[random(bytes.length)] as number);
        break;
      case 2:
        out[at] = (out[at] ?? 0) ^ (1 << random(8));
        break;
      case 3:
        out[at] = bytes[random(bytes.length)] as number;
        break;
      default:
        out.splice(at, random(8), ...out.slice(random(out.length + 1)).slice(0, random(8)));
    }
  }
  return new Uint8Array(out);
}

/** Tokens near the tokens of values: other forms of the same, and numbers beyond their ends. */
const tokens = [
  "0", "-0", "1.0", "1e2", "01", "1.", "-1", "-129", "256", "65536", "4294967296", "9007199254740993", "18446744073709551615", "18446744073709551616", "16777217", "0.1", "1e400", "1e-46",
  "3.4028235677973366e38", "1.00000005960464477539062500", "null", "true", "[]", "{}", '"1"', '"-1"', '""', '"NaN"', '"Infinity"', '"NaN:7fc00001"', '"\\u0061"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\n"', '"AA=="', '"false"', " 1 ", "\n", "\u00a0",
];

/** A damaged text: its UTF-8, of any bytes, or one of other tokens and white space. */
function damageText(text: string): string | Uint8Array {
  if (random(3) === 0) {
    return damage(new TextEncoder().encode(text));
  }
  const all = text.match(/"(?:[^"\\]|\\.)*"|[-\d.eE+]+|[^]/g) ?? [];
  for (let edits = random(3); edits >= 0; edits--) {
    const at = random(all.length + 1);
    all.splice(at, random(4) === 0 ? 0 : 1, ...(random(5) === 0 ? all.slice(random(all.length + 1)).slice(0, random(8)) : [tokens[random(tokens.length)] as string]));
  }
  return all.join(random(2) === 0 ? " " : "");
}

/** The value of a run, or the text of its refusal. */
function outcome<T>(run: () => T): { readonly value?: T; readonly refusal?: string } {
  try {
    return { value: run() };
  } catch (error) {
    if (!(error instanceof sdp.SdpError)) {
      throw error;
    }
    assert(error.code !== undefined && error.offset >= -1);
    return { refusal: error.message };
  }
}

function accepted<T>(run: () => T): T | undefined {
  return outcome(run).value;
}

test(`damaged bytes and texts give values or SdpError (seed ${seed}, ${executions} executions)`, () => {
  const entries = Object.values(schemas).flatMap((schema) => Object.values(schema.types));
  const corpora = entries.map((entry) => {
    const zero = accepted(() => entry.encode(sdp.zero(entry.type))) ?? new Uint8Array(9);
    return { entry, corpus: [zero, new Uint8Array([1, 4, 0, 0, 0, 1, 0, 0, 0]), new Uint8Array(40)], texts: ["{}"] };
  });
  const used = new Map<object, unknown>();
  let values = 0;
  for (let i = 0; i < executions; i++) {
    const { entry, corpus, texts } = corpora[random(corpora.length)] as (typeof corpora)[number];
    const damaged = damage(corpus[random(corpus.length)] as Uint8Array);
    const options = random(4) === 0 ? { exact: true } : {};
    const { value, refusal } = outcome(() => entry.decode(damaged, options));
    outcome(() => entry.decode(damaged, { limits: { memoryBytes: random(1000) } })); // whose refusals have names, too
    const seen = outcome(() => sdp.view(entry.type, damaged, options));
    assert.equal(seen.refusal, refusal);
    const again = outcome(() => entry.decode(damaged, { ...options, into: used.get(entry) }));
    assert.equal(again.refusal, refusal);
    assert.deepEqual(again.value, value);
    used.set(entry, again.value ?? used.get(entry));
    if (seen.value !== undefined) {
      assert.deepEqual(sdp.owned(entry.type, seen.value), value);
    }
    if (value !== undefined) {
      values++;
      const encoded = accepted(() => entry.encode(value));
      const text = accepted(() => sdp.toJson(entry.type, value));
      assert.equal(encoded === undefined, text === undefined);
      if (encoded !== undefined && text !== undefined) {
        assert.equal(sdp.toJson(entry.type, entry.decode(encoded)), text);
        assert.deepEqual(entry.encode(sdp.fromJson(entry.type, text)), encoded);
        if (corpus.length < 40 && damaged.length < 200) {
          corpus.push(damaged);
          texts.push(text);
        }
      }
    }
    const json = damageText(texts[random(texts.length)] as string);
    const read = accepted(() => sdp.fromJson(entry.type, json));
    if (typeof json === "string") {
      assert.deepEqual(read, accepted(() => explained(entry.type, json))); // as without the fast reader
    }
    if (read !== undefined) {
      accepted(() => entry.encode(read));
    }
  }
  assert(values > executions / 20, `only ${values} values`);
});
