// Answers conformance requests in Node: a line each. Files are read and written by themselves, since Node's streams
// know no pipe of Wine.
import { readSync, writeSync } from "node:fs";
import { answer } from "./answers.js";

/** The lines of standard input. */
function* lines(): Generator<string> {
  const piece = Buffer.alloc(64 << 10);
  let rest: Buffer = Buffer.alloc(0);
  for (let n = read(piece); n > 0; n = read(piece)) {
    rest = Buffer.concat([rest, piece.subarray(0, n)]);
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.toString("utf8", 0, end);
      rest = rest.subarray(end + 1);
    }
  }
}

/** The number of bytes that were read; 0 at the end, which is an error on Windows. */
function read(into: Buffer): number {
  try {
    return readSync(0, into);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EOF") {
      return 0;
    }
    throw error;
  }
}

for (const line of lines()) {
  if (line.trim() !== "") {
    const said = Buffer.from(`${await answer(line)}\n`);
    for (let n = 0; n < said.length;) {
      n += writeSync(1, said, n);
    }
  }
}
