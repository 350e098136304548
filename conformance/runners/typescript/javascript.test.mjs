// Holds the JavaScript that sdp generates, and its declarations, against what the compiler of
// TypeScript makes of the TypeScript of the same schema:
//
//   node conformance/runners/typescript/javascript.test.mjs SDP SCHEMA...
//
// SDP is the tool. Texts are printed anew by the same printer before they are compared, so that
// only their layout may differ.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

const root = path.resolve(import.meta.dirname, "../../..");
const ts = createRequire(path.join(root, "runtime/typescript/package.json"))("typescript");
const [tool, ...schemas] = process.argv.slice(2);
assert(schemas.length > 0, "name the tool and the schemas");

const target = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, isolatedDeclarations: true };

/** A module as the compiler prints it. */
const code = (text, name) => ts.transpileModule(text, { fileName: name, compilerOptions: { ...target, allowJs: true, removeComments: true } }).outputText;

/** Declarations with their comments, as the compiler prints them. */
function declarations(text) {
  const file = ts.createSourceFile("declarations.d.ts", text, target.target, true);
  assert.deepEqual(file.parseDiagnostics, []);
  return ts.createPrinter().printFile(file);
}

/** A text without what stands before the first statement: its head says which of the texts it is. */
const body = (text) => text.replace(/^(?:\/\/.*\n|\/\* eslint-disable \*\/\n|\n)*/, "");

/** The functions and constants that begin generated code's calls, which bundlers may leave out. */
const pure = (text) => text.match(/\/\* @__PURE__ \*\/ [\w.$]+/g);

for (const schema of schemas) {
  test(path.basename(schema), () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "sdp-javascript-"));
    try {
      const made = (name, ...flags) => {
        const out = path.join(folder, name);
        execFileSync(tool, ["gen", schema, "--services", "--typescript-runtime", "../sdp/index.js", "--out", `ts=${out}`, ...flags], { stdio: ["ignore", "ignore", "inherit"] });
        return Object.fromEntries(readdirSync(out).sort().map((file) => [file, readFileSync(path.join(out, file), "utf8")]));
      };
      const [source, plain] = [made("ts"), made("js", "--js")];
      const modules = Object.keys(source).map((file) => file.replace(/\.ts$/, ""));
      assert(modules.length > 0);
      assert.deepEqual(Object.keys(plain), modules.flatMap((name) => [`${name}.d.ts`, `${name}.js`]));
      for (const name of modules) {
        const text = source[`${name}.ts`];
        assert.equal(code(plain[`${name}.js`], `${name}.js`), code(text, `${name}.ts`));
        assert.deepEqual(pure(plain[`${name}.js`]), pure(text));
        const { outputText, diagnostics } = ts.transpileDeclaration(text, { fileName: `${name}.ts`, compilerOptions: target });
        assert.deepEqual(diagnostics, []);
        assert.equal(declarations(body(plain[`${name}.d.ts`])), declarations(body(outputText)));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
