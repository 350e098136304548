"""The command line: answers requests line by line, or prints what a schema says about one type."""

import argparse
import sys
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.reference.fingerprint import fingerprints
from conformance.reference.layout import write_layout
from conformance.reference.schema import load_schema
from conformance.reference.service import Service

DEEPEST_CALLS = 1_000_000
"""Python's own bound on nested calls is far below what 64 levels of a type can need."""


def serve():
    """Answer each line of standard input with one line."""
    service = Service()
    for line in sys.stdin:
        if line.strip():
            sys.stdout.write(service.answer_line(line) + "\n")
            sys.stdout.flush()


def main(arguments=None):
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="conformance.reference", description="The reference of the Serial Data Protocol.")
    parser.add_argument("command", nargs="?", choices=("serve", "layout", "fingerprints"), default="serve")
    parser.add_argument("schema", nargs="?")
    parser.add_argument("type", nargs="?")
    parser.add_argument("-I", dest="include", action="append", default=[], help="a directory in which imports are looked for")
    given = parser.parse_args(arguments)
    sys.setrecursionlimit(DEEPEST_CALLS)
    if given.command == "serve":
        serve()
        return
    if given.type is None:
        parser.error(f"{given.command} needs a schema and a type")
    shape = load_schema(given.schema, given.include).type_named(given.type)
    if given.command == "layout":
        sys.stdout.write(write_layout(shape))
    else:
        for number, (own, cumulative) in enumerate(zip(*fingerprints(shape)), 1):
            print(number, own, cumulative)


if __name__ == "__main__":
    main()
