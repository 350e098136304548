// The page in a frame: the panel of the plug-in that the page around it lends. It reaches nothing
// but the port that it is given.
import { Client, portWire, stub, DialError, Status } from "mesh-exchange-protocol";
import { byId, element } from "./elements.js";
import { Panel } from "./panel.js";
import { Rack } from "../out/rack.js";
import { why } from "./talk.js";

// The frame is in a sandbox, without an origin; the page around it is from where this page is from.
const { origin } = new URL(location.href);
const place = byId("place", HTMLElement);

addEventListener("message", (event) => {
  const [port] = event.ports;
  if (event.source === parent && event.origin === origin && port !== undefined) {
    void show(port);
  }
});

async function show(port: MessagePort): Promise<void> {
  // There is a single port, and so a single connection: the end of the host ends the frame.
  const dial = portOnce(port);
  const rack = stub(Rack, new Client("mxp+port://parent", { transports: { port: { dial } } }));
  const status = element("p", { class: "lost", role: "status" });
  try {
    const [plugin] = (await rack.plugins({})).plugins;
    if (plugin !== undefined) {
      const panel = new Panel(rack, 0, plugin, (there, text) => {
        status.textContent = there ? "" : text;
      });
      place.replaceChildren(status, panel.element);
    }
  } catch (error) {
    status.textContent = why(error);
    place.replaceChildren(status);
  }
}

function portOnce(port: MessagePort): () => Promise<ReturnType<typeof portWire>> {
  let used = false;
  return async () => {
    if (used) {
      throw new DialError(Status.FailedPrecondition, "the page around this one is gone");
    }
    used = true;
    return portWire(port);
  };
}
