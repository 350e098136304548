import { Ledger } from "./generated/ledger.js";
import { type Asked, type Context, type Interceptor, listen, MxpError, serve as register, Server } from "./library/mxp/typescript/src/node.js";

const text = new TextDecoder();

/** Refuses requests with a wrong key, and names the called method in answers. */
const guard: Interceptor = async (asked, next) => {
  for (const { key, value } of asked.metadata) {
    if (key === "key" && text.decode(value) !== "sesame") {
      throw new MxpError(16, "key_wrong", { acted: false });
    }
  }
  const reply = await next(asked);
  const seen = new TextEncoder().encode(asked.name + traced(asked));
  return { ...reply, metadata: [...reply.metadata, { key: "seen", value: seen }] };
};

/** The trace of a request, as W3C's headers have it. */
function traced({ trace }: Asked): string {
  if (trace === undefined) {
    return "";
  }
  const hex = (n: bigint | number, digits: number): string => n.toString(16).padStart(digits, "0");
  return ` 00-${Buffer.from(trace.id).toString("hex")}-${hex(trace.parent, 16)}-${hex(trace.flags, 2)} ${trace.state ?? ""}`;
}

export async function serve(address: string): Promise<void> {
  const server = new Server({ interceptors: [guard] });
  let gone = 0n;
  const booked = { entries: 0n, amount: 0n };
  register(server, Ledger, {
    echo: (entry) => entry,
    fail: ({ status, name, text, details }) => {
      throw new MxpError(status, name, { text, details });
    },
    wait: async (_, { signal }) => {
      await cancelled(signal);
      gone++;
      throw new MxpError(1, "cancelled");
    },
    waited: () => ({ entries: gone, amount: 0n }),
    nothing: (nothing) => nothing,
    blob: (blob) => blob,
    async *list({ first, last }) {
      if (last < first) {
        throw new MxpError(3, "range_empty", { text: "no numbers" });
      }
      for (let id = first; id <= last; id++) {
        yield { id, text: String(id), amount: -id };
      }
    },
    async sum(entries) {
      const total = { entries: 0n, amount: 0n };
      for await (const { amount } of entries) {
        total.entries++;
        total.amount += amount;
        if (total.amount < 0n) {
          throw new MxpError(9, "sum_negative");
        }
      }
      return total;
    },
    async *negate(entries) {
      for await (const entry of entries) {
        yield { ...entry, amount: -entry.amount };
      }
    },
    book(booking) {
      if (booking.kind === "Entry") {
        if (booking.value.text === "twice") {
          throw new MxpError(6, "booked_twice");
        }
        booked.entries++;
        booked.amount += booking.value.amount;
      } else if (booking.kind === "Many") {
        booked.entries += BigInt(booking.value.times);
      }
    },
    booked: () => ({ ...booked }),
    round: (rounding) => rounding,
  });
  const listener = await listen(address, (wire) => server.accept(wire));
  console.log("ready");
  await new Promise((resolve) => process.once("SIGTERM", resolve));
  listener.close();
  await server.close();
}

function cancelled(signal: Context["signal"]): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve())));
}
