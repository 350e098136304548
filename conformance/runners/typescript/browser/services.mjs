// Lets a page of a browser call everything of a program of conformance/services, by WebSocket, and prints
// what it says: `node services.mjs chromium|firefox HOST:PORT/`. The page is that of the newer release.
import { fileURLToPath } from "node:url";
import { open } from "./page.mjs";

const [, , browser, place] = process.argv;
const modules = fileURLToPath(new URL("../../../services/out/src/typescript-new/js/", import.meta.url));
const { tab, close } = await open(browser, modules, { policy: `default-src 'self'; connect-src ws://${place?.split("/")[0]}`, script: "", module: "page.js" });
tab.on("console", (message) => message.type() === "log" && console.log(message.text()));
await tab.visit(`?ws=${encodeURIComponent(place ?? "")}`);
await tab.waitForFunction("document.title !== ''", { timeout: 60_000 });
const title = await tab.title();
await close();
process.exit(title === "done" ? 0 : 1);
