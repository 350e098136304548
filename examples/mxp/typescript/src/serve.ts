import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { listen, MxpError, Server, Status } from "mesh-exchange-protocol/node";
import { count, echo, ended, nothing, refuse, text, tick, upper } from "./demo.js";
import { serverTls } from "./tls.js";

/** The time that requests in flight have to end when the server does, in milliseconds. */
const drainMs = 5000;

/** Has what the program holds written into a file for each SIGUSR2, in bytes: what it has of the system beside that waits for the collector, or is V8's reserve. */
function tellHeld(file: string): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  process.on("SIGUSR2", () => {
    collect();
    setTimeout(() => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      writeFileSync(`${file}.new`, `${heapUsed + arrayBuffers}`);
      renameSync(`${file}.new`, file);
    }, 20);
  });
}

/** Serves until it is told to end; then it lets what is in flight end. */
export async function serve(address: string, memoryBytes?: number): Promise<void> {
  let ticks = 0n;
  const server = new Server(memoryBytes === undefined ? {} : { memoryBytes });
  server.add("demo.Echo", [
    { ...echo, answer: async (value) => value },
    { ...refuse, answer: async (value) => {
      throw new MxpError(Status.FailedPrecondition, "demo_refused", { text: text(value) });
    } },
    { ...upper, flows: { requests: true, responses: true }, stream: async (_, stream) => {
      for (let value = await stream.next(); value !== undefined; value = await stream.next()) {
        await stream.send(value.map((byte) => (byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte)));
      }
    } },
    { ...tick, isEvent: true, answer: async () => {
      ticks++;
      return nothing;
    } },
    { ...count, answer: async () => {
      const total = new Uint8Array(8);
      new DataView(total.buffer).setBigUint64(0, ticks, true);
      return total;
    } },
  ], []);
  const held = process.env["MXP_HELD"];
  if (held !== undefined) {
    tellHeld(held);
  }
  const listener = await listen(address, (wire) => server.accept(wire), serverTls());
  console.log(`serving ${listener.address}`);
  await new Promise((resolve) => ended.addEventListener("abort", resolve));
  listener.close();
  await server.close(drainMs);
}
