"""Measures the codec in Python beside others, on the registry of 62 plugins.

    bench/python/run.sh [--rounds 31] [--only NAME…] [--write]

Each codec has a process of its own, in which nothing else fills the heap; SDP has a process for each of its engines. Before any
timing a codec decodes its bytes, and the values and a sum of every field are compared with the data. Codecs take turns within a
round. A ratio is the median of the rounds' ratios to SDP's engine in pure Python, with an interval that has the true median with
95 %. ``--write`` keeps the results in bench/results/python.json. ``--rounds 0`` only compares.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import registry_codecs

BASE = "sdp, python"
VERBS = ("encode", "decode", "read", "build", "table")
LEAST_SECONDS = 0.02
RESULTS = registry_codecs.ROOT / "bench" / "results" / "python.json"


def serve(name):
    """Answers, in a process of its own, how long operations take."""
    codec = registry_codecs.CODECS[name]()
    data = json.loads(registry_codecs.TEXT)
    if codec.plain(codec.decode()) != registry_codecs.plain_members(data):
        raise SystemExit(f"{codec.name} decodes other values than the data")
    total = registry_codecs.sum_members(data)
    if abs(codec.read() - total) > 1e-6 * total:
        raise SystemExit(f"{codec.name} reads {codec.read()}, and every field is {total}")
    if codec.build is not None and codec.build() != codec.encode():
        raise SystemExit(f"{codec.name} builds other values than the data")
    if codec.table is not None and abs(sum_table(codec.table()) - sum_parameters(data)) > 1e-6 * total:
        raise SystemExit(f"{codec.name} makes a table of other values")
    version = importlib.metadata.version(codec.package) if codec.package else None
    verbs = [verb for verb in VERBS if getattr(codec, verb) is not None]
    print(json.dumps({"name": codec.name, "bytes": len(codec.encode()), "version": version, "verbs": verbs}), flush=True)
    times = {}
    for verb in sys.stdin:
        run = getattr(codec, verb.strip())
        if verb not in times:
            times[verb] = max(1, round(LEAST_SECONDS / sample(run, 1)))
        print(sample(run, times[verb]), flush=True)


def sum_table(table):
    """A sum of every field of a table of parameters."""
    texts = ("display_name", "identifier", "unit")
    return sum(len(cell) if name in texts else cell for name in table.column_names for cell in table[name].to_pylist())


def sum_parameters(data):
    """The same sum of the data."""
    parts = [part for plugin in data["plugins"] for part in plugin["parameters"]]
    return sum(len(part[name]) if kind is str else part[name] for part in parts for name, kind in registry_codecs.PARAMETER.items())


def sample(run, count):
    """Seconds of processor time of a run of ``count``."""
    start = time.process_time()
    for _ in range(count):
        run()
    return max(time.process_time() - start, 1e-9) / count


class Worker:
    """A process that has a codec."""

    def __init__(self, name, engine=None):
        environment = os.environ | ({"SDP_ENGINE": engine} if engine else {})
        command = [sys.executable, str(pathlib.Path(__file__)), "--serve", name]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.facts = json.loads(line) if line else None
        self.name = self.facts["name"] if line else name
        self.seconds = {verb: [] for verb in VERBS}

    def ask(self, verb):
        self.process.stdin.write(verb + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def workers(names):
    """The processes of codecs. An engine that is not there falls back on one in pure Python, which has a process already."""
    found = {}
    for name in names:
        for engine in ("python", None) if name == "sdp" else (None,):
            worker = Worker(name, engine)
            if worker.facts is None:
                raise SystemExit(f"{name} can't be measured: exit status {worker.close()}")
            if worker.name in found:
                worker.close()
                continue
            found[worker.name] = worker
    return found


def rank(count):
    """The greatest rank, from 1, below which a sample lies with 2.5 % or less if the median is above it, as interval.go has it."""
    probability, total = 0.5**count, 0.0
    for at in range(count + 1):
        total += probability
        if total > 0.025:
            return at
        probability *= (count - at) / (at + 1)
    return 0


def median(numbers):
    numbers = sorted(numbers)
    return (numbers[(len(numbers) - 1) // 2] + numbers[len(numbers) // 2]) / 2


def row(worker, base, verb):
    """The median in microseconds of an operation, and its ratio to the base."""
    ratios = sorted(own / other for own, other in zip(worker.seconds[verb], base.seconds[verb], strict=True))
    at = max(rank(len(ratios)), 1)
    numbers = (median(worker.seconds[verb]) * 1e6, median(ratios), ratios[at - 1], ratios[-at])
    us, ratio, low, high = (float(f"{number:.3g}") for number in numbers)
    return {"us": us, "ratio": ratio, "interval": [low, high]}


def machine():
    """The processor's name, and how many there are."""
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{name}, {os.cpu_count()} processors"


def report(found, rounds):
    base = found[BASE]
    table = {verb: {name: row(worker, base, verb) for name, worker in found.items() if worker.seconds[verb]} for verb in VERBS}
    print(f"{'':15}{'bytes':>9}" + "".join(f"{verb:>40}" for verb in VERBS))
    for name, worker in found.items():
        cells = [table[verb].get(name) for verb in VERBS]
        texts = [cell and f"{cell['us']:,g} µs, {cell['ratio']:g} × ({cell['interval'][0]:g} to {cell['interval'][1]:g})" or "" for cell in cells]
        print(f"{name:15}{worker.facts['bytes']:>9,}" + "".join(f"{text:>40}" for text in texts))
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=RESULTS.parent, capture_output=True, text=True, check=True)
    return {
        "machine": machine(),
        "engine": f"{platform.python_implementation()} {platform.python_version()}",
        "rounds": rounds,
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "versions": {name.split(",")[0]: worker.facts["version"] for name, worker in found.items() if worker.facts["version"]},
        "datasets": {"lv2-62": table | {"bytes": {name: worker.facts["bytes"] for name, worker in found.items()}}},
    }


def main():
    options = argparse.ArgumentParser(description="Measures the codec in Python beside others.")
    options.add_argument("--rounds", type=int, default=31)
    options.add_argument("--only", nargs="+", choices=registry_codecs.CODECS, default=list(registry_codecs.CODECS), metavar="NAME")
    options.add_argument("--write", action="store_true")
    options.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = options.parse_args()
    if arguments.serve:
        serve(arguments.serve)
        return
    found = workers(dict.fromkeys(["sdp", *arguments.only]))
    for _ in range(arguments.rounds):
        for verb in VERBS:
            for worker in found.values():
                if verb in worker.facts["verbs"]:
                    worker.seconds[verb].append(worker.ask(verb))
    if arguments.rounds > 0:
        results = report(found, arguments.rounds)
        if arguments.write:
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    else:
        print(f"{len(found)} codecs agree: {', '.join(found)}")
    if any([worker.close() for worker in found.values()]):
        raise SystemExit("a process has failed")


if __name__ == "__main__":
    main()
