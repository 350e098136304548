// Times calls of 64 bytes to the Go server of bench/rpc/go/web, in Node or in a page: by MXP over WebSocket
// and by a bare WebSocket in turns, alone; and by MXP and connect-web, many in flight.
import { create, createFileRegistry } from "@bufbuild/protobuf";
import { BytesValueSchema, FileDescriptorProtoSchema, file_google_protobuf_wrappers } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { Client, webSocketTransports } from "./out/mxp/typescript/src/index.js";

const value = new Uint8Array(64).fill(7);

const sorted = (list) => [...list].sort((a, b) => a - b);
const quantile = (list, q) => sorted(list)[Math.min(list.length - 1, Math.floor(q * list.length))];

/** The times of one after another, in microseconds. */
async function alone(run, n) {
  const times = [];
  for (let i = 0; i < n; i++) {
    const begun = performance.now();
    await run();
    times.push((performance.now() - begun) * 1000);
  }
  return quantile(times, 0.5);
}

/** How many a second, with so many in flight. */
async function together(run, flights, n) {
  let left = n;
  const begun = performance.now();
  await Promise.all(Array.from({ length: flights }, async () => {
    while (left-- > 0) {
      await run();
    }
  }));
  return (n / (performance.now() - begun)) * 1000;
}

function same(answer) {
  if (answer.length !== 64 || answer[63] !== 7) {
    throw new Error("the answer is another");
  }
}

async function bare(place) {
  const socket = new WebSocket(`ws://${place}/bare`);
  socket.binaryType = "arraybuffer";
  let answered = () => undefined;
  socket.onmessage = ({ data }) => answered(data);
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  return {
    call: async () => same(new Uint8Array(await new Promise((resolve) => {
      answered = resolve;
      socket.send(value);
    }))),
    close: () => socket.close(),
  };
}

function connectWeb(place) {
  const file = createFileRegistry(create(FileDescriptorProtoSchema, {
    name: "echo.proto", package: "bench", syntax: "proto3", dependency: ["google/protobuf/wrappers.proto"],
    service: [{ name: "Echo", method: [{ name: "Echo", inputType: ".google.protobuf.BytesValue", outputType: ".google.protobuf.BytesValue" }] }],
  }), () => file_google_protobuf_wrappers);
  const client = createClient(file.getService("bench.Echo"), createConnectTransport({ baseUrl: `http://${place}`, useBinaryFormat: true }));
  return async () => same((await client.echo(create(BytesValueSchema, { value }))).value);
}

/** Measures; `told` is told of each round. */
export async function measure(place, rounds, told) {
  const client = new Client(`mxp+ws://${place}/mxp`, { transports: webSocketTransports() });
  await client.connected();
  const method = { service: "bench.Echo", name: "echo", number: 1, idempotent: true };
  const call = async () => same((await client.call(method, value)).value);
  const echo = await bare(place);
  const unary = connectWeb(place);
  const seen = { call: [], echo: [], ratio: [], unary: [], calls_in_flight: [], unaries_in_flight: [] };
  for (let round = -2; round < rounds; round++) {
    const one = {
      call: await alone(call, 400), echo: await alone(echo.call, 400), unary: await alone(unary, 200),
      calls_in_flight: await together(call, 64, 4000), unaries_in_flight: await together(unary, 64, 600),
    };
    told(one);
    if (round >= 0) {
      for (const [key, n] of Object.entries({ ...one, ratio: one.call / one.echo })) {
        seen[key].push(n);
      }
    }
  }
  echo.close();
  await client.close();
  const short = (n) => Number(n.toPrecision(3));
  const median = (list) => short(quantile(list, 0.5));
  return {
    call_p50_us: median(seen.call), bare_echo_p50_us: median(seen.echo), ratio: median(seen.ratio),
    ratio_range: [short(Math.min(...seen.ratio)), short(Math.max(...seen.ratio))],
    calls_per_s_64_in_flight: median(seen.calls_in_flight),
    connect_web_unary_p50_us: median(seen.unary), connect_web_unary_per_s_64_in_flight: median(seen.unaries_in_flight),
  };
}
