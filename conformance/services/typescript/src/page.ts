// Work of a browser's page: calls everything at the address that its own has behind the question
// mark, by WebSocket, and says when it is done.
import { call } from "./call.js";
import { webSocketTransports } from "./library/mxp/typescript/src/index.js";

const [scheme = "", place = ""] = location.search.slice(1).split("=");
try {
  await call(`mxp+${scheme}://${decodeURIComponent(place)}`, webSocketTransports());
  document.title = "done";
} catch (error) {
  console.log(`services: ${String(error)}`);
  document.title = "failed";
}
