"""Measures MXP beside its peers: see ../README.md."""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

from pages import stamp_pages
from pairs import Broken, Server, call, measure
from results import here, read, record, write
from rows import PLACEMENTS, rows
from tables import text

ROOT = Path(__file__).resolve().parents[3]
RESULTS = ROOT / "bench/results/rpc"

ROUNDS, SECONDS = 6, 0.2


def main():
    """Do what the command line says."""
    options = parse()
    chosen = [row for row in rows() if all(word in str(row) for word in options.only)]
    if not chosen:
        sys.exit("no row has all these words")
    programs = {"rust": options.rust, "go": options.go, "cpp": options.cpp}
    try:
        if options.once:
            once(programs, chosen)
        elif options.table or options.stamp:
            show(options.stamp)
        else:
            measure_all(programs, chosen, options)
    except Broken as flaw:
        sys.exit(str(flaw))


def parse():
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench/rpc/bench.sh", description="Measures MXP beside its peers.")
    parser.add_argument("only", nargs="*", help="measure rows that have all these words, and write no results")
    parser.add_argument("--rust", help="the program of Rust's peers")
    parser.add_argument("--go", help="the program of Go's")
    parser.add_argument("--cpp", help="the program of C++'s")
    parser.add_argument("--once", "-once", action="store_true", help="run every row briefly, compare what comes back, time nothing")
    parser.add_argument("--table", action="store_true", help="print the results that are there")
    parser.add_argument("--stamp", action="store_true", help="write them into docs/performance.md and docs/guide/tables-calls.md")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each row is measured ({ROUNDS})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"how long each time ({SECONDS})")
    return parser.parse_args()


def once(programs, chosen):
    """Run each row with a few messages, on any core; rows of one server share it."""
    start = time.monotonic()
    # Where nothing is timed, all placements are the same row.
    first = next(iter(PLACEMENTS))
    here_only = sorted((row for row in chosen if row.placement == first), key=server_of)
    groups = [list(group) for _, group in groupby(here_only, key=server_of)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = sum(pool.map(lambda group: run_group(programs, group), groups))
    print(f"{done} rows have run, in {time.monotonic() - start:.0f} s")


def server_of(row):
    """Give what rows have in common that can share a server."""
    return (row.program, row.peer, row.transport)


def run_group(programs, group):
    """Run rows of one server, and give their number."""
    program = programs[group[0].program]
    with Server(program, group[0], None) as server:
        for row in group:
            call(program, row, server, None, None)
    return len(group)


def measure_all(programs, chosen, options):
    """Measure in rounds, in each of which every row has its turn, every second round backwards."""
    told = None if options.only else here(ROOT, command(options), options.seconds)
    measured = {row: [] for row in chosen}
    for n in range(options.rounds):
        for i, row in enumerate(chosen if n % 2 == 0 else reversed(chosen)):
            print(f"\rround {n + 1} of {options.rounds}, row {i + 1} of {len(chosen)} ", end="", file=sys.stderr, flush=True)
            measured[row].append(measure(programs, row, PLACEMENTS[row.placement], options.seconds))
    print(file=sys.stderr)
    records = [record(row, measured[row]) for row in chosen]
    print(text(records), end="")
    if told:
        write(RESULTS, told, records)
        show(True)


def command(options):
    """Give what to type to measure so again."""
    if (options.rounds, options.seconds) == (ROUNDS, SECONDS):
        return "make bench-mxp"
    return f"bench/rpc/bench.sh --rounds {options.rounds} --seconds {options.seconds:g}"


def show(stamp):
    """Print what was measured, or write it into the pages."""
    files = read(RESULTS)
    if not stamp:
        print(text([one for file in files.values() for one in file["rows"]]), end="")
        return
    stamp_pages(ROOT, files)
    # The chart shows calls, too.
    subprocess.run([ROOT / "bench/bench.sh", "-stamp"], check=True)


if __name__ == "__main__":
    main()
