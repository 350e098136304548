import { portWire, serve, Server, MxpError } from "mesh-exchange-protocol";
import { type Action, type Plugin, Rack } from "../out/rack.js";
import type { RackStub } from "./talk.js";

/**
 * Serves a frame that has the panel of one plug-in, as a host serves a web view: through a MessagePort,
 * and nothing but that plug-in, which is the only one in the frame's list. The frame's actions are done
 * at the rack. Gives what ends it.
 */
export function lend(frame: HTMLIFrameElement, rack: RackStub, place: number, plugin: Plugin): () => void {
  const server = new Server();
  serve(server, Rack, {
    plugins: () => ({ plugins: [plugin] }),
    async *panel(actions, { signal }) {
      const there = rack.panel({ signal });
      passOn(actions, (action) => there.send(own(action, place))).then(() => there.end()).catch(() => there.cancel());
      for await (const change of there) {
        yield { ...change, plugin: 0 };
      }
    },
  });
  // The frame has an origin of its own, which has no name: that the port is given to this frame is
  // all that can be said of it. The page's policy lets it show nothing from elsewhere.
  frame.onload = (): void => {
    const { port1, port2 } = new MessageChannel();
    server.accept(portWire(port1));
    frame.contentWindow?.postMessage("panel", "*", [port2]);
  };
  return () => void server.close(0);
}

async function passOn(actions: AsyncIterable<Action>, to: (action: Action) => Promise<void>): Promise<void> {
  for await (const action of actions) {
    await to(action);
  }
}

/** The action of a frame, at its plug-in. */
function own(action: Action, place: number): Action {
  if (action.kind !== "Show") {
    return action;
  }
  if (action.value.plugin !== 0) {
    throw new MxpError(7, "not_lent", { text: "the frame has one plug-in" });
  }
  return { kind: "Show", value: { plugin: place } };
}
