// The parts of the page that need no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection, type Port, TookTooLong, overtaken } from "../web/connection.ts";
import { byteAt, layOut, readDigits } from "../web/hex.ts";
import { Measuring, type MeasuringPort, ProcessorTime, measureShare } from "../web/processor-time.ts";
import { innermost, isWithin, locate } from "../web/pointers.ts";
import type { FromWorker, ToWorker } from "../web/protocol.ts";
import { type State, fromFragment, toFragment } from "../web/state.ts";

/** Worker is a worker that answers when it is told to. */
class Worker implements Port {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  readonly asked: { id: number; kind: string }[] = [];
  ended = false;

  postMessage(message: ToWorker): void {
    if ("module" in message) queueMicrotask(() => this.onmessage?.({ data: { ready: true } }));
    else if ("id" in message) this.asked.push(message);
  }

  terminate(): void {
    this.ended = true;
  }

  answer(answer: unknown, ended = false, failure = ""): void {
    const { id } = this.asked.at(-1)!;
    this.onmessage?.({ data: { id, reply: { answer, failure }, ended } });
  }
}

async function connected(limit = 1000, share = 1): Promise<{ connection: Connection; workers: Worker[] }> {
  const workers: Worker[] = [];
  const spawn = (): Port => {
    workers.push(new Worker());
    return workers.at(-1)!;
  };
  const connection = new Connection(Promise.resolve({} as WebAssembly.Module), spawn, limit, () => Promise.resolve(share));
  await new Promise((resolve) => setTimeout(resolve, 1));
  return { connection, workers };
}

test("of a topic's questions only the newest is answered", async () => {
  const { connection, workers } = await connected();
  const answers = [1, 2, 3].map(() => connection.ask("explain", { code: "S0101" }));
  const other = connection.ask("about", {});
  assert.equal(workers[0]!.asked.length, 1);
  workers[0]!.answer("old");
  workers[0]!.answer("new");
  workers[0]!.answer("about");
  assert.deepEqual(await Promise.all(answers), [overtaken, overtaken, "new"]);
  assert.equal(await other, "about");
  assert.deepEqual(workers[0]!.asked.map(({ kind }) => kind), ["explain", "explain", "about"]);
});

test("a worker that takes too long is ended, and the next question has another", async () => {
  const { connection, workers } = await connected(20);
  const slow = connection.ask("check", { schema: { root: "", files: {} } });
  const next = connection.ask("about", {});
  await assert.rejects(slow, TookTooLong);
  assert.ok(workers[0]!.ended);
  await new Promise((resolve) => setTimeout(resolve, 1));
  workers[0]!.answer("late");
  workers[1]!.answer("in time");
  assert.equal(await next, "in time");
  assert.equal(connection.restarts, 1);
});

test("a worker has longer where the processor is shared, and its limit all the same", async () => {
  const begun = performance.now();
  const { connection } = await connected(100, 0.25);
  await assert.rejects(connection.ask("about", {}), TookTooLong);
  const took = performance.now() - begun;
  assert.ok(took >= 400, `it was ended after ${took} ms`);
});

test("a measurement that does not come ends no run, and a worker that fails leaves the clock to count", async () => {
  const measuring = new Measuring(() => ({ postMessage() {}, onmessage: null, onerror: null }));
  let over = false;
  const time = new ProcessorTime(measuring.share, 20, () => {
    over = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  time.stop();
  assert.equal(over, false);
  const failing: MeasuringPort = { postMessage: () => queueMicrotask(() => failing.onerror?.()), onmessage: null, onerror: null };
  assert.equal(await new Measuring(() => failing).share(), 1);
});

test("what a measurement finds is a share", () => {
  const share = measureShare();
  assert.ok(share > 0 && share <= 1.5, `${share}`);
});

test("a compiler that has ended is begun again", async () => {
  const { connection, workers } = await connected();
  const broken = connection.ask("about", {});
  workers[0]!.answer(null, true, "the compiler has ended");
  await assert.rejects(broken, /has ended/);
  const next = connection.ask("about", {});
  await new Promise((resolve) => setTimeout(resolve, 1));
  workers[1]!.answer("again");
  assert.equal(await next, "again");
});

const state: State = {
  root: "a.sdp",
  files: { "a.sdp": "struct A { a: str }\n".repeat(50), "b.sdp": "// 語 \u{1f600}\n" },
  tab: "value",
  language: "rust",
  options: { rust: { forms: "owned,views" } },
  type: "A",
  message: false,
  lead: "hex",
  value: "01 00",
  old: "",
  columns: ["json"],
};

test("a state comes back from its fragment", async () => {
  const fragment = await toFragment(state);
  assert.match(fragment, /^1\.[-\w]+$/);
  assert.ok(fragment.length < 500);
  assert.deepEqual(await fromFragment(fragment), state);
});

test("fragments that nobody has written here are refused, or made harmless", async () => {
  for (const fragment of ["", "1.", "2.AAAA", "1.!!!!", "1.AAAA", `1.${"A".repeat(100_000)}`]) {
    assert.equal(await fromFragment(fragment), undefined, fragment.slice(0, 20));
  }
  const written = (value: unknown): Promise<string> => toFragment(value as State);
  for (const value of [null, 3, [], {}, { root: "a", files: { b: "" } }, { root: "toString", files: {} }]) {
    assert.equal(await fromFragment(await written(value)), undefined);
  }
  const odd = await fromFragment(await written({ root: "a", files: { a: 3 }, options: [1], columns: { a: 1 }, lead: "x", message: "yes" }));
  assert.deepEqual(odd, { root: "a", files: { a: "" }, tab: "", language: "", options: {}, type: "", message: false, lead: "json", value: "", old: "", columns: [] });
  const bomb = await written({ root: "a", files: { a: "a".repeat(16 << 20) } });
  assert.ok(bomb.length < 100_000);
  assert.equal(await fromFragment(bomb), undefined);
});

test("digits are read wherever blanks are, up to a fault", () => {
  const hex = "000102030405060708090a0b0c0d0e0f10ff";
  const text = layOut(hex);
  assert.equal(text, "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n10 ff");
  const digits = readDigits(text);
  assert.equal(digits.hex, hex);
  assert.deepEqual([digits.places[1], digits.places[16], digits.fault], [3, 48, -1]);
  assert.deepEqual(readDigits(" 0A\tfF0b"), { hex: "0aff0b", places: [1, 4, 6], fault: -1 });
  assert.deepEqual([readDigits("00 0").fault, readDigits("00 0g").fault, readDigits("0x00").fault, readDigits("00 語").fault], [3, 4, 1, 3]);
  assert.deepEqual([0, 1, 2, 3, 47, 48, 49].map((at) => byteAt(digits.places, at)), [0, 0, 0, 1, 15, 16, 16]);
  assert.equal(byteAt([], 0), -1);
});

test("values of JSON are found with their pointers", () => {
  const text = '{"a": [1, {"b/~": "x\\"}"}], "c": {}}';
  const found = locate(text);
  assert.deepEqual(
    found.map(({ pointer, from, to }) => [pointer, text.slice(from, to)]),
    [
      ["", text],
      ["/a", '[1, {"b/~": "x\\"}"}]'],
      ["/a/0", "1"],
      ["/a/1", '{"b/~": "x\\"}"}'],
      ["/a/1/b~1~0", '"x\\"}"'],
      ["/c", "{}"],
    ],
  );
  const at = (part: string): string | undefined => innermost(found, text.indexOf(part) + 1)?.pointer;
  assert.deepEqual([at('"a"'), at("1, "), at('"b/'), at("x"), at('"c"')], ["/a", "/a/0", "/a/1/b~1~0", "/a/1/b~1~0", "/c"]);
  assert.ok(isWithin("/a/1", "/a") && isWithin("/a", "/a") && isWithin("/a", "") && !isWithin("/ab", "/a"));
});

test("long strings of JSON are gone through at once", () => {
  for (const unit of ["a", "\\n", '\\"']) {
    const text = `["${unit.repeat(400_000)}", 1]`;
    assert.deepEqual(locate(text).map(({ pointer }) => pointer), ["", "/0", "/1"]);
  }
});

test("texts that are no JSON have the values before the fault", () => {
  assert.deepEqual(locate('{"a": 1, "b": }').map(({ pointer }) => pointer), ["", "/a", "/b"]);
  for (const text of ["", "{", "[", '"', '{"', '{"a"', '{"a":', "[1,", "}", '{"a": "\\', "{".repeat(100_000), "[".repeat(100_000)]) {
    assert.ok(locate(text).every(({ from, to }) => from <= to && to <= text.length), text.slice(0, 10));
  }
});
