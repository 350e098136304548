// Times JSON of messages in rounds, in each of which all take turns: SDP's, protobuf-es's with JSON.parse and JSON.stringify,
// and those two alone. Tells the median of the rounds' ratios with an interval of 95 %. Texts are compared before.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { createFileRegistry, fromBinary, fromJson as fromJsonES, toJson as toJsonES } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import protobufjs from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import * as plugins from "./out/json/plugins.js";
import * as session from "./out/json/session.js";
import { fromJson, toJson } from "./out/json/sdp/index.js";

const rounds = Number(process.argv[2] ?? 31);
const turnMs = 40;

/** protobuf-es's schema of a message: it is told of types by descriptors, which its generated code has, too. */
function schemaES(file, name) {
  const root = new protobufjs.Root();
  root.loadSync(file, { keepCase: true });
  const made = root.toDescriptor("proto3");
  const set = fromBinary(FileDescriptorSetSchema, made.constructor.encode(made).finish());
  const named = (messages, around) => {
    for (const message of messages) {
      for (const field of message.field) {
        field.jsonName = field.name; // both are as protoc fills them in
        if (field.typeName !== "" && !field.typeName.startsWith(".")) {
          const nested = message.nestedType.some((one) => one.name === field.typeName);
          field.typeName = `${around}${nested ? `.${message.name}` : ""}.${field.typeName}`;
        }
      }
      named(message.nestedType, `${around}.${message.name}`);
    }
  };
  for (const one of set.file) {
    named(one.messageType, `.${one.package}`);
  }
  return createFileRegistry(set).getMessage(name);
}

/** A session of so many tracks. */
function sessionText(tracks) {
  const track = (i) => ({
    id: String(9007199254740993n * BigInt(i + 1)), name: `Track ${i + 1}`, kind: ["Audio", "Instrument", "Bus"][i % 3], color: { red: i * 7, green: 200, blue: 255 - i },
    volume: [0.7079458, 1, 0.25, 0.8912509, 0.1][i % 5], pan: [-0.5, 0, 0.333333333333][i % 3], muted: i % 4 === 0, channels: [i, i + 1],
    sends: [{ bus: 1, level: 0.31622776, enabled: true }, { bus: 2, level: 0.5, enabled: false }],
    source: i % 2 === 0 ? { Input: i } : { File: `audio/take ${i}, "final".wav` }, comment: i % 3 === 0 ? `Grüße ${i}` : null,
  });
  return JSON.stringify({
    id: "72057594037927937", name: "Live at the Alte Oper", tempo: 121.5, sample_rate: 48000, created_ns: "1764403200000000000",
    picture: Buffer.from(Array.from({ length: 96 }, (_, i) => (i * 37) & 255)).toString("base64"), tags: { artist: "Nobody", genre: "Jazz", room: "Großer Saal" }, tracks: Array.from({ length: tracks }, (_, i) => track(i)),
  });
}

function datasets() {
  const lv2 = JSON.parse(readFileSync("../../examples/registry/lv2-62.json", "utf8"));
  const parts = lv2.plugins.slice(0, 2).map((plugin) => ({ ...plugin, parameters: plugin.parameters.slice(0, 8) }));
  return [
    ["session", session.Session, "json.proto", "p.Session", sessionText(6)],
    ["plugins", plugins.PluginRegistry, "out/plugins.proto", "p.plugins.PluginRegistry", JSON.stringify({ ...lv2, plugins: parts })],
    ["lv2-62", plugins.PluginRegistry, "out/plugins.proto", "p.plugins.PluginRegistry", JSON.stringify(lv2)],
  ];
}

const withDefaults = { alwaysEmitImplicit: true, useProtoFieldName: true };

/** The readers and writers of a message. */
function codecs([name, type, proto, message, given]) {
  const value = fromJson(type, given);
  const text = toJson(type, value);
  const schema = schemaES(proto, message);
  const plain = JSON.parse(text);
  const without = JSON.parse(text, (_, one) => one === null ? undefined : one); // protobuf-es has no member for what is absent
  const other = fromJsonES(schema, without);
  const back = JSON.stringify(toJsonES(schema, other, withDefaults));
  assert.deepEqual(toJson(type, fromJson(type, text)), text);
  const rounded = (one) => typeof one === "number" ? Math.fround(one) : Array.isArray(one) ? one.map(rounded) : typeof one === "object" && one !== null ? Object.fromEntries(Object.entries(one).map(([k, v]) => [k, rounded(v)])) : one;
  assert.deepEqual(rounded(JSON.parse(back)), rounded(without)); // it writes floats of 32 bits as doubles
  const lines = JSON.stringify(plain, null, 2).split("\n").length;
  console.log(`${name}: ${lines} lines, ${text.length} bytes; protobuf-es ${back.length} bytes`);
  const pretty = JSON.stringify(plain, null, 2);
  return {
    bytes: text.length, lines,
    read: { sdp: () => fromJson(type, text), "protobuf-es": () => fromJsonES(schema, JSON.parse(back)), "JSON.parse": () => JSON.parse(text) },
    "read indented": { sdp: () => fromJson(type, pretty), "protobuf-es": () => fromJsonES(schema, JSON.parse(pretty, undefined)), "JSON.parse": () => JSON.parse(pretty) },
    write: { sdp: () => toJson(type, value), "protobuf-es": () => JSON.stringify(toJsonES(schema, other, withDefaults)), "JSON.stringify": () => JSON.stringify(plain) },
  };
}

/** The processor time of one call, in microseconds: of all threads of the process, so also that of collecting garbage. */
function turn(run) {
  const before = process.cpuUsage();
  const end = performance.now() + turnMs;
  let n = 0;
  do {
    for (let i = 0; i < 8; i++) {
      run();
    }
    n += 8;
  } while (performance.now() < end);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / n;
}

const sorted = (list) => [...list].sort((a, b) => a - b);
const median = (list) => sorted(list)[list.length >> 1];
/** The ranks of the order that hold the median with 95 %. */
const interval = (list) => {
  const half = 0.98 * Math.sqrt(list.length);
  const at = (i) => sorted(list)[Math.max(0, Math.min(list.length - 1, Math.round(i)))];
  return [at(list.length / 2 - half - 0.5), at(list.length / 2 + half - 0.5)];
};
const short = (n) => Number(n.toPrecision(3));

/** Times functions in turns, and tells each one's time and how many times as long as it SDP takes. */
function compare(title, all) {
  const names = Object.keys(all);
  const times = Object.fromEntries(names.map((one) => [one, []]));
  for (const one of [...names, ...names]) {
    turn(all[one]);
  }
  for (let round = 0; round < rounds; round++) {
    for (const one of names) {
      times[one].push(turn(all[one]));
    }
  }
  return Object.fromEntries(names.map((one) => {
    const ratios = times.sdp.map((time, i) => time / times[one][i]);
    const row = { us: short(median(times[one])), ratio: short(median(ratios)), interval: interval(ratios).map(short) };
    console.log(title.padEnd(22), one.padEnd(15), `${row.us} µs`.padEnd(10), `SDP takes ${row.ratio} × (${row.interval.join(" to ")})`);
    return [one, row];
  }));
}

const results = { machine: `${os.cpus()[0]?.model ?? "?"}, ${os.cpus().length} processors`, engine: `Node ${process.versions.node}`, rounds, datasets: {} };
for (const dataset of datasets()) {
  const { bytes, lines, ...parts } = codecs(dataset);
  results.datasets[dataset[0]] = { bytes, lines, ...Object.fromEntries(Object.entries(parts).map(([what, all]) => [what, compare(`${dataset[0]} ${what}`, all)])) };
}
writeFileSync("../results/typescript_json.json", `${JSON.stringify(results, null, 2)}\n`);
