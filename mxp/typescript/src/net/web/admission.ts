// The faults of handshakes, and the bounds of origins.
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Status } from "../../session/index.js";
import { originConnections } from "../../session/spec_gen.js";
import type { Notice } from "../notice.js";
import { protocol, tokenPrefix } from "../websocket.js";
import { DialError } from "../wire.js";
import { bare, isLoopback, isLoopbackOrigin } from "./authority.js";

/**
 * Says who may open WebSockets. Without options these are pages and programs that name the server by a
 * loopback address, by `localhost` or by a name under it; pages only if they have come from there, too.
 */
export interface AdmissionOptions {
  /**
   * The names and addresses, without ports and brackets, by which openers may name the server beside the
   * loopback ones. All others are refused: a page can make its own name lead to this machine.
   */
  readonly hosts?: readonly string[];
  /** The origins of pages that are let in beside the loopback ones, as browsers write them: `https://studio.example`. */
  readonly origins?: readonly string[];
  /** Openers have to show it: 1 to 256 letters, digits, `-` and `_`. */
  readonly token?: string;
  /** How many connections pages of one origin may have at a time; 64. */
  readonly originConnections?: number;
  /** Told the first time that a host or an origin is refused; `console.warn` where none is given. */
  readonly onNotice?: Notice;
}

/** An answer that opens no WebSocket. */
export interface Denial {
  readonly status: number;
  readonly why: string;
}

/** Of how many hosts, and of how many origins, it is told at most that they were refused. */
const toldMost = 64;
const textMost = 256;

/** A key of 16 bytes in base64, with no bits left over. */
const key = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/** Decides which handshakes open WebSockets [MXP-19.5]. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #connections = new Map<string, number>();
  readonly #told = { host: new Set<string>(), origin: new Set<string>() };

  /** Throws a DialError for options that can't be meant: nobody would ever name such a host. */
  constructor(options: AdmissionOptions) {
    for (const host of options.hosts ?? []) {
      if (host === "" || bare(host) !== host) {
        throw new DialError(Status.InvalidArgument, `${JSON.stringify(host)} of hosts is no host without port and brackets`);
      }
    }
    if (options.token !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(options.token)) {
      throw new DialError(Status.InvalidArgument, "the token is no 1 to 256 letters, digits, - and _");
    }
    this.#options = options;
    this.#hosts = new Set(options.hosts?.map((host) => host.toLowerCase()));
    this.#origins = new Set(options.origins?.map((origin) => origin.toLowerCase()));
  }

  /** The first fault of a handshake; undefined if it has none. */
  refuse({ headersDistinct: headers }: IncomingMessage): Denial | undefined {
    const { host: hosts = [], origin: origins = [] } = headers;
    const asked = (headers["sec-websocket-protocol"] ?? []).flatMap((line) => line.split(",")).map((name) => name.trim());
    if (hosts.length !== 1 || !this.#isKnown(hosts[0] as string)) {
      this.#tell("host", hosts.join(" and "));
      return { status: 403, why: "the host is not one of this server's" };
    }
    if (origins.length > 1 || (origins.length === 1 && !this.#lets(origins[0] as string))) {
      this.#tell("origin", origins.join(" and "));
      return { status: 403, why: "pages of this origin are not let in" };
    }
    if (!asked.includes(protocol)) {
      return { status: 400, why: `the subprotocol ${protocol} is not asked for` };
    }
    if (!this.#hasToken(asked)) {
      return { status: 401, why: "the token is missing, or another" };
    }
    if (headers["transfer-encoding"] !== undefined || headers["content-length"]?.some((length) => Number(length) !== 0) === true) {
      return { status: 400, why: "a handshake has no body" };
    }
    const keys = headers["sec-websocket-key"] ?? [];
    return keys.length === 1 && key.test(keys[0] as string) ? undefined : { status: 400, why: "the key is no 16 bytes in base64" };
  }

  #isKnown(host: string): boolean {
    return isLoopback(host) || this.#hosts.has(bare(host).toLowerCase());
  }

  #lets(origin: string): boolean {
    return isLoopbackOrigin(origin) || this.#origins.has(origin.toLowerCase());
  }

  #hasToken(tokens: readonly string[]): boolean {
    const { token } = this.#options;
    const wanted = Buffer.from(tokenPrefix + (token ?? ""));
    const isWanted = (name: string): boolean => Buffer.byteLength(name) === wanted.length && timingSafeEqual(Buffer.from(name), wanted);
    return token === undefined || tokens.some(isWanted);
  }

  /** Tells of the first refusal of each text, of so many that hostile ones cost little. */
  #tell(kind: "host" | "origin", text: string): void {
    const told = this.#told[kind];
    const short = text.slice(0, textMost);
    if (!told.has(short) && told.size < toldMost) {
      told.add(short);
      (this.#options.onNotice ?? console.warn)(`MXP: WebSockets ${kind === "host" ? "to the host" : "of the origin"} ${JSON.stringify(short)} are refused: it is not in webSocket.${kind}s`);
    }
  }

  /** Counts a connection of an origin, unless there are too many [MXP-19.6]. Programs have none, and no bound. */
  enter(origin: string | undefined): boolean {
    if (origin === undefined) {
      return true;
    }
    const there = this.#connections.get(origin) ?? 0;
    if (there >= (this.#options.originConnections ?? originConnections)) {
      return false;
    }
    this.#connections.set(origin, there + 1);
    return true;
  }

  leave(origin: string | undefined): void {
    const there = origin === undefined ? 0 : this.#connections.get(origin) ?? 0;
    if (origin !== undefined && there > 1) {
      this.#connections.set(origin, there - 1);
    } else if (origin !== undefined) {
      this.#connections.delete(origin);
    }
  }
}
