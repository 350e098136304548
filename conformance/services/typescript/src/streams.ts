import { type Caller, entry, failure, until } from "./call.js";
import type { Booking, Entry, Range } from "./generated/ledger.js";
import { mark } from "./mark.js";
import type { MxpError } from "./library/mxp/typescript/src/index.js";

export async function lists({ ledger, say }: Caller): Promise<void> {
  const list = async (range: Range): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for await (const one of ledger.list(range)) {
      entries.push(one);
    }
    return entries;
  };
  const three = await list({ first: 1n, last: 3n });
  say(`list: ${three.map(({ id }) => id).join(" ")}`, "list: 1 2 3");
  say(`list: ${(await list({ first: 1n, last: 1000n })).length}`, "list: 1000");
  const f = await failure(list({ first: 2n, last: 1n }));
  say(`list: ${f.status} ${f.code} ${JSON.stringify(f.text)}`, 'list: 3 range_empty "no numbers"');
  for await (const one of ledger.list({ first: 1n, last: 1_000_000n })) {
    if (one.id === 1n) {
      break;
    }
  }
  say("list: left", "list: left");
}

export async function sums({ ledger, say }: Caller): Promise<void> {
  for (const [amounts, want] of [[[1n, 2n, 3n], "sum: 3 6"], [[], "sum: 0 0"], [[-1n], "sum: 9 sum_negative"]] as const) {
    const entries = ledger.sum();
    try {
      for (const amount of amounts) {
        await entries.send(mark(entry({ amount })));
      }
      const total = await entries.finish();
      say(`sum: ${total.entries} ${total.amount}`, want);
    } catch (error) {
      const { status, code } = error as MxpError;
      say(`sum: ${status} ${code}`, want);
    }
  }
}

export async function negates({ ledger, say }: Caller): Promise<void> {
  const entries = ledger.negate();
  for (const amount of [1n, 2n, 3n]) {
    await entries.send(mark(entry({ amount })));
  }
  await entries.end();
  const amounts: bigint[] = [];
  for await (const { amount } of entries) {
    amounts.push(amount);
  }
  say(`negate: ${amounts.join(" ")}`, "negate: -1 -2 -3");

  const inStep = ledger.negate();
  let n = 0n;
  for (; n < 1000n; n++) {
    await inStep.send(mark(entry({ amount: n })));
    const back = await inStep.next();
    if (back?.amount !== -n) {
      throw new Error(`${n} comes back as ${back?.amount}`);
    }
  }
  await inStep.end();
  if ((await inStep.next()) !== undefined) {
    throw new Error("the stream does not end");
  }
  say(`negate: ${n} in step`, "negate: 1000 in step");
}

export async function books({ ledger, say }: Caller): Promise<void> {
  const before = await ledger.booked({});
  const one = (fields: Partial<Entry>): Booking => ({ kind: "Entry", value: mark(entry(fields)) });
  await ledger.book(one({ amount: 5n }), { ack: true });
  await ledger.book({ kind: "Many", value: { text: "many", times: 2 } });
  say("book: ok", "book: ok");
  const f = await failure(ledger.book(one({ text: "twice" }), { ack: true }));
  say(`book: ${f.status} ${f.code}`, "book: 6 booked_twice");
  const after = await until(before.entries + 3n, ledger.booked);
  say(`booked: ${after.entries - before.entries} ${after.amount - before.amount}`, "booked: 3 5");
}
