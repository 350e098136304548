import assert from "node:assert/strict";
import { layoutOf } from "serial-data-protocol";
import { Client, listen, serve, Server, socketTransports, stub } from "mesh-exchange-protocol/node";
import { decodeGain, encodeGain, Gain, Mixer } from "./mixer.js";

assert.equal(decodeGain(encodeGain({ channel: 3, decibels: -6 })).channel, 3);
assert(layoutOf(Gain).length > 0);

const server = new Server();
serve(server, Mixer, {
  gain: ({ channel }) => ({ channel, decibels: -6 }),
  async *list({ first, last }) {
    for (let channel = first; channel <= last; channel++) {
      yield { channel, decibels: 0 };
    }
  },
  fade: () => ({ channel: 0, decibels: 0 }),
  async *ride(gains) {
    yield* gains;
  },
  muted() {},
});
const listener = await listen("mxp+tcp://127.0.0.1:0", (wire) => server.accept(wire));
const client = new Client(listener.address, { transports: socketTransports() });
const mixer = stub(Mixer, client);
console.log((await mixer.gain({ channel: 3, decibels: 0 })).decibels);
for await (const { channel } of mixer.list({ first: 4, last: 6 })) {
  console.log(channel);
}
await client.close();
listener.close();
await server.close();
