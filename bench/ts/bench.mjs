// Times codecs of a registry of audio plugins in rounds, in each of which all take turns, and tells the
// median of the rounds' ratios with an interval of 95 %. Bytes are compared before.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { brotliCompressSync, gunzipSync } from "node:zlib";
import { createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import avsc from "avsc";
import { Builder, ByteBuffer } from "flatbuffers";
import { Packr } from "msgpackr";
import * as fb from "./out/fb.js";
import * as plugins from "./out/js/plugins.js";
import { fromJson, toJson, view } from "./out/js/sdp/index.js";
import protobufjs from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import protobuf from "./out/pb.js";

const rounds = Number(process.argv[2] ?? 31);
const turnMs = 40;

function datasets() {
  const whole = gunzipSync(readFileSync("../data/lv2-483.json.gz")).toString();
  return { "lv2-62": readFileSync("../../examples/registry/lv2-62.json", "utf8"), "lv2-483": whole };
}

const camel = (one) =>
  Array.isArray(one)
    ? one.map(camel)
    : typeof one === "object" && one !== null
      ? Object.fromEntries(Object.entries(one).map(([key, value]) => [key.replace(/_(.)/g, (_, c) => c.toUpperCase()), camel(value)]))
      : one;

const string = "string";
const avro = avsc.Type.forSchema({
  type: "record", name: "PluginRegistry", fields: [
    { name: "plugins", type: { type: "array", items: {
      type: "record", name: "Plugin", fields: [
        ...["name", "manufacturer", "uri", "class"].map((name) => ({ name, type: string })),
        { name: "parameters", type: { type: "array", items: { type: "record", name: "Parameter", fields: [
          { name: "address", type: "long" },
          ...["displayName", "identifier", "unit"].map((name) => ({ name, type: string })),
          ...["minValue", "maxValue", "defaultValue", "currentValue"].map((name) => ({ name, type: "float" })),
          { name: "rawFlags", type: "long" }, { name: "isWritable", type: "boolean" }, { name: "canRamp", type: "boolean" },
        ] } } },
      ],
    } } },
    { name: "totalPluginCount", type: "long" }, { name: "totalParameterCount", type: "long" },
  ],
});

/** protobuf-es's schema of the registry: it is told of types by descriptors, which its generated code has, too. */
function schemaES() {
  const made = protobufjs.loadSync("out/plugins.proto").toDescriptor("proto3");
  const set = fromBinary(FileDescriptorSetSchema, made.constructor.encode(made).finish());
  for (const field of set.file.flatMap((file) => file.messageType).flatMap((message) => message.field)) {
    field.jsonName = field.name; // both are as protoc fills them in
    field.typeName = field.typeName === "" || field.typeName.startsWith(".") ? field.typeName : `.p.plugins.${field.typeName}`;
  }
  return createFileRegistry(set).getMessage("p.plugins.PluginRegistry");
}

/** The registry as a value of FlatBuffers' object API. */
function valueFB(registry) {
  const parameter = (p) => new fb.ParameterT(p.address, p.displayName, p.identifier, p.unit, p.minValue, p.maxValue, p.defaultValue, p.currentValue, p.rawFlags, p.isWritable, p.canRamp);
  const plugin = (p) => new fb.PluginT(p.name, p.manufacturer, p.uri, p.class, p.parameters.map(parameter));
  return new fb.PluginRegistryT(registry.plugins.map(plugin), registry.totalPluginCount, registry.totalParameterCount);
}

const builder = new Builder(1 << 20);

/** Encodes in memory that is used again, and copies the result, as the others' is their own. */
function encodeFB(value) {
  builder.clear();
  builder.finish(value.pack(builder));
  return builder.asUint8Array().slice();
}

const decodeFB = (bytes) => fb.PluginRegistry.getRootAsPluginRegistry(new ByteBuffer(bytes)).unpack();

/** The tasks of a view of the dataset, beside decoding it; and the tasks of decoding where the last value is kept. */
let views = {};
let kept = {};

/** Codecs of a dataset: what encodes, what decodes, and the bytes. */
function codecs(text) {
  const canonical = JSON.stringify(JSON.parse(text));
  const value = fromJson(plugins.PluginRegistry, canonical);
  const bytes = plugins.encodePluginRegistry(value);
  assert.equal(toJson(plugins.PluginRegistry, plugins.decodePluginRegistry(bytes)), toJson(plugins.PluginRegistry, value));
  const plain = JSON.parse(canonical);
  const message = protobuf.p.plugins.PluginRegistry;
  const fields = camel(plain);
  const pb = message.encode(message.fromObject(fields)).finish();
  const ready = message.decode(pb);
  assert.equal(ready.plugins.length, value.plugins.length);
  const es = schemaES();
  const readyES = fromBinary(es, pb);
  assert.equal(readyES.plugins.length, value.plugins.length);
  assert.deepEqual(Buffer.from(toBinary(es, readyES)), Buffer.from(pb));
  const packr = new Packr({ structures: [] });
  const packed = Buffer.from(packr.pack(plain));
  const av = avro.toBuffer(fields);
  assert.deepEqual(packr.unpack(packed), plain);
  const flat = valueFB(value);
  const flatBytes = encodeFB(flat);
  assert.deepEqual(decodeFB(flatBytes), flat);
  const seen = view(plugins.PluginRegistry, bytes);
  const middle = value.plugins.length >> 1;
  assert.equal(seen.plugins.at(middle).uri, value.plugins[middle].uri);
  views = {
    decode: () => plugins.decodePluginRegistry(bytes),
    open: () => view(plugins.PluginRegistry, bytes),
    "open and read a field": () => view(plugins.PluginRegistry, bytes).plugins.at(middle).uri,
    "read a field": () => seen.plugins.at(middle).uri,
  };
  let last;
  let again = plugins.decodePluginRegistry(bytes);
  kept = {
    decode: () => { last = plugins.decodePluginRegistry(bytes); },
    into: () => { again = plugins.decodePluginRegistry(bytes, { into: again }); },
  };
  assert.deepEqual(plugins.decodePluginRegistry(bytes, { into: again }), last ?? value);
  return {
    sdp: { encode: () => plugins.encodePluginRegistry(value), decode: () => plugins.decodePluginRegistry(bytes), bytes: bytes.length },
    "protobuf.js": { encode: () => message.encode(ready).finish(), decode: () => message.decode(pb), bytes: pb.length },
    "protobuf-es": { encode: () => toBinary(es, readyES), decode: () => fromBinary(es, pb), bytes: pb.length },
    avsc: { encode: () => avro.toBuffer(fields), decode: () => avro.fromBuffer(av), bytes: av.length },
    "msgpackr records": { encode: () => packr.pack(plain), decode: () => packr.unpack(packed), bytes: packed.length },
    flatbuffers: { encode: () => encodeFB(flat), decode: () => decodeFB(flatBytes), bytes: flatBytes.length },
    JSON: { encode: () => JSON.stringify(plain), decode: () => JSON.parse(canonical), bytes: Buffer.byteLength(canonical) },
  };
}

/** The processor time of one call, in microseconds: of all threads of the process, so also that of collecting garbage. */
function turn(run) {
  const before = process.cpuUsage();
  const end = performance.now() + turnMs;
  let n = 0;
  do {
    run();
    n++;
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

const results = { machine: `${os.cpus()[0]?.model ?? "?"}, ${os.cpus().length} processors`, engine: process.versions.bun === undefined ? `Node ${process.versions.node}` : `Bun ${process.versions.bun}`, rounds, datasets: {} };
/** Times functions in turns, and tells each one's time and how many times as long as the base it takes. */
function compare(title, all, base, ratio) {
  const times = Object.fromEntries(Object.keys(all).map((one) => [one, []]));
  for (const one of Object.keys(all)) {
    turn(all[one]);
    turn(all[one]);
  }
  for (let round = 0; round < rounds; round++) {
    for (const one of Object.keys(all)) {
      times[one].push(turn(all[one]));
    }
  }
  const rows = {};
  for (const one of Object.keys(all)) {
    const ratios = times[one].map((time, i) => ratio(time, times[base][i]));
    rows[one] = { us: short(median(times[one])), ratio: short(median(ratios)), interval: interval(ratios).map(short) };
    console.log(title, one.padEnd(21), `${rows[one].us} µs`.padEnd(10), `${rows[one].ratio} × (${rows[one].interval.join(" to ")})`);
  }
  return rows;
}

for (const [name, text] of Object.entries(datasets())) {
  const all = codecs(text);
  const part = (what) => Object.fromEntries(Object.entries(all).map(([codec, parts]) => [codec, parts[what]]));
  // How many times as fast as each codec SDP is, and as decoding each use of a view.
  results.datasets[name] = {
    decode: compare(`${name} decode`, part("decode"), "sdp", (time, own) => time / own),
    encode: compare(`${name} encode`, part("encode"), "sdp", (time, own) => time / own),
    view: compare(`${name} view  `, views, "decode", (time, whole) => whole / time),
    kept: compare(`${name} kept  `, kept, "decode", (time, whole) => whole / time),
    bytes: part("bytes"),
  };
}
const bundle = readFileSync("out/decoder.js");
results.bundle = { bytes: bundle.length, brotli: brotliCompressSync(bundle).length };
console.log("bundle of a decoder:", results.bundle.bytes, "bytes,", results.bundle.brotli, "with brotli");
writeFileSync(`../results/typescript${process.versions.bun === undefined ? "" : "_bun"}.json`, `${JSON.stringify(results, null, 2)}\n`);
