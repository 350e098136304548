// TextMate's grammar and Tree-sitter's queries give each token the same class, in all
// schemas of the repository that are of the grammar.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { captures, classesOf, folder, load } from "./textmate.ts";

const root = path.join(folder, "../..");

interface Piece {
  start: number;
  end: number;
  class: string;
}

function schemas(): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "*.sdp"], { cwd: root, encoding: "utf8" });
  return listed.split("\0").filter((name) => name !== "").map((name) => path.join(root, name));
}

/** treeSitter has the pieces of each schema, null where the grammar finds a mistake. */
function treeSitter(names: string[]): Record<string, Piece[] | null> {
  const query = path.join(root, "editors/tree-sitter-sdp/queries/highlights.scm");
  const output = execFileSync("go", ["run", "./classes", query, ...names], {
    cwd: path.join(root, "editors/tree-sitter-sdp"),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return JSON.parse(output) as Record<string, Piece[] | null>;
}

test("TextMate's classes are Tree-sitter's", async () => {
  const grammar = await load();
  const differences: string[] = [];
  const seen = new Set<string>();
  let files = 0;
  for (const [name, pieces] of Object.entries(treeSitter(schemas()))) {
    if (pieces === null) continue;
    files++;
    const bytes = readFileSync(name);
    const text = bytes.toString("utf8");
    const expected: string[] = new Array<string>(text.length).fill("");
    for (const piece of pieces) {
      const start = bytes.toString("utf8", 0, piece.start).length;
      expected.fill(piece.class, start, start + bytes.toString("utf8", piece.start, piece.end).length);
      seen.add(piece.class);
    }
    const found = classesOf(grammar, text);
    for (let i = 0; i < text.length; i++) {
      if (found[i] === expected[i] || /\s|\uFEFF/.test(text[i] ?? "")) continue;
      const line = text.slice(0, i).split("\n").length;
      differences.push(`${path.relative(root, name)}:${line}: ${JSON.stringify(text.slice(i, i + 20))} is ${expected[i]}, and TextMate's ${found[i]}`);
      while (/\S/.test(text[i + 1] ?? " ")) i++;
    }
  }
  assert.deepEqual(differences.slice(0, 40), []);
  assert.deepEqual([...seen].sort(), captures, "a class is in no schema");
  assert.ok(files > 100, `only ${files} schemas were compared`);
});
