// The page: the plug-ins of the host, and the panel of the chosen plug-in.
import { Client, stub, webSocketTransports } from "mesh-exchange-protocol";
import { byId, element } from "./elements.js";
import { lend } from "./lend.js";
import { Panel } from "./panel.js";
import { type Plugin, Rack } from "../out/rack.js";
import { Table } from "./table.js";
import { why } from "./talk.js";

const secure = location.protocol === "https:" ? "s" : "";
const client = new Client(`mxp+ws${secure}://${location.host}/mxp`, { transports: webSocketTransports() });
const rack = stub(Rack, client);

const status = byId("status", HTMLElement);
const framed = byId("framed", HTMLInputElement);
const place = byId("place", HTMLElement);
let plugins: readonly Plugin[] = [];
let chosen = -1;
let close = (): void => undefined;

function said(there: boolean, text: string): void {
  if (status.textContent !== text) {
    status.textContent = text;
    status.toggleAttribute("data-lost", !there);
  }
}

function show(at: number): void {
  const plugin = plugins[at];
  if (plugin === undefined) {
    return;
  }
  close();
  chosen = at;
  if (framed.checked) {
    const frame = element("iframe", { src: "frame.html", sandbox: "allow-scripts", title: `Panel of ${plugin.name}` });
    const end = lend(frame, rack, at, plugin);
    place.replaceChildren(frame);
    close = (): void => {
      end();
      frame.remove();
    };
  } else {
    const panel = new Panel(rack, at, plugin, said);
    place.replaceChildren(panel.element);
    close = (): void => panel.close();
  }
}

const table = new Table(show);
framed.onchange = (): void => show(chosen);

async function begin(): Promise<void> {
  for (;;) {
    try {
      ({ plugins } = await rack.plugins({}));
      break;
    } catch (error) {
      said(false, why(error));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
  said(true, "Connected");
  table.fill(plugins);
  table.choose(Math.max(0, plugins.findIndex(({ uri }) => uri === decodeURIComponent(location.hash.slice(1)))));
}

void begin();
