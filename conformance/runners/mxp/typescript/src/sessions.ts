// The session that the runner holds.
import { encodeFrame } from "../../../../../mxp/typescript/src/frame/index.js";
import {
  type Config, type Full, type Incoming, type Limits, type Method, type Registration, type SessionRequest, Session, type TypeInfo,
} from "../../../../../mxp/typescript/src/session/index.js";
import { shownEvents } from "./events.js";
import { attempt, bit, done, hex, shownText, unhex, Words } from "./words.js";

let held: Session | undefined;
let now = 0n;

export function sessions([verb = "", ...rest]: readonly string[]): string {
  const words = new Words(rest);
  now = words.has("now") ? words.long("now") : now;
  if (verb === "new") {
    held = new Session(config(words), now);
    return done("session");
  }
  if (held === undefined) {
    return "error\tthere is no session";
  }
  const s = held;
  switch (verb) {
    case "receive":
    case "deliver":
    case "tick":
    case "lost":
      return events(s, verb, words);
    case "poll":
      return poll(s, words.number("max"));
    case "state": {
      const { mine, theirs } = s.places;
      return done(`session\tready=${bit(s.ready)}\tfinished=${bit(s.finished)}\tin=${theirs}\tout=${mine}\tqueue=${s.queued}\theld=${s.held}\ttimeout=${s.nextTimeout ?? "-"}`);
    }
    case "differences":
      return done("session", s.differences.map((d) => `difference\tserved=${bit(d.served)}\tmethod=${d.method.number}\ttext=${shownText(d.text)}`));
    case "uncompared":
      return done("session", s.uncompared.map((name) => `uncompared\tname=${shownText(name)}`));
    case "stats":
      return done("session", s.prometheus().trimEnd().split("\n"));
    default:
      return attempt("session", () => done(`session${ask(s, verb, words)}`));
  }
}

export function registration(words: Words): Registration {
  return {
    name: words.text("name"), capabilities: words.texts("capabilities"), lease: words.long("lease"),
    addresses: words.texts("addresses"), services: words.texts("services"), epoch: words.long("epoch"),
  };
}

/** Bounds that are 0 have their defaults, but times of which 0 means never. */
function limits(words: Words): Partial<Limits> {
  const numbers = {
    inFlight: "in_flight", inFlightBytes: "in_flight_bytes", queueBytes: "queue_bytes", bulkBytes: "bulk_bytes", replyBytes: "reply_bytes",
    refusals: "refusals", refusalsPerMs: "refusals_per_ms", frameRate: "frame_bytes_per_s",
  };
  const times = { hello: "hello_us", frame: "frame_us", stall: "stall_us", pong: "pong_us", linger: "linger_us" };
  const resting = { ping: "ping_us", idle: "idle_us" };
  return Object.fromEntries([
    ...Object.entries(numbers).filter(([, key]) => words.long(key) > 0n).map(([name, key]) => [name, words.number(key)]),
    ...Object.entries(times).filter(([, key]) => words.long(key) > 0n).map(([name, key]) => [name, words.long(key)]),
    ...Object.entries(resting).filter(([, key]) => words.has(key)).map(([name, key]) => [name, words.long(key)]),
  ]) as Partial<Limits>;
}

function config(words: Words): Config {
  const offers = words.list("offer");
  return {
    role: words.named.get("role") === "acceptor" ? "acceptor" : "opener",
    services: words.list("services"),
    types: words.types.map((one) => type(one, words.uses)),
    payloadBytes: words.number("payload"),
    offerChecksumOff: offers.includes("checksum_off"),
    offerBatches: offers.includes("batches"),
    agents: words.named.get("agents") === "on",
    limits: limits(words),
  };
}

function type(text: string, uses: readonly string[]): TypeInfo {
  const [name = "", prints = "", layout = ""] = text.split(":");
  const requests: Method[] = [];
  const responses: Method[] = [];
  for (const use of uses) {
    const [of, service = "", number, method = "", side] = use.split(":");
    if (of === name) {
      (side === "request" ? requests : responses).push({ service, name: method, number: Number(number) });
    }
  }
  return { name, fingerprints: prints.split(",").map((print) => BigInt(`0x${print}`)), layout: new TextDecoder().decode(unhex(layout)), requests, responses };
}

function events(s: Session, verb: string, words: Words): string {
  let bytes = words.bytes("bytes");
  if (verb === "tick") {
    s.tick(now);
  } else if (verb === "lost") {
    s.lost();
  } else if (verb === "deliver") {
    bytes = encodeFrame(
      { type: words.number("type"), flags: words.number("flags"), id: words.long("id"), trace: words.long("trace"), payload: words.bytes("payload") },
      words.named.get("checksum") !== "off",
    );
  }
  const piece = { bytes };
  const lines: string[] = [];
  const next = (): Incoming | undefined => (verb === "tick" || verb === "lost" ? s.next() : s.receive(piece, now));
  for (let one = next(); one !== undefined; one = next()) {
    lines.push(...shownEvents(one));
  }
  return done(`session\tused=${bytes.length - piece.bytes.length}`, lines);
}

function poll(s: Session, most: number): string {
  const lines: string[] = [];
  while (most === 0 || lines.length < most) {
    const frame = s.pollFrame(now);
    if (frame === undefined) {
      break;
    }
    lines.push(hex(frame));
  }
  return done("session", lines);
}

/** Does what the user asks for, and gives the fields of the answer. */
function ask(s: Session, verb: string, words: Words): string {
  const id = words.long("id");
  const request = (): SessionRequest => ({
    service: words.number("service"), method: words.number("method"), deadline: words.long("deadline"), trace: words.trace(), metadata: words.metadata(),
  });
  const value = words.bytes("value");
  switch (verb) {
    case "call":
      return `\tid=${s.call(request(), value, now)}`;
    case "open":
      return `\tid=${s.open(request(), words.number("messages"), words.long("bytes"), value, words.is("final"), now)}`;
    case "event": {
      const made = s.event(request(), value, words.is("ack"), (words.named.get("full") ?? "refuse") as Full, now);
      return `\tid=${made ?? 0n}\tdropped=${bit(made === undefined)}`;
    }
    case "register":
      return `\tid=${s.register(registration(words), now)}`;
    case "heartbeat":
      return `\tid=${s.heartbeat(words.text("name"), now)}`;
    case "discover":
      return `\tid=${s.discover({ capability: words.text("capability"), name: words.text("name"), service: words.text("service"), version: words.long("version") }, now)}`;
    case "chunk":
      return `\tnumber=${s.chunk(id, value, words.is("final"), words.is("ack"), now)}`;
    default:
      settle(s, verb, id, words);
      return "";
  }
}

function settle(s: Session, verb: string, id: bigint, words: Words): void {
  const verbs: Readonly<Record<string, () => void>> = {
    respond: () => s.respond(id, words.metadata(), words.bytes("value"), now),
    fail: () => s.fail(id, {
      status: words.number("status"), name: words.text("name"), text: words.text("text"), details: words.bytes("details"), acted: !words.is("refused"),
    }, now),
    release: () => s.release(id, now),
    cancel: () => s.cancel(id, now),
    finish: () => s.finish(id, now),
    grant: () => s.grant(id, words.number("messages"), words.long("bytes"), now),
    ack: () => s.ack(id, words.long("chunk"), now),
    moved: () => s.moved(now),
    pause: () => s.pause(now),
    resume: () => s.resume(now),
    overrun: () => s.overrun(now, id === 0n ? undefined : id),
    drain: () => s.drain(words.text("reason"), now),
  };
  const run = verbs[verb];
  if (run === undefined) {
    throw new Error("no such verb");
  }
  run();
}
