"""Serves ledger.Ledger, and calls all of it: in another process, in another language, by another release of the schema.

python3 main.py serve mxp+unix:///tmp/ledger.sock
python3 main.py call  mxp+unix:///tmp/ledger.sock
"""

import asyncio
import sys
import time

import mesh_exchange_protocol as mxp
from generated import ledger
from generated.ledger_services import LedgerClient, LedgerService
from marks import MARKS, mark, marked

KEY, SESAME, SEEN = "key", b"sesame", "seen"


def traced(context):
    """The trace of a request, as W3C's headers have it."""
    trace = context.trace
    if trace is None:
        return ""
    state = context.metadata.get("tracestate", b"").decode()
    return f" 00-{trace.id.hex()}-{trace.parent:016x}-{trace.flags:02x} {state}"


async def guard(context, following):
    """Refuses requests with a wrong key, and names the called method in answers."""
    if context.metadata.get(KEY, SESAME) != SESAME:
        raise mxp.Failure(16, "key_wrong", acted=False)
    await following()
    context.reply_metadata[SEEN] = (context.method.name + traced(context)).encode()


class Ledger(LedgerService):
    """Serves ledger.Ledger."""

    def __init__(self):
        self.gone = 0
        self.entries = self.amount = 0

    def echo(self, request, context):
        return request

    def fail(self, request, context):
        raise mxp.Failure(request.status, request.name, request.text, details=request.details)

    async def wait(self, request, context):
        try:
            await asyncio.Event().wait()
        finally:
            self.gone += 1

    def waited(self, request, context):
        return ledger.Total(entries=self.gone, amount=0)

    def nothing(self, request, context):
        return request

    def blob(self, request, context):
        return request

    async def list(self, request, context):
        if request.last < request.first:
            raise mxp.Failure(3, "range_empty", "no numbers")
        for number in range(request.first, request.last + 1):
            yield ledger.Entry(id=number, text=str(number), amount=-number)

    async def sum(self, requests, context):
        total = ledger.Total(entries=0, amount=0)
        async for entry in requests:
            total.entries += 1
            total.amount += entry.amount
            if total.amount < 0:
                raise mxp.Failure(9, "sum_negative")
        return total

    async def negate(self, requests, context):
        async for entry in requests:
            yield entry.replace(amount=-entry.amount)

    def book(self, request, context):
        match request:
            case ledger.BookingEntry(entry):
                if entry.text == "twice":
                    raise mxp.Failure(6, "booked_twice")
                self.entries += 1
                self.amount += entry.amount
            case ledger.BookingMany(times=times):
                self.entries += times

    def booked(self, request, context):
        return ledger.Total(entries=self.entries, amount=self.amount)

    def round(self, request, context):
        return request


async def serve(address):
    async with mxp.Server(Ledger(), interceptors=[guard]) as server:
        await server.listen(address)
        print("ready", flush=True)
        await server.until_signal()


class Caller:
    """Asks for everything, and prints the answers."""

    def __init__(self):
        self.key, self.seen, self.wrong = SESAME, "", 0

    async def unlock(self, outgoing, following):
        """Sends the key, and keeps what the server says in its answers."""
        outgoing.metadata[KEY] = self.key
        reply = await following(outgoing)
        self.seen = reply.metadata.get(SEEN, self.seen.encode()).decode()
        return reply

    def say(self, line, *can):
        """Prints a line, and counts it if it is none of the possible ones."""
        print(line)
        if line not in can:
            self.wrong += 1

    async def run(self, address):
        async with LedgerClient(address, deadline=60.0, interceptors=[self.unlock]) as self.ledger:
            for step in (self.calls, self.waits, self.blobs, self.lists, self.sums, self.negates, self.books, self.rounds):
                await step()
        print("done")
        return self.wrong

    async def calls(self):
        entry = await self.ledger.echo(mark(ledger.Entry(id=7, text="héllo", amount=-9)))
        self.say(f'echo: {entry.id} "{entry.text}" {entry.amount} {marked(entry)}', *(f'echo: 7 "héllo" -9 {one}' for one in MARKS))
        self.say("seen: " + self.seen, "seen: echo")
        trace = mxp.Trace(bytes([1, *[0] * 14, 2]), 0x0300000000000004, 1)
        await self.ledger.echo(ledger.Entry(id=0, text="", amount=0), trace=trace, metadata={"tracestate": b"vendor=x"})
        self.say("trace: " + self.seen, "trace: echo 00-01000000000000000000000000000002-0300000000000004-01 vendor=x")
        failure = await failed(self.ledger.fail(ledger.Wanted(status=9, name="demo_refused", text="not now", details=b"\1\2")))
        self.say(
            f'fail: {failure.status} {failure.name} "{failure.text}" {failure.details.hex()} acted={str(failure.acted).lower()}',
            'fail: 9 demo_refused "not now" 0102 acted=true',
        )
        self.say(f"line: {failure}", "line: ledger.Ledger/fail: FailedPrecondition (9) demo_refused: not now; it may have been acted on")
        self.key = b"wrong"
        failure = await failed(self.ledger.echo(ledger.Entry(id=0, text="", amount=0)))
        self.key = SESAME
        self.say(f"key: {failure.status} {failure.name} acted={str(failure.acted).lower()}", "key: 16 key_wrong acted=false")

    async def waits(self):
        nothing = ledger.Nothing()
        before = await self.ledger.waited(nothing)
        failure = await failed(self.ledger.wait(nothing, deadline=0.05))
        self.say(f"wait: {failure.status} {failure.name}", "wait: 4 deadline_exceeded")
        task = asyncio.create_task(self.ledger.wait(nothing))
        await asyncio.sleep(0.05)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            self.say("wait: 1 cancelled", "wait: 1 cancelled")
        after = await until(before.entries + 2, self.ledger.waited)
        self.say(f"waited: {after.entries - before.entries}", "waited: 2")

    async def blobs(self):
        await self.ledger.nothing(ledger.Nothing())
        self.say("nothing: ok", "nothing: ok")
        data = bytes(i % 251 for i in range(16 << 20))

        async def answered(size):
            try:
                return (await self.ledger.blob(ledger.Blob(data=data[:size]), deadline=None)).data == data[:size]
            except mxp.Failure:
                return False

        if await answered(0):
            self.say("blob: 0", "blob: 0")
        most, least = (16 << 20) - 1024, 16 << 20
        assert await answered(most)
        while least - most > 1:
            middle = (most + least) // 2
            most, least = (middle, least) if await answered(middle) else (most, middle)
        print(f"blob: {most}")
        failure = await failed(self.ledger.blob(ledger.Blob(data=data), deadline=None))
        self.say(
            f"too large: {failure}",
            "too large: ledger.Ledger/blob: OutOfRange (11) payload_too_large: a payload of 16777250 bytes, where the peer takes 16777216; "
            "it was not acted on",
        )

    async def lists(self):
        ids = [entry.id async for entry in self.ledger.list(ledger.Range(first=1, last=3))]
        self.say("list: " + " ".join(map(str, ids)), "list: 1 2 3")
        count = len([1 async for _ in self.ledger.list(ledger.Range(first=1, last=1000))])
        self.say(f"list: {count}", "list: 1000")
        failure = await failed(anext(self.ledger.list(ledger.Range(first=2, last=1))))
        self.say(f'list: {failure.status} {failure.name} "{failure.text}"', 'list: 3 range_empty "no numbers"')
        async with self.ledger.list(ledger.Range(first=1, last=1_000_000)) as entries:
            async for _ in entries:
                break
        self.say("list: left", "list: left")

    async def sums(self):
        for amounts, want in (([1, 2, 3], "sum: 3 6"), ([], "sum: 0 0"), ([-1], "sum: 9 sum_negative")):
            async with self.ledger.sum() as entries:
                try:
                    for amount in amounts:
                        await entries.send(mark(ledger.Entry(id=0, text="", amount=amount)))
                    total = await entries.finish()
                    self.say(f"sum: {total.entries} {total.amount}", want)
                except mxp.Failure as failure:
                    self.say(f"sum: {failure.status} {failure.name}", want)

    async def negates(self):
        async with self.ledger.negate() as entries:
            for amount in (1, 2, 3):
                await entries.send(mark(ledger.Entry(id=0, text="", amount=amount)))
            await entries.finish()
            self.say("negate: " + " ".join([str(entry.amount) async for entry in entries]), "negate: -1 -2 -3")
        count = 0
        async with self.ledger.negate() as entries:
            for amount in range(1000):
                await entries.send(mark(ledger.Entry(id=0, text="", amount=amount)))
                entry = await entries.receive()
                count += entry is not None and entry.amount == -amount
            await entries.finish()
            assert await entries.receive() is None
        self.say(f"negate: {count} in step", "negate: 1000 in step")

    async def books(self):
        before = await self.ledger.booked(ledger.Nothing())
        await self.ledger.book(ledger.BookingEntry(mark(ledger.Entry(id=0, text="", amount=5))), acked=True)
        await self.ledger.book(ledger.BookingMany("many", 2))
        self.say("book: ok", "book: ok")
        failure = await failed(self.ledger.book(ledger.BookingEntry(mark(ledger.Entry(id=0, text="twice", amount=0))), acked=True))
        self.say(f"book: {failure.status} {failure.name}", "book: 6 booked_twice")
        after = await until(before.entries + 3, self.ledger.booked)
        self.say(f"booked: {after.entries - before.entries} {after.amount - before.amount}", "booked: 3 5")

    async def rounds(self):
        can = ["round: 5"]
        for differ in ("here u32, there u64", "here u64, there u32"):
            why = f"session_schema: ledger.Rounding.to: {differ}"
            can.append(f"round: ledger.Ledger/round: FailedPrecondition (9) {why}; it was not acted on")
        try:
            self.say(f"round: {(await self.ledger.round(ledger.Rounding(to=5))).to}", *can)
        except mxp.Failure as failure:
            self.say(f"round: {failure}", *can)


async def failed(request):
    """The failure of a request."""
    try:
        return mxp.Failure(0, f"no failure: {await request}")
    except mxp.Failure as failure:
        return failure


async def until(want, ask):
    """Asks how many there are until there are so many, but not for ever."""
    end = time.monotonic() + 5
    while True:
        total = await ask(ledger.Nothing())
        if total.entries >= want or time.monotonic() > end:
            return total
        await asyncio.sleep(0.01)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("serve", "call"):
        sys.exit("usage: main.py serve|call ADDRESS")
    sys.exit(asyncio.run(serve(sys.argv[2]) if sys.argv[1] == "serve" else Caller().run(sys.argv[2])))
