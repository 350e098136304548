// Work of the pages of faults.test.mjs: it becomes the page's script, beside the library's modules.
import { Client, webSocketTransports } from "./mxp/index.js";

const number = (n) => new Uint8Array(new Uint32Array([n]).buffer);
const method = (name, n, idempotent) => ({ service: "pages.Pages", name, number: n, idempotent });
const methods = { echo: method("echo", 1, true), wait: method("wait", 2, false) };
const place = new URL(location.href).searchParams.get("at");
const client = new Client(`mxp+ws://${place}/mxp`, { transports: webSocketTransports(), connectTimeoutMs: 10_000 });

/** The outcome of text that the page itself evaluates. A policy lets text pass that a debugger evaluates. */
let evaluated;
try {
  evaluated = new Function("return 'evaluated'")();
} catch (error) {
  evaluated = error.name;
}

/** The number of calls by their outcome, and of calls that ended a second time. */
const ends = {};
let flood;
let read = 0;

window.test = {
  connected: (timeoutMs) => client.connected({ timeoutMs }).then(() => "connected", (error) => `${error.status} ${error.code}`),
  /** Makes calls without waiting for them. */
  begin(name, calls, value, options = {}) {
    for (let i = 0; i < calls; i++) {
      const asked = number(value + i);
      const note = (how) => {
        ends[how] = (ends[how] ?? 0) + 1;
      };
      client.call(methods[name], asked, options).then(
        ({ value: answer }) => note(answer.length === 4 && answer.every((byte, at) => byte === asked[at]) ? "answered" : "answered wrongly"),
        (error) => note(`${error.status} ${error.code} ${error.acted ? "acted" : "not acted"}`),
      );
    }
  },
  ends: () => ({ ...ends }),
  forget: () => Object.keys(ends).forEach((how) => delete ends[how]),
  /** Calls, and gives the milliseconds that it took. */
  async call() {
    const begun = performance.now();
    await client.call(methods.echo, number(0));
    return performance.now() - begun;
  },
  async cancelled(afterMs) {
    const giving = new AbortController();
    setTimeout(() => giving.abort(), afterMs);
    return client.call(methods.wait, number(0), { signal: giving.signal }).then(() => "answered", (error) => `${error.status} ${error.code}`);
  },
  evaluated: () => evaluated,
  block(ms) {
    for (const until = performance.now() + ms; performance.now() < until; );
  },
  async open(chunks) {
    flood = await client.open(method("flood", 3, false), number(chunks), true);
    await flood.next();
    read = 1;
  },
  /** Reads the rest, and gives how many chunks there were. */
  async readAll() {
    while ((await flood.next()) !== undefined) {
      read++;
    }
    return read;
  },
};
