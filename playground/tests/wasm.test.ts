// The compiler as WebAssembly answers what the tool says, is small, and is fast.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import parts from "parts.json";
import { bestQuality, sizes } from "../build/sizes.mjs";
import type { About, Schema } from "../web/protocol.ts";
import { Compiler } from "./compiler.ts";
import { folder } from "./served.ts";

interface Example {
  title: string;
  schema: Schema;
  type: string;
}

const { about, examples: list } = parts as { about: About; examples: Example[] };
const tool = path.resolve("target/playground-tests/sdp");

/** outputs are the languages and the folders of their starters. */
const outputs: Record<string, string> = { go: "go", rust: "rust/src", cpp: "cpp", python: "python", typescript: "ts" };

let compiler: Compiler;
let scratch: string;

before(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), "sdp-playground-"));
  compiler = await Compiler.start();
});

after(() => rmSync(scratch, { recursive: true }));

/** project writes an example into a folder of its own, as a project with that name. */
function project(example: Example, at: number): string {
  const dir = path.join(scratch, String(at));
  for (const [name, text] of Object.entries({ ...example.schema.files, "go.mod": "module playground\n\ngo 1.23\n" })) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  return dir;
}

/** filesBelow are the files of schemas in a folder, without runtimes. */
function filesBelow(dir: string, prefix: string): string[] {
  return readdirSync(path.join(dir, prefix), { withFileTypes: true }).flatMap((entry) => {
    const name = `${prefix}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "sdp" ? [] : filesBelow(dir, name);
    return entry.name === "__init__.py" ? [] : [name];
  });
}

test("every example's code, problems and bytes are those of the tool", () => {
  assert.ok(list.length >= 15);
  for (const [at, example] of list.entries()) {
    const dir = project(example, at);
    const { schema } = example;
    const run = (input: string, ...args: string[]): Buffer => execFileSync(tool, args, { cwd: dir, input, stdio: ["pipe", "pipe", "ignore"] });

    const told = JSON.parse(run("", "check", "--format", "json", schema.root).toString()) as { diagnostics: { code: string; message: string }[] };
    const checked = compiler.ask("check", { schema });
    assert.deepEqual(
      checked.diagnostics.map(({ code, message }) => ({ code, message })),
      told.diagnostics.map(({ code, message }) => ({ code, message })),
    );

    run("", "gen", schema.root, ...Object.entries(outputs).flatMap(([language, to]) => ["--out", `${language}=${to}`]));
    for (const [language, to] of Object.entries(outputs)) {
      const { files } = compiler.ask("generate", { schema, language, options: {} });
      assert.deepEqual(files.map((file) => file.path).sort(), filesBelow(dir, to).sort(), `${example.title} in ${language}`);
      for (const file of files) assert.equal(file.text, readFileSync(path.join(dir, file.path), "utf8"), file.path);
    }

    const type = example.type || checked.types[0]!.name;
    const { json } = compiler.ask("sample", { schema, type });
    const encoded = compiler.ask("encode", { schema, type, message: false, json });
    assert.equal(encoded.refusal, null);
    const bytes = run(json, "convert", schema.root, type, "--from", "json", "--to", "bytes");
    assert.equal(encoded.hex, bytes.toString("hex"), example.title);
    assert.equal(compiler.ask("decode", { schema, type, message: false, hex: encoded.hex }).json, json);
  }
});

test("all of it is small once it is compressed", () => {
  // A quick quality makes more of it, and shows growth as well.
  const [quality, most] = process.env.PLAYGROUND_SIZE === "exact" ? [bestQuality, 2_000_000] : [9, 2_260_000];
  const { lines, sum } = sizes(folder, quality);
  console.log(lines.join("\n"));
  assert.ok(sum > 1_000_000 && sum <= most, `${sum} bytes, and ${most} are the most`);
});

test("a key is answered within 50 ms", () => {
  const took: number[] = [];
  for (const { schema, title } of list) {
    const files = { ...schema.files };
    const times: number[] = [];
    for (let key = 0; key < 12; key++) {
      files[schema.root] += " ";
      const begun = performance.now();
      compiler.ask("check", { schema: { root: schema.root, files: { ...files } } });
      times.push(performance.now() - begun);
    }
    const median = times.sort((a, b) => a - b)[times.length / 2]!;
    took.push(median);
    assert.ok(median < 50, `${title}: ${median} ms`);
  }
  console.log(`medians of checking an example anew: ${Math.min(...took).toFixed(1)} to ${Math.max(...took).toFixed(1)} ms`);
});

test("hostile schemas are answered", () => {
  const schemaOf = (text: string): Schema => ({ root: "a.sdp", files: { "a.sdp": text } });
  const check = (text: string): number => compiler.ask("check", { schema: schemaOf(text) }).errors;
  assert.ok(check(`struct A { a: ${"[]".repeat(10_000)}u8 }`) > 0);
  assert.ok(check("(".repeat(10_000)) > 0);
  assert.ok(check("\u0000".repeat(100_000)) > 0);
  assert.ok(check(`struct A { ${"a: u8, ".repeat(50_000)} }`) > 0);
  assert.ok(compiler.ask("check", { schema: schemaOf("struct A { a: b }".repeat(1000)) }).diagnostics.length <= 200);
  assert.throws(() => check("x".repeat((1 << 20) + 1)), /1048576 are the most/);
});

// Maps with more than 896 keys are read in another way, which once ended the compiler.
test("a schema of more than a thousand declarations is answered as a small one is", () => {
  const one = (i: number, more = ""): string => `message M${i} { a: []u8, b: map<str, ?u64>, c: E${i}, d: [3]U${i}, e: ?S${i}${more} }
    struct S${i} { a: f64, b: [2]bool } enum E${i}: u8 { Z = 0 } union U${i} { A = 1, B(S${i}) = 2, C { c: str } = 3 }\n`;
  const schemaOf = (more?: string): Schema => ({ root: "a.sdp", files: { "a.sdp": Array.from({ length: 300 }, (_, i) => one(i, more)).join("") } });
  const schema = schemaOf();
  const checked = compiler.ask("check", { schema });
  assert.equal(checked.errors, 0);
  assert.equal(checked.types.length, 900);
  const { report } = compiler.ask("breaking", { schema: schemaOf(", @since(2) f: u8"), old: schema, for: [] });
  assert.equal(report?.changes.length, 300);
  const { json } = compiler.ask("sample", { schema, type: "M299" });
  assert.equal(compiler.ask("encode", { schema, type: "M299", message: false, json }).refusal, null);
  assert.ok(compiler.ask("generate", { schema, language: "typescript", options: {} }).files[0]!.text.length > 1_000_000);
});

test("the page knows of the compiler what it says itself", () => {
  assert.deepEqual(compiler.ask("about", {}), about);
  assert.match(about.version, /^\d+\.\d+\.\d+$/);
});

test("what is no question has an answer, too", () => {
  assert.throws(() => compiler.ask("nothing" as "about", {}), /there is no question/);
  assert.throws(() => compiler.ask("generate", { schema: list[0]!.schema, language: "cobol", options: {} }), /no generator/);
  assert.throws(() => compiler.ask("decode", { schema: list[0]!.schema, type: "Absent", message: false, hex: "" }), /no type "Absent"/);
});
