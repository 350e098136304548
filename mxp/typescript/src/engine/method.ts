import type { PeerRequest } from "./order.js";

/** How many methods a text lists. */
const listedMax = 8;

/** A method that is served, as the engine looks it up. */
export interface Method {
  readonly service: string;
  readonly name: string;
  readonly number: number;
  readonly idempotent: boolean;
  readonly isEvent?: boolean;
  readonly stream?: unknown;
}

function kindOf({ stream, isEvent }: Method): string {
  return stream !== undefined ? "stream" : isEvent === true ? "event" : "call";
}

function kindAsked({ kind }: PeerRequest): string {
  return kind === "open" ? "stream" : kind === "call" ? "call" : "event";
}

/** The services of a server, and their methods. */
export class Methods<M extends Method> {
  /** The names of the services, of which a position is a number. */
  readonly services: string[] = [];
  readonly #all = new Map<string, M>();

  add(service: string, methods: readonly M[]): void {
    this.services.push(service);
    for (const method of methods) {
      this.#all.set(`${service} ${method.number}`, method);
    }
  }

  /** The methods of a service by their numbers. */
  list(service: string): M[] {
    return [...this.#all.values()].filter((method) => method.service === service).sort((a, b) => a.number - b.number);
  }

  /** The method that a request asks for; undefined where there is none of its kind. */
  find(request: PeerRequest): M | undefined {
    const method = this.#all.get(`${this.#service(request)} ${request.method}`);
    return method !== undefined && kindOf(method) === kindAsked(request) ? method : undefined;
  }

  #service({ service }: PeerRequest): string {
    return this.services[service] ?? "";
  }

  /**
   * The methods that a service has instead of an unknown method: if they are many, the methods with the nearest
   * numbers.
   */
  unknown(request: PeerRequest): string {
    const number = request.method;
    const service = this.#service(request);
    const all = this.list(service);
    const near = [...all].sort((a, b) => Math.abs(a.number - number) - Math.abs(b.number - number)).slice(0, listedMax);
    const names = near.sort((a, b) => a.number - b.number).map((method) => `${kindOf(method)} ${method.name === "" ? "" : `${method.name} = `}${method.number}`);
    const more = all.length > listedMax ? ` and ${all.length - listedMax} more` : "";
    return `${service} has no ${kindAsked(request)} ${number}; it has ${all.length === 0 ? "none" : names.join(", ") + more}`;
  }
}
