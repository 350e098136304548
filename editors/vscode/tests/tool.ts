// The program sdp of this repository.

import { execFileSync } from "node:child_process";
import path from "node:path";

const root = path.join(import.meta.dirname, "../../..");

/** builtTool makes the program, unless SDP_PROGRAM says which one is tested, and returns its path. */
export function builtTool(): string {
  const given = process.env["SDP_PROGRAM"];
  if (given !== undefined) return path.resolve(given);
  const made = path.join(root, "target", "sdp");
  execFileSync("go", ["build", "-o", made, "./cmd/sdp"], { cwd: root, stdio: "inherit" });
  return made;
}
