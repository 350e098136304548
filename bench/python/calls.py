"""Measures calls between two processes of Python over a unix socket, by MXP and by grpc.aio, in turns.

    python3 bench/python/calls.py [--rounds 5] [--write]

A call carries 64 bytes there and back. The rows are the median of the rounds: the time of a call with one in flight (p50), and the
processor time of both processes for a call with 64 in flight. ``--write`` keeps the rounds in bench/results/python_calls.json. It needs
MXP_LIBRARY, and for the comparison the package grpcio.
"""

import argparse
import asyncio
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "runtime" / "python"), str(ROOT / "mxp" / "python"), str(ROOT / "target" / "bench-python")]

SCHEMA = "package echo; struct Blob { data: bytes } service Echo { call say(Blob) -> Blob = 1; }\n"
VALUE = bytes(60)  # and its length
WARM, LATENCY, FLIGHT, CALLS = 300, 2000, 64, 12_800


def generate():
    """Makes the stubs."""
    folder = ROOT / "target" / "bench-python"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "echo.sdp").write_text(SCHEMA)
    command = ["go", "run", "./cmd/sdp", "gen", str(folder / "echo.sdp"), "--services", "--out", f"python={folder}/stubs", "--python-runtime", "sdp"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


async def serve_mxp(path):
    import mesh_exchange_protocol as mxp
    from stubs.echo_services import EchoService

    class Echo(EchoService):
        async def say(self, request, context):
            return request

    async with mxp.Server(Echo()) as server:
        waiting = asyncio.create_task(server.until_signal())
        await server.listen(f"mxp+unix://{path}")
        print("ready", flush=True)
        await waiting


async def serve_grpc(path):
    import grpc

    async def say(request, context):
        return request

    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(say)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("echo.Echo", {"say": handler}),))
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    print("ready", flush=True)
    await server.wait_for_termination()


async def call_mxp(path):
    from stubs import echo
    from stubs.echo_services import EchoClient

    async with EchoClient(f"mxp+unix://{path}") as client:
        request = echo.Blob(data=VALUE)
        await measure(lambda: client.say(request))


async def call_grpc(path):
    import grpc

    async with grpc.aio.insecure_channel(f"unix:{path}") as channel:
        say = channel.unary_unary("/echo.Echo/say")
        data = bytes(64)
        await measure(lambda: say(data))


async def measure(call):
    """Prints the time of a call, and the processor time of this process for one, in microseconds."""
    for _ in range(WARM):
        await call()
    times = []
    for _ in range(LATENCY):
        start = time.perf_counter()
        await call()
        times.append(time.perf_counter() - start)
    print("half", flush=True)
    sys.stdin.readline()
    begin = time.process_time()

    async def some():
        for _ in range(CALLS // FLIGHT):
            await call()

    await asyncio.gather(*(some() for _ in range(FLIGHT)))
    print(json.dumps({"p50": statistics.median(times) * 1e6, "cpu": (time.process_time() - begin) / CALLS * 1e6}), flush=True)


def processor(pid):
    """The processor time of a process, in seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def one_round(name):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/s.sock"
        command = [sys.executable, __file__]
        with subprocess.Popen([*command, f"serve_{name}", path], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout.readline() == "ready\n"
            with subprocess.Popen([*command, f"call_{name}", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
                assert client.stdout.readline() == "half\n"
                before = processor(server.pid)
                client.stdin.write("\n")
                client.stdin.flush()
                found = json.loads(client.stdout.readline())
                found["cpu"] += (processor(server.pid) - before) / CALLS * 1e6
            server.kill()
    return found


def main():
    if len(sys.argv) == 3 and sys.argv[1] in globals():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        asyncio.run(globals()[sys.argv[1]](sys.argv[2]))
        return
    options = argparse.ArgumentParser(description="Measures calls between two processes of Python.")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--write", action="store_true")
    arguments = options.parse_args()
    generate()
    names = ["mxp"]
    try:
        importlib.metadata.version("grpcio")
        names.append("grpc")
    except importlib.metadata.PackageNotFoundError:
        print("grpcio is not installed: left out")
    rounds = {name: [] for name in names}
    for _ in range(arguments.rounds):
        for name in names:
            rounds[name].append(one_round(name))
    for name, found in rounds.items():
        p50, cpu = (statistics.median(one[key] for one in found) for key in ("p50", "cpu"))
        print(f"{name:8} p50 {p50:8.1f} µs   processor of both, {FLIGHT} in flight {cpu:8.1f} µs a call")
    if len(names) == 2:
        for key in ("p50", "cpu"):
            ratios = [own[key] / other[key] for own, other in zip(rounds["mxp"], rounds["grpc"], strict=True)]
            print(f"mxp / grpc.aio, {key}: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    if arguments.write:
        stamp = {"date": datetime.date.today().isoformat(), "python": platform.python_version(), "rounds": rounds}
        (ROOT / "bench" / "results" / "python_calls.json").write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
