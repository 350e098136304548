// Answers conformance requests with the TypeScript code that `sdp gen` made, in Node and in browsers. It
// knows no schema: ../build writes the table of types beside it. conformance/README.md describes the lines.
import * as sdp from "./sdp/index.js";
import { schemas } from "./types.js";

/** The generated code of a struct, message or union. */
export interface Entry {
  readonly type: sdp.Type<any>;
  readonly fingerprints: sdp.Fingerprints;
  readonly decode: (bytes: Uint8Array, options?: sdp.DecodeOptions<any>) => any;
  readonly encode: (value: any, into?: Uint8Array) => Uint8Array;
  readonly decodeMessage?: (bytes: Uint8Array, options?: sdp.DecodeOptions) => any;
  readonly encodeMessage?: (value: any, into?: Uint8Array) => Uint8Array;
}

export interface Schema {
  readonly types: Readonly<Record<string, Entry>>;
  readonly dispatch?: (bytes: Uint8Array, options?: sdp.DecodeOptions) => { readonly type: string; readonly value: unknown };
  readonly read?: (source: sdp.Source, options?: sdp.DecodeOptions) => sdp.MessageReader<{ readonly type: string; readonly value: unknown }>;
  /** Names of the schema by the names of TypeScript. */
  readonly names: Readonly<Record<string, string>>;
}

interface Request {
  readonly op: string;
  readonly schema: Schema;
  readonly entry: Entry;
  readonly data: Uint8Array;
  readonly limits: Partial<sdp.Limits>;
  readonly size: number | undefined;
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const unhex = (text: string): Uint8Array => new Uint8Array((text.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)));

function rejected(error: unknown): string {
  if (!(error instanceof sdp.SdpError)) {
    throw error;
  }
  return `reject\terror=${error.code}\toffset=${error.offset}\tpath=${error.path}`;
}

/** A part of an answer, or the refusal in its place. */
function part(key: string, make: () => string): string {
  try {
    return `\t${key}=${make()}`;
  } catch (error) {
    if (!(error instanceof sdp.SdpError)) {
      throw error;
    }
    return `\t${key}_refusal=${error.code} ${error.path}`;
  }
}

function accepted(entry: Entry, value: unknown): string {
  return `accept${part("json", () => sdp.toJson(entry.type, value))}${part("bytes", () => hex(entry.encode(value)))}`;
}

function framed(schema: Schema, name: string, value: unknown): string {
  const entry = schema.types[name] as Entry;
  return `accept${part("json", () => sdp.toJson(entry.type, value))}${part("bytes", () => hex(entry.encodeMessage!(value)))}\ttype=${name}`;
}

function written(bytes: Uint8Array): string {
  return `accept\tbytes=${hex(bytes)}`;
}

/** The answer with the value that a view shows. */
function viewed(r: Request): string {
  const seen = sdp.view(r.entry.type, r.data, { limits: r.limits });
  return accepted(r.entry, sdp.owned(r.entry.type, seen));
}

/** The values that were decoded last, into which others are read. */
const used = new Map<Entry, unknown>();

const operations: Readonly<Record<string, (r: Request) => string | Promise<string>>> = {
  decode: (r) => accepted(r.entry, r.entry.decode(r.data, { limits: r.limits })),
  exact: (r) => accepted(r.entry, r.entry.decode(r.data, { limits: r.limits, exact: true })),
  reuse: (r) => {
    const value = r.entry.decode(r.data, { limits: r.limits, into: used.get(r.entry) });
    used.set(r.entry, value);
    return accepted(r.entry, value);
  },
  prefix: (r) => {
    const prefix = { used: 0 };
    const value = r.entry.decode(r.data, { limits: r.limits, prefix });
    return `${accepted(r.entry, value)}\tused=${prefix.used}`;
  },
  message: (r) => {
    const value = r.entry.decodeMessage!(r.data, { limits: r.limits });
    const name = Object.keys(r.schema.types).find((one) => r.schema.types[one] === r.entry) as string;
    return framed(r.schema, name, value);
  },
  dispatch: (r) => {
    const { type, value } = r.schema.dispatch!(r.data, { limits: r.limits });
    return framed(r.schema, r.schema.names[type] as string, value);
  },
  view: viewed,
  stream,
  json: (r) => accepted(r.entry, sdp.fromJson(r.entry.type, r.data)),
  encode: (r) => written(r.entry.encode(sdp.fromJson(r.entry.type, r.data))),
  encode_message: (r) => written(r.entry.encodeMessage!(sdp.fromJson(r.entry.type, r.data))),
  encode_into: (r) => written(r.entry.encode(sdp.fromJson(r.entry.type, r.data), new Uint8Array(r.size ?? 0))),
  layout: (r) => `accept\tlayout=${hex(new TextEncoder().encode(sdp.layoutOf(r.entry.type)))}`,
  fingerprints: (r) => {
    const list = (all: readonly bigint[]): string => all.map((n) => n.toString(16).padStart(16, "0")).join(",");
    const { segments, cumulative } = r.entry.fingerprints;
    return `accept\tsegments=${list(segments)}\tcumulative=${list(cumulative)}`;
  },
};

/** Reads until the clean end, or until a refusal comes for the second time. */
async function stream(r: Request): Promise<string> {
  // In chunks of three bytes, so that nothing lies in one.
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < r.data.length; at += 3) {
    chunks.push(r.data.subarray(at, at + 3));
  }
  const reader = r.schema.read!(chunks, { limits: r.limits });
  const answers: string[] = [];
  for (let refused = 0; refused < 2; ) {
    try {
      const one = await reader.next();
      if (one === undefined) {
        answers.push("end");
        break;
      }
      answers.push(framed(r.schema, r.schema.names[one.type] as string, one.value));
    } catch (error) {
      answers.push(rejected(error));
      refused = (error as sdp.SdpError).code === "type_id_unknown" ? 0 : refused + 1;
    }
  }
  return [`stream\treads=${answers.length}`, ...answers].join("\n");
}

const limitNames: Readonly<Record<string, keyof sdp.Limits>> = {
  message_bytes: "messageBytes",
  elements: "elements",
  depth: "depth",
  memory_bytes: "memoryBytes",
};

/** Splits a line: OP SCHEMA[.TYPE] [HEX] [LIMIT=NUMBER...]. */
function parse(line: string): Request {
  const [op, target, ...rest] = line.split(" ").filter((word) => word !== "");
  const [name, type] = (target ?? "").split(/\.(.*)/s);
  const schema = schemas[name ?? ""];
  const entry = schema?.types[type ?? ""];
  if (op === undefined || schema === undefined || (type !== undefined && entry === undefined)) {
    throw new Error(`no type is called ${target}`);
  }
  let data: Uint8Array = new Uint8Array(0);
  const limits: Partial<sdp.Limits> = {};
  let size: number | undefined;
  for (const word of rest) {
    const [key, number] = word.split("=") as [string, string?];
    const limit = limitNames[key];
    if (number === undefined) {
      data = unhex(key === "-" ? "" : key);
    } else if (key === "size") {
      size = Number(number);
    } else if (limit !== undefined) {
      limits[limit] = Number(number);
    } else {
      throw new Error(`no limit is called ${key}`);
    }
  }
  return { op, schema, entry: entry as Entry, data, limits, size };
}

/** The answer to a line. */
export async function answer(line: string): Promise<string> {
  try {
    const request = parse(line);
    const operation = operations[request.op];
    if (operation === undefined) {
      throw new Error(`no operation is called ${request.op}`);
    }
    try {
      return await operation(request);
    } catch (error) {
      return rejected(error);
    }
  } catch (error) {
    return `error\tmessage=${String(error).replaceAll("\n", " ")}`;
  }
}
