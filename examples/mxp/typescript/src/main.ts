#!/usr/bin/env node
// mxp_demo serves demo.Echo, and calls it: in another process, in another language.
//
//   main.js serve  mxp+unix:///tmp/echo.sock [MEMORY_BYTES]
//   main.js call   mxp+unix:///tmp/echo.sock 1 hello [DEADLINE_MS]
//   main.js stream mxp+unix:///tmp/echo.sock some words
//   main.js event  mxp+unix:///tmp/echo.sock tick
//   main.js load   mxp+unix:///tmp/echo.sock CALLERS [BYTES [CHUNK]]
//   main.js scripts                               what clients do: a line of the input each
//
// For mxp+tls:// MXP_DEMO_CERTIFICATE and MXP_DEMO_KEY name the files of a server, and
// MXP_DEMO_AUTHORITY the certificate that a client checks the server's by.
import { Client, MxpError, socketTransports } from "mesh-exchange-protocol/node";
import { call, event, stream } from "./ask.js";
import { load } from "./load.js";
import { scripts } from "./script.js";
import { serve } from "./serve.js";
import { clientTls } from "./tls.js";

const usage = "usage: main.js serve ADDRESS [MEMORY_BYTES] | call ADDRESS METHOD TEXT [DEADLINE_MS] | stream ADDRESS WORD... | event ADDRESS TEXT | load ADDRESS CALLERS [BYTES [CHUNK]] | scripts";

/** A number of an argument; what is none fails. */
function numberOf(argument: string | undefined, otherwise?: number): number {
  const number = argument === undefined ? otherwise : /^\d+$/.test(argument) ? Number(argument) : undefined;
  if (number === undefined) {
    throw new Error(usage);
  }
  return number;
}

async function main([command, address, ...rest]: readonly string[]): Promise<void> {
  const options = { transports: socketTransports(clientTls()) };
  if (command === "scripts" && address === undefined) {
    return scripts(options);
  }
  if (address === undefined || (command !== "serve" && rest.length === 0)) {
    throw new Error(usage);
  }
  if (command === "serve") {
    return serve(address, rest.length > 0 ? numberOf(rest[0]) : undefined);
  }
  const client = new Client(address, options);
  try {
    switch (command) {
      case "call":
        return await call(client, numberOf(rest[0]), rest[1] ?? "", numberOf(rest[2], 5000));
      case "stream":
        return await stream(client, rest, 5000);
      case "event":
        return await event(client, rest[0] as string, 5000);
      case "load":
        return await load(client, numberOf(rest[0]), numberOf(rest[1], 64), numberOf(rest[2], 0));
      default:
        throw new Error(usage);
    }
  } finally {
    await client.close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof MxpError) {
    console.log(`failed: ${error.code}: ${error.text}`);
  } else {
    console.error(error instanceof Error ? error.message : error);
  }
  process.exitCode = 1;
}
