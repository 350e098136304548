// Reflection, as spec/reflection.sdp declares it [MXP-13.10].

import { refusalError } from "../../engine/failure.js";
import type { Server } from "../server.js";
import { serve } from "../stub.js";
import { Reflection } from "./mxp_reflection.js";

export {
  Kind as MethodKind, type Method as DescribedMethod, Reflection, type ReflectionMethods, type Service as DescribedService, type Type as DescribedType,
  type Value as DescribedValue,
} from "./mxp_reflection.js";

/**
 * Adds Reflection to a server's services. It describes all of them to any peer that may connect.
 */
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
