// Connections whose other end is the player of traces, which also says what time it is.
import { createInterface } from "node:readline";
import { DialError, type Transport, type Wire, type WireOwner } from "../../../../../mxp/typescript/src/net/wire.js";
import { Clock } from "./clock.js";
import { type Options, Program } from "./program.js";

/** The bytes that a socket keeps before a writer has to wait. */
const sendBufferBytes = 128 << 10;

/** The bytes that are read at once, as of a socket. */
const pieceBytes = 64 << 10;

/** The lines that the program says, and its connections. */
class Network {
  readonly clock = new Clock();
  readonly #lines: string[] = [];
  readonly #wires = new Map<number, Link>();
  /** Addresses at which nobody listens. */
  readonly #away = new Set<string>();
  #dialed = 0;

  /** The transport of a client: it connects to the address whose number it is given. */
  readonly transport: Transport = {
    dial: (place) => {
      if (this.#away.has(place)) {
        return Promise.reject(new DialError(14, "nobody listens"));
      }
      const wire = this.link(++this.#dialed);
      this.say(`dial ${this.#dialed} ${place}`);
      return Promise.resolve(wire);
    },
  };

  get isSilent(): boolean {
    return this.#lines.length === 0;
  }

  say(line: string): void {
    this.#lines.push(`${Math.floor(this.clock.now)} ${line}\n`);
    this.clock.stir();
  }

  tell(): string {
    return `${this.#lines.splice(0).join("")}now ${Math.floor(this.clock.now)} 0\n`;
  }

  link(number: number): Link {
    const wire = new Link(number, (line) => this.say(line));
    this.#wires.set(number, wire);
    return wire;
  }

  /** Does what the network does. */
  command(verb: string, [number = "", more = ""]: readonly string[]): void {
    const wire = this.#wires.get(Number(number));
    switch (verb) {
      case "reachable":
        this.#away[number === "1" ? "delete" : "add"](more);
        return;
      case "deliver":
        wire?.deliver(Buffer.from(more, "hex"));
        return;
      case "room":
        wire?.widen(Number(more));
        return;
      case "eof":
        wire?.finish();
        return;
      default:
        wire?.cut();
    }
  }
}

/** One end of a connection. */
class Link implements Wire {
  readonly protects = true;
  readonly #number: number;
  readonly #say: (line: string) => void;
  #owner: WireOwner | undefined;
  #arrived: Uint8Array[] = [];
  #isEnding = false;
  #isPaused = false;
  #unsent: Uint8Array[] = [];
  #unsentBytes = 0;
  #room = 0;
  #isShut = false;
  #hasToldFin = false;
  #isClosed = false;
  #isFull = false;

  constructor(number: number, say: (line: string) => void) {
    this.#number = number;
    this.#say = say;
  }

  start(owner: WireOwner): void {
    this.#owner = owner;
    queueMicrotask(() => this.#read());
  }

  write(bytes: Uint8Array): boolean {
    if (this.#isClosed || this.#isShut) {
      return true;
    }
    this.#unsent.push(bytes.slice());
    this.#unsentBytes += bytes.length;
    this.#send();
    this.#isFull = this.#unsentBytes >= sendBufferBytes;
    return !this.#isFull;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    queueMicrotask(() => this.#read());
  }

  end(): void {
    this.#isShut = true;
    this.#send();
  }

  destroy(): void {
    this.#close("it was closed here");
  }

  // The network.

  deliver(bytes: Uint8Array): void {
    if (!this.#isClosed) {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        this.#arrived.push(bytes.subarray(at, at + pieceBytes));
      }
      this.#read();
    }
  }

  widen(bytes: number): void {
    this.#room += bytes;
    this.#send();
  }

  finish(): void {
    this.#isEnding = true;
    this.#read();
  }

  cut(): void {
    this.#close("it was cut");
  }

  #close(cause: string): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#say(`closed ${this.#number} ${this.#arrived.length === 0 ? 0 : 1}`);
      queueMicrotask(() => this.#owner?.closed(cause));
    }
  }

  #read(): void {
    while (this.#owner !== undefined && !this.#isPaused && !this.#isClosed) {
      const first = this.#arrived.shift();
      if (first === undefined) {
        if (this.#isEnding) {
          this.#isEnding = false;
          this.#owner.ended();
        }
        return;
      }
      this.#say(`took ${this.#number} ${first.length}`);
      this.#owner.bytes(new Uint8Array(first));
    }
  }

  #send(): void {
    const before = this.#unsentBytes;
    for (let first = this.#unsent[0]; first !== undefined && this.#room > 0; first = this.#unsent[0]) {
      const some = first.subarray(0, this.#room);
      this.#say(`bytes ${this.#number} ${Buffer.from(some).toString("hex")}`);
      this.#room -= some.length;
      this.#unsentBytes -= some.length;
      if (some.length === first.length) {
        this.#unsent.shift();
      } else {
        this.#unsent[0] = first.subarray(some.length);
      }
    }
    if (this.#isShut && !this.#hasToldFin && this.#unsentBytes === 0) {
      this.#hasToldFin = true;
      this.#say(`fin ${this.#number}`);
    }
    if (this.#isFull && this.#unsentBytes < before) {
      this.#isFull = this.#unsentBytes >= sendBufferBytes;
      const { moved, drained } = this.#isFull ? { moved: true, drained: false } : { moved: false, drained: true };
      queueMicrotask(() => {
        if (moved) {
          this.#owner?.moved();
        } else if (drained && !this.#isClosed) {
          this.#owner?.drained();
        }
      });
    }
  }
}

function optionsOf(words: readonly string[]): Options {
  return new Map(words.map((word) => word.split("=", 2) as [string, string]));
}

/** Answers lines about servers and clients until there are no more; a line that says so begins anew. */
export async function network(): Promise<void> {
  let net = new Network();
  net.clock.install();
  let program = new Program(net);
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const [verb = "", ...words] = line.split(" ");
    switch (verb) {
      case "advance":
        await net.clock.advance(Number(words[0]), () => words[1] === "stop" && !net.isSilent);
        process.stdout.write(net.tell());
        break;
      case "anew":
        net = new Network();
        net.clock.install();
        program = new Program(net);
        break;
      case "connect":
        program.accept(words[1] ?? "", net.link(Number(words[0])));
        break;
      case "reachable":
      case "deliver":
      case "room":
      case "eof":
      case "cut":
        net.command(verb, words);
        break;
      default:
        program.command(verb, optionsOf(words));
    }
  }
}
