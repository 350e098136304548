// Reflection, as spec/reflection.sdp declares it [MXP-13.10].

import type { CallMethod, Service } from "../../control/sdp/index.js";
import { refusalError } from "../failure.js";
import type { Server } from "../server.js";
import { serve } from "../stub.js";
import { bool, enumeration, message, messages, nested, optional, prints, text1, text4, texts, u16 } from "./codecs.js";

/** How a method is asked. */
export const MethodKind = { Call: 0, Stream: 1, Event: 2 } as const;

/** What passes in one direction of a method: any number of them, if it flows. The type is empty where the server does not know it. */
export interface DescribedValue {
  type: string;
  flows: boolean;
}

/** A method; its name is empty where the server knows its number alone. */
export interface DescribedMethod {
  name: string;
  number: number;
  /** A member of `MethodKind`. */
  kind: number;
  idempotent: boolean;
  request: DescribedValue;
  /** Absent of an event. */
  response: DescribedValue | null;
}

/** A type, as the server reads and writes it: its cumulative fingerprints, and its layout text. */
export interface DescribedType {
  name: string;
  fingerprints: BigUint64Array;
  layout: string;
}

export interface DescribedService {
  name: string;
  methods: DescribedMethod[];
  types: DescribedType[];
}

export interface ReflectionMethods {
  /** Lists all services that the server serves. It is idempotent. */
  readonly list: CallMethod<object, { names: string[] }>;
  /** Describes one service, by its full name. It is idempotent. */
  readonly describe: CallMethod<{ service: string }, DescribedService>;
}

const value = message<DescribedValue>("mxp.reflection.Value", 112, 0xb071a5b81b9bda66n, { type: text1, flows: bool });
const kind = enumeration("mxp.reflection.Kind", Object.entries(MethodKind));
const method = message<DescribedMethod>("mxp.reflection.Method", 312, 0xed08fa9b27f11a71n, {
  name: text1, number: u16, kind, idempotent: bool, request: nested(value), response: optional(value),
});
const type = message<DescribedType>("mxp.reflection.Type", 320, 0x03f0b27c51c9eb54n, { name: text1, fingerprints: prints, layout: text4 });
const listRequest = message<object>("mxp.reflection.ListRequest", 64, 0x2bd50d9b38fecb97n, {}).codec;
const serviceList = message<{ names: string[] }>("mxp.reflection.ServiceList", 80, 0x79ce01ae14b3312an, { names: texts }).codec;
const describeRequest = message<{ service: string }>("mxp.reflection.DescribeRequest", 72, 0x738ffcda94196549n, { service: text1 }).codec;
const service = message<DescribedService>("mxp.reflection.Service", 152, 0x95193ecbcdb4d29en, {
  name: text1, methods: messages(method, 16), types: messages(type, 10),
}).codec;

/** What a server serves. */
export const Reflection: Service<ReflectionMethods> = {
  name: "mxp.reflection.Reflection",
  methods: {
    list: { kind: "call", name: "list", number: 1, idempotent: true, request: listRequest, response: serviceList },
    describe: { kind: "call", name: "describe", number: 2, idempotent: true, request: describeRequest, response: service },
  },
};

/** Adds Reflection to what a server serves. It tells whoever may connect what all of it is. */
export function serveReflection(server: Server): void {
  serve(server, Reflection, {
    list: () => ({ names: [...server.services] }),
    describe: ({ service: name }) => {
      const described = server.describe(name);
      if (described === undefined) {
        throw refusalError("service_unknown", `there is no service ${name}`);
      }
      return described;
    },
  });
}
