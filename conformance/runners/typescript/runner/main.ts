// Answers conformance requests in Node: a line each.
import { createInterface } from "node:readline";
import { answer } from "./answers.js";

for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  if (line.trim() !== "") {
    process.stdout.write(`${await answer(line)}\n`);
  }
}
