// Serves ledger.Ledger, and calls all of it: in another process, in another language, by another
// release of the schema.
//
//	program serve mxp+unix:///tmp/ledger.sock
//	program call  mxp+unix:///tmp/ledger.sock
import { call } from "./call.js";
import { socketTransports } from "./library/mxp/typescript/src/node.js";
import { serve } from "./serve.js";

const [what, address, ...more] = process.argv.slice(2);
const run = { serve, call: (at: string) => call(at, socketTransports()) }[what ?? ""];
if (run === undefined || address === undefined || more.length > 0) {
  console.error("usage: program serve|call ADDRESS");
  process.exit(2);
}
try {
  await run(address);
} catch (error) {
  console.error("services:", error);
  process.exit(1);
}
