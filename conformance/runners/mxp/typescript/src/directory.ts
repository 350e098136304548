// The directory that the runner holds.
import { Directory, type DirectoryLimits } from "../../../../../mxp/typescript/src/session/index.js";
import { registration } from "./sessions.js";
import { attempt, done, joined, shownText, Words } from "./words.js";

let held = new Directory();
let now = 0n;

export function directory([verb = "", ...rest]: readonly string[]): string {
  const words = new Words(rest);
  now = words.has("now") ? words.long("now") : now;
  return attempt("directory", () => answer(verb, words));
}

function answer(verb: string, words: Words): string {
  switch (verb) {
    case "new":
      held = new Directory(limits(words));
      return done("directory");
    case "register": {
      const { lease, epoch } = held.register(words.long("owner"), registration(words), now);
      return done(`directory\tlease=${lease}\tepoch=${epoch}`);
    }
    case "heartbeat": {
      const { lease, epoch } = held.heartbeat(words.long("owner"), words.text("name"), now);
      return done(`directory\tlease=${lease}\tepoch=${epoch}`);
    }
    case "release":
      held.release(words.long("owner"));
      return done("directory");
    case "discover": {
      const query = { capability: words.text("capability"), name: words.text("name"), service: words.text("service"), version: 0n };
      return done("directory", held.discover(query, now).map((agent) =>
        `agent\tname=${shownText(agent.name)}\tcapabilities=${joined(agent.capabilities.map(shownText))}\tlease=${agent.lease}` +
        `\taddresses=${joined((agent.addresses ?? []).map(shownText))}\tservices=${joined((agent.services ?? []).map(shownText))}\tepoch=${agent.epoch}`));
    }
    case "timeout":
      return done(`directory\ttimeout=${held.nextTimeout ?? "-"}`);
    default:
      throw new Error("no such verb");
  }
}

function limits(words: Words): Partial<DirectoryLimits> {
  return {
    ...(words.long("agents") > 0n ? { agents: words.number("agents") } : {}),
    ...(words.long("agent_capabilities") > 0n ? { capabilities: words.number("agent_capabilities") } : {}),
    ...(words.long("lease_min_us") > 0n ? { leaseMin: words.long("lease_min_us") } : {}),
    ...(words.long("lease_max_us") > 0n ? { leaseMax: words.long("lease_max_us") } : {}),
  };
}
