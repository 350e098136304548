// Says which texts ajv accepts by the schemas that the tool has written.
//
// Its input is lines of JSON: a schema's path, a text in base64, and the tool's verdict. For each
// it prints whether ajv agrees. Where not, it prints the text as JSON.stringify writes it, so that
// losses of JSON.parse are told apart from gaps of the schema.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import Ajv2020 from "ajv/dist/2020.js";

const validators = new Map();

function validatorOf(path) {
  let found = validators.get(path);
  if (found === undefined) {
    const ajv = new Ajv2020({ strict: true, ownProperties: true });
    found = ajv.compile(JSON.parse(readFileSync(path, "utf8")));
    validators.set(path, found);
  }
  return found;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parsed(text) {
  try {
    return { value: JSON.parse(utf8.decode(Buffer.from(text, "base64"))) };
  } catch {
    return undefined;
  }
}

// The stand-in for halves of surrogate pairs is no half of one.
function wellFormed(_key, value) {
  if (typeof value === "string") return value.toWellFormed();
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), inner]));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { schema, text, accepted } = JSON.parse(line);
  const validate = validatorOf(schema);
  const json = parsed(text);
  const valid = json !== undefined && validate(json.value);
  if (valid === accepted) {
    console.log("=");
    continue;
  }
  const written = json === undefined ? "" : JSON.stringify(json.value, wellFormed);
  console.log(JSON.stringify({ written: Buffer.from(written).toString("base64"), why: validate.errors?.[0] ?? null }));
}
