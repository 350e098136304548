import { layoutOf, type CallMethod, type ServerStreamMethod, type BidiStreamMethod, type EventMethod, type Method, type Service, type Type, type ClientStreamMethod } from "../control/runtime.js";
import { codecError, MxpError, refusalError } from "../engine/failure.js";
import { Status, type TypeInfo } from "../session/index.js";
import type { Client, MethodName } from "./client.js";
import type { Context } from "./handler_context.js";
import type { CallOptions, EventOptions } from "./request.js";
import type { ServerMethod, Server } from "./server.js";
import type { RawStream } from "./streams.js";

/** The functions of a client of a service, one for each method. */
export type Stub<M> = { readonly [K in keyof M]: ClientMethod<M[K]> };

type ClientMethod<M> =
  M extends CallMethod<infer Q, infer A> ? (request: Q, options?: CallOptions) => Promise<A>
  : M extends EventMethod<infer Q> ? (request: Q, options?: EventOptions) => Promise<void>
  : M extends ServerStreamMethod<infer Q, infer A> ? (request: Q, options?: CallOptions) => Receiver<A>
  : M extends ClientStreamMethod<infer Q, infer A> ? (options?: CallOptions) => ClientStream<Q, A>
  : M extends BidiStreamMethod<infer Q, infer A> ? (options?: CallOptions) => BidiStream<Q, A>
  : never;

/** The functions of a server of a service, one for each method. A generator yields the responses of a stream. */
export type Handlers<M> = { readonly [K in keyof M]: MethodHandler<M[K]> };

type MethodHandler<M> =
  M extends CallMethod<infer Q, infer A> ? (request: Q, context: Context) => A | Promise<A>
  : M extends EventMethod<infer Q> ? (request: Q, context: Context) => void | Promise<void>
  : M extends ServerStreamMethod<infer Q, infer A> ? (request: Q, context: Context) => Iterable<A> | AsyncIterable<A>
  : M extends ClientStreamMethod<infer Q, infer A> ? (requests: AsyncIterable<Q>, context: Context) => A | Promise<A>
  : M extends BidiStreamMethod<infer Q, infer A> ? (requests: AsyncIterable<Q>, context: Context) => Iterable<A> | AsyncIterable<A>
  : never;

/** A stream of responses. A loop that is left early cancels it. */
export interface Receiver<A> extends AsyncIterable<A> {
  /** The next response; undefined when there are no more. */
  next(): Promise<A | undefined>;
  /** Ends the stream at both sides. */
  cancel(): void;
}

/** A stream of requests. */
export interface Sender<Q> {
  /** Sends a request; resolves when there was room for it. */
  send(request: Q): Promise<void>;
  cancel(): void;
}

/** A stream of requests that has one answer. */
export interface ClientStream<Q, A> extends Sender<Q> {
  /** Ends the requests, and waits for the answer. */
  finish(): Promise<A>;
}

/** A stream in both directions. */
export interface BidiStream<Q, A> extends Sender<Q>, Receiver<A> {
  /** Ends the requests. */
  end(): Promise<void>;
}

/** The types of the requests and responses of a service [MXP-13.3], in the order of their names. */
export function typesOf(service: Service<unknown>): TypeInfo[] {
  const found = new Map<string, { type: Type; prints: readonly bigint[]; requests: MethodName[]; responses: MethodName[] }>();
  const of = (codec: Method["request"]): { requests: MethodName[]; responses: MethodName[] } => {
    const { type, fingerprints } = codec;
    const one = found.get(type.name) ?? { type, prints: fingerprints.cumulative, requests: [], responses: [] };
    found.set(type.name, one);
    return one;
  };
  for (const method of methodsOf(service)) {
    const name = nameOf(service, method);
    of(method.request).requests.push(name);
    if (method.response !== undefined) {
      of(method.response).responses.push(name);
    }
  }
  return [...found.values()]
    .map(({ type, prints, requests, responses }) => ({ name: type.name, fingerprints: prints, layout: layoutOf(type), requests, responses }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function methodsOf(service: Service<unknown>): Method[] {
  return Object.values(service.methods as Readonly<Record<string, Method>>);
}

function nameOf(service: Service<unknown>, { name, number, idempotent }: Method): MethodName {
  return { service: service.name, name, number, idempotent };
}

type Codec = NonNullable<Method["response"]>;

/** A client of a service, at the peer of a client. */
export function stub<M>(service: Service<M>, client: Client): Stub<M> {
  client.use(typesOf(service));
  const all = Object.entries(service.methods as Readonly<Record<string, Method>>);
  return Object.fromEntries(all.map(([name, method]) => [name, asking(client, nameOf(service, method), method)])) as Stub<M>;
}

function asking(client: Client, name: MethodName, method: Method): unknown {
  const at = (error: MxpError): MxpError => error.of(`${name.service}/${name.name}`, client.address);
  const encode = (request: unknown): Uint8Array => encoded(method.request, request, at);
  const decode = (bytes: Uint8Array): unknown => {
    try {
      return method.response?.decode(bytes);
    } catch (error) {
      const refused = codecError(error, Status.DataLoss, true); // [MXP-13.5]
      throw refused === undefined ? error : at(refused);
    }
  };
  switch (method.kind) {
    case "call":
      return async (request: unknown, options?: CallOptions) => decode((await client.call(name, encode(request), options)).value);
    case "event":
      return async (request: unknown, options?: EventOptions) => void (await client.event(name, encode(request), options));
    case "serverStream":
      return (request: unknown, options?: CallOptions) => new Typed(late(() => client.open(name, encode(request), true, options)), encode, decode, at);
    case "clientStream":
    case "bidiStream":
      return (options?: CallOptions) => new Typed(client.open(name, new Uint8Array(0), false, options), encode, decode, at);
  }
}

/** A promise of a value that is made now, and of an error that making it throws. */
async function late<T>(make: () => Promise<T>): Promise<T> {
  return make();
}

/** A value's bytes; a value without has a refusal, and is not sent [MXP-13.7]. */
function encoded(codec: Codec, value: unknown, locate: (error: MxpError) => MxpError): Uint8Array {
  try {
    return codec.encode(value as never);
  } catch (error) {
    const refused = codecError(error, Status.InvalidArgument, false);
    throw refused === undefined ? error : locate(refused);
  }
}

/** A stream of this side's, of typed values. */
class Typed implements ClientStream<unknown, unknown>, BidiStream<unknown, unknown> {
  readonly #stream: Promise<RawStream>;
  readonly #encode: (request: unknown) => Uint8Array;
  readonly #decode: (bytes: Uint8Array) => unknown;
  readonly #at: (error: MxpError) => MxpError;

  constructor(stream: Promise<RawStream>, encode: (request: unknown) => Uint8Array, decode: (bytes: Uint8Array) => unknown, locate: (error: MxpError) => MxpError) {
    this.#stream = stream;
    this.#encode = encode;
    this.#decode = decode;
    this.#at = locate;
    stream.catch(() => undefined); // whoever uses it is told
  }

  async #do<T>(run: (stream: RawStream) => Promise<T>): Promise<T> {
    try {
      return await run(await this.#stream);
    } catch (error) {
      throw error instanceof MxpError ? this.#at(error) : error;
    }
  }

  send(request: unknown): Promise<void> {
    return this.#do((stream) => stream.send(this.#encode(request)));
  }

  end(): Promise<void> {
    return this.#do(async (stream) => stream.end());
  }

  next(): Promise<unknown> {
    return this.#do(async (stream) => {
      const value = await stream.next();
      if (value === undefined) {
        return undefined;
      }
      try {
        return this.#decode(value);
      } catch (error) {
        stream.cancel();
        throw error;
      }
    });
  }

  /** The one answer of a stream of requests [MXP-13.6]. */
  finish(): Promise<unknown> {
    return this.#do(async (stream) => {
      stream.end();
      const answer = await stream.next();
      const more = answer === undefined ? undefined : await stream.next();
      if (answer === undefined || more !== undefined) {
        stream.cancel();
        throw refusalError("stream_responses");
      }
      return this.#decode(answer);
    });
  }

  cancel(): void {
    void this.#stream.then((stream) => stream.cancel()).catch(() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<unknown> {
    let ended = false;
    try {
      for (;;) {
        const value = await this.next();
        if (value === undefined) {
          ended = true;
          return;
        }
        yield value;
      }
    } finally {
      if (!ended) {
        this.cancel();
      }
    }
  }
}

/** Serves a service. */
export function serve<M>(server: Server, service: Service<M>, handlers: Handlers<M>): void {
  const all = Object.entries(service.methods as Readonly<Record<string, Method>>);
  const methods = all.map(([name, method]) => serverMethod(service.name, method, handlers[name as keyof M] as AnyHandler));
  server.add(service.name, methods, typesOf(service));
}

type AnyHandler = (request: unknown, context: Context) => unknown;

function serverMethod(service: string, method: Method, handler: AnyHandler): ServerMethod {
  const { name, number, idempotent } = method;
  const decode = (bytes: Uint8Array, acted: boolean): unknown => {
    try {
      return method.request.decode(bytes);
    } catch (error) {
      throw codecError(error, Status.InvalidArgument, acted) ?? error; // [MXP-13.4]
    }
  };
  const encode = (value: unknown): Uint8Array => {
    try {
      return (method.response as Codec).encode(value as never);
    } catch (error) {
      throw codecError(error, Status.Internal, true) ?? error; // [MXP-13.7]
    }
  };
  const flows = { requests: method.kind === "clientStream" || method.kind === "bidiStream", responses: method.kind === "serverStream" || method.kind === "bidiStream" };
  const common = { service, name, number, idempotent, flows, isEvent: method.kind === "event" };
  switch (method.kind) {
    case "call":
      return { ...common, answer: async (value, context) => encode(await handler(decode(value, false), context)) };
    case "event":
      return { ...common, answer: async (value, context) => {
        await handler(decode(value, false), context);
        return new Uint8Array(0);
      } };
    case "serverStream":
      return { ...common, stream: (value, stream, context) => yielded(stream, handler(decode(value, false), context), encode) };
    case "clientStream":
      return { ...common, stream: async (_, stream, context) => stream.send(encode(await handler(requests(stream, decode), context))) };
    case "bidiStream":
      return { ...common, stream: (_, stream, context) => yielded(stream, handler(requests(stream, decode), context), encode) };
  }
}

/** The requests of a stream. */
async function* requests(stream: RawStream, decode: (bytes: Uint8Array, acted: boolean) => unknown): AsyncIterableIterator<unknown> {
  for (let value = await stream.next(); value !== undefined; value = await stream.next()) {
    yield decode(value, true);
  }
}

/** Sends what a handler yields. */
async function yielded(stream: RawStream, values: unknown, encode: (value: unknown) => Uint8Array): Promise<void> {
  for await (const value of values as AsyncIterable<unknown>) {
    await stream.send(encode(value));
  }
}
