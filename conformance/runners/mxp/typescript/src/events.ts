// The lines of a session's events.
import type { Failure, Head, Incoming, Metadatum, Trace } from "../../../../../mxp/typescript/src/session/index.js";
import { bit, hex, joined, shown, shownText } from "./words.js";

/** The lines of an event: of a batch, one for each value. */
export function shownEvents(one: Incoming): string[] {
  switch (one.kind) {
    case "chunks":
      return [...one.values].map((value, i) => {
        const last = i === one.values.length - 1;
        return `chunk\tid=${one.id}\tnumber=${one.number + BigInt(i)}\tfinal=${bit(one.final && last)}\tack=${bit(one.ack && last)}\tvalue=${shown(value)}`;
      });
    case "events":
      return [...one.values].map((value) => eventLine(one, false, value));
    default:
      return [shownEvent(one)];
  }
}

function shownEvent(one: Exclude<Incoming, { kind: "chunks" | "events" }>): string {
  switch (one.kind) {
    case "ready":
      return `ready\tservices=${joined(one.services.map(shownText))}`;
    case "call":
      return `call\t${shownHead(one)}\tvalue=${shown(one.value)}`;
    case "open":
      return `open\t${shownHead(one)}\tmessages=${one.messages}\tbytes=${one.bytes}\tfinal=${bit(one.final)}\tvalue=${shown(one.value)}`;
    case "event":
      return eventLine(one, one.ack, one.value);
    case "response":
      return `response\tid=${one.id}\tmeta=${shownMetadata(one.metadata)}\tvalue=${shown(one.value)}`;
    case "ended":
      return `ended\tid=${one.id}\t${shownFailure(one.failure)}\tdetails=${shown(one.failure.details)}\tacted=${bit(one.failure.acted)}`;
    case "finished":
      return `finished\tid=${one.id}`;
    case "granted":
      return `granted\tid=${one.id}\tmessages=${one.messages}\tbytes=${one.bytes}`;
    case "acked":
      return `acked\tid=${one.id}\tchunk=${one.chunk}`;
    case "cancelled":
      return `cancelled\tid=${one.id}\twhy=${one.why}`;
    case "draining":
      return `draining\treason=${shownText(one.reason)}`;
    case "register": {
      const { name, capabilities, lease, addresses = [], services = [], epoch = 0n } = one.registration;
      return `register\tid=${one.id}\tname=${shownText(name)}\tcapabilities=${joined(capabilities.map(shownText))}\tlease=${lease}` +
        `\taddresses=${joined(addresses.map(shownText))}\tservices=${joined(services.map(shownText))}\tepoch=${epoch}`;
    }
    case "heartbeat":
      return `heartbeat\tid=${one.id}\tname=${shownText(one.name)}`;
    case "discover": {
      const { capability, name = "", service = "", version = 0n } = one.query;
      return `discover\tid=${one.id}\tcapability=${shownText(capability)}\tname=${shownText(name)}\tservice=${shownText(service)}\tversion=${version}`;
    }
    case "end":
      return `end\t${shownFailure(one.failure)}\tremote=${bit(one.remote)}`;
  }
}

function eventLine(head: Head, ack: boolean, value: Uint8Array): string {
  return `event\tid=${head.id}\tservice=${head.service}\tmethod=${head.method}\ttrace=${shownTrace(head.trace)}\tmeta=${shownMetadata(head.metadata)}\tack=${bit(ack)}\tvalue=${shown(value)}`;
}

function shownHead(head: Head): string {
  return `id=${head.id}\tservice=${head.service}\tmethod=${head.method}\tdeadline=${head.deadline}\ttrace=${shownTrace(head.trace)}\tmeta=${shownMetadata(head.metadata)}`;
}

function shownFailure(f: Failure): string {
  return `status=${f.status}\tname=${shownText(f.name)}\ttext=${shownText(f.text)}`;
}

function shownMetadata(metadata: readonly Metadatum[]): string {
  return joined(metadata.map(({ key, value }) => `${shownText(key)}:${shown(value)}`));
}

function shownTrace(trace: Trace | null): string {
  return trace === null ? "-" : `${hex(trace.id)}:${trace.parent}:${trace.flags}`;
}
