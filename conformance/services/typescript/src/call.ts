import type { Entry, Nothing, Total } from "./generated/ledger.js";
import { Ledger, type LedgerMethods } from "./generated/ledger.js";
import { five, mark, marked, marks } from "./mark.js";
import { type CallOptions, Client, type Interceptor, MxpError, stub, type Stub, type Transports } from "./library/mxp/typescript/src/index.js";
import { books, lists, negates, sums } from "./streams.js";

/** Asks for everything, and prints what it is told. */
export interface Caller {
  readonly ledger: Stub<LedgerMethods>;
  /** Prints a line, and counts it if it is none of the possible ones. */
  say(line: string, ...can: string[]): void;
}

export function entry(fields: Partial<Entry>): Entry {
  return { id: 0n, text: "", amount: 0n, ...fields };
}

/** Why a request has failed. */
export async function failure(request: Promise<unknown>): Promise<MxpError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof MxpError) {
      return error;
    }
    throw error;
  }
  return new MxpError(0, "no failure");
}

/** A failure as text, without the address, which differs from run to run. */
function line(f: MxpError): string {
  return new MxpError(f.status, f.code, { ...f, peer: "" }).message;
}

/** Calls everything at an address. A page can do it, too. */
export async function call(address: string, transports: Transports): Promise<void> {
  let key = "sesame";
  let seen = "";
  let wrong = 0;
  const unlock: Interceptor = async (asked, next) => {
    const reply = await next({ ...asked, metadata: [...asked.metadata, { key: "key", value: new TextEncoder().encode(key) }] });
    for (const one of reply.metadata) {
      seen = one.key === "seen" ? new TextDecoder().decode(one.value) : seen;
    }
    return reply;
  };
  const client = new Client(address, { transports, interceptors: [unlock] });
  const ledger = stub(Ledger, client);
  const caller: Caller = {
    ledger,
    say: (said, ...can) => {
      console.log(said);
      wrong += can.includes(said) ? 0 : 1;
    },
  };
  const { say } = caller;

  const echoed = await ledger.echo(mark(entry({ id: 7n, text: "héllo", amount: -9n })));
  say(`echo: ${echoed.id} ${JSON.stringify(echoed.text)} ${echoed.amount} ${marked(echoed)}`, ...marks.map((one) => `echo: 7 "héllo" -9 ${one}`));
  say(`seen: ${seen}`, "seen: echo");
  const id = new Uint8Array(16);
  id.set([1], 0);
  id.set([2], 15);
  await ledger.echo(entry({}), { trace: { id, parent: 0x0300000000000004n, flags: 1, state: "vendor=x" } });
  say(`trace: ${seen}`, "trace: echo 00-01000000000000000000000000000002-0300000000000004-01 vendor=x");

  let f = await failure(ledger.fail({ status: 9, name: "demo_refused", text: "not now", details: new Uint8Array([1, 2]) }));
  say(`fail: ${f.status} ${f.code} ${JSON.stringify(f.text)} ${Array.from(f.details, (byte) => byte.toString(16).padStart(2, "0")).join("")} acted=${f.acted}`, 'fail: 9 demo_refused "not now" 0102 acted=true');
  say(`line: ${line(f)}`, "line: ledger.Ledger/fail: FailedPrecondition (9) demo_refused: not now; it may have been acted on");
  key = "wrong";
  f = await failure(ledger.echo(entry({})));
  key = "sesame";
  say(`key: ${f.status} ${f.code} acted=${f.acted}`, "key: 16 key_wrong acted=false");

  await waits(caller);
  await blobs(caller);
  await lists(caller);
  await sums(caller);
  await negates(caller);
  await books(caller);
  await rounds(caller);
  await client.close();
  console.log("done");
  if (wrong > 0) {
    throw new Error(`${wrong} lines are not as they should be`);
  }
}

async function waits({ ledger, say }: Caller): Promise<void> {
  const before = await ledger.waited({});
  let f = await failure(ledger.wait({}, { timeoutMs: 50 }));
  say(`wait: ${f.status} ${f.code}`, "wait: 4 deadline_exceeded");
  f = await failure(ledger.wait({}, { signal: AbortSignal.timeout(50) }));
  say(`wait: ${f.status} ${f.code}`, "wait: 1 cancelled");
  const after = await until(before.entries + 2n, ledger.waited);
  say(`waited: ${after.entries - before.entries}`, "waited: 2");
}

/** Asks how many there are until there are so many, but not for ever. */
export async function until(want: bigint, ask: (nothing: Nothing, options?: CallOptions) => Promise<Total>): Promise<Total> {
  for (const end = performance.now() + 5000; ; ) {
    const total = await ask({});
    if (total.entries >= want || performance.now() > end) {
      return total;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The largest payload of a frame. */
const payloadMax = 16 << 20;

async function blobs({ ledger, say }: Caller): Promise<void> {
  await ledger.nothing({});
  say("nothing: ok", "nothing: ok");
  const data = Uint8Array.from({ length: payloadMax }, (_, i) => i % 251);
  const answered = async (n: number): Promise<boolean> => {
    try {
      const blob = await ledger.blob({ data: data.subarray(0, n) });
      return blob.data.length === n && blob.data.every((byte, i) => byte === data[i]);
    } catch (error) {
      if (error instanceof MxpError) {
        return false;
      }
      throw error;
    }
  };
  if (await answered(0)) {
    say("blob: 0", "blob: 0");
  }
  let most = payloadMax - 1024; // is answered
  let least = payloadMax; // is not
  if (!(await answered(most))) {
    throw new Error(`a blob of ${most} bytes is not answered`);
  }
  while (least - most > 1) {
    const middle = (most + least) >> 1;
    if (await answered(middle)) {
      most = middle;
    } else {
      least = middle;
    }
  }
  console.log(`blob: ${most}`);
  say(
    `too large: ${line(await failure(ledger.blob({ data })))}`,
    "too large: ledger.Ledger/blob: OutOfRange (11) payload_too_large: a payload of 16777250 bytes, where the peer takes 16777216; it was not acted on",
  );
}

/** Asks for what only a server of the same release reads. */
async function rounds({ ledger, say }: Caller): Promise<void> {
  const can = ["round: 5", ...["here u32, there u64", "here u64, there u32"].map((differ) =>
    `round: ledger.Ledger/round: FailedPrecondition (9) session_schema: ledger.Rounding.to: ${differ}; it was not acted on`)];
  try {
    // The field is of another width in each release: a number in one, a bigint in the other.
    const { to } = await ledger.round({ to: five } as never);
    say(`round: ${to}`, ...can);
  } catch (error) {
    say(`round: ${line(error as MxpError)}`, ...can);
  }
}
