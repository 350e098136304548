// Answers the harness about frames and sessions with the TypeScript library. conformance/README.md
// describes the lines.
import { createInterface } from "node:readline";
import { directory } from "./directory.js";
import { frames } from "./frames.js";
import { network } from "./network.js";
import { sessions } from "./sessions.js";

function answer(line: string): string {
  const [first = "", ...words] = line.split(" ").filter((word) => word !== "");
  try {
    switch (first) {
      case "session":
        return sessions(words);
      case "directory":
        return directory(words);
      default:
        return frames(first, words);
    }
  } catch (error) {
    return `error\t${String(error instanceof Error ? error.stack : error).replaceAll("\n", " ")}`;
  }
}

if (process.argv[2] === "network") {
  await network();
} else {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    process.stdout.write(`${answer(line)}\n`);
  }
}
