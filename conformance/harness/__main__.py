"""The command line of the harness."""

import argparse
import sys
from collections import Counter
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.harness.cases import read_cases
from conformance.harness.checks import Asker, Checker
from conformance.harness.coverage import measure
from conformance.harness.runners import CONFORMANCE, ROOT, load_runners

LINES_MAX = 40


def known_failures(name):
    """Give the cases that a language is known to fail."""
    file = CONFORMANCE / "known_failures" / f"{name}.txt"
    if not file.exists():
        return set()
    lines = (line.partition("#")[0].strip() for line in file.read_text("utf-8").splitlines())
    return {line for line in lines if line}


def run_cases(cases, askers):
    """Run every case with every runner, then feed each one's output to the others; give the checkers by runner."""
    reference = askers[0]
    done = {asker.name: [] for asker in askers}
    for case in cases:
        checkers = [Checker(case, asker, reference).run() for asker in askers]
        outputs = set().union(*(one.outputs for one in checkers))
        for one in checkers:
            one.feed(outputs)
            done[one.asker.name].append(one)
    return done


def verdict(name, checkers, known, show):
    """Print what failed for one runner; give the numbers of cases that passed and that failed."""
    failed = 0
    for one in checkers:
        listed = one.case.name in known
        if bool(one.failures) == listed:
            continue
        failed += 1
        if failed <= show:
            why = one.failures[:3] or ["it is listed as a known failure, and passes"]
            print(f"FAIL {name} {one.case.name}", *why, sep="\n     ")
    for case in known - {one.case.name for one in checkers}:
        failed += 1
        print(f"FAIL {name} {case}: known_failures lists a case that was not run")
    return len(checkers) - failed, failed


def print_coverage(coverage, cases):
    """Print which clauses are covered by what."""
    both = set(coverage.needed)
    vectors = both & set(coverage.by_case)
    tests = both & set(coverage.by_test) - vectors
    print(f"clauses that say MUST: {len(both)}, covered by vectors {len(vectors)}, by named tests only {len(tests)}")
    folders = Counter(case.folder for case in cases)
    print("cases: " + ", ".join(f"{number} {folder}" for folder, number in sorted(folders.items())))
    for problem in coverage.problems:
        print("FAIL " + problem)


def main(arguments=None):
    """Run the suite."""
    parser = argparse.ArgumentParser(prog="conformance.harness", description="Runs the conformance vectors.")
    parser.add_argument("runners", nargs="*", help="runners of runners.toml besides the reference; all without")
    parser.add_argument("--only", default="", help="run the cases whose names contain this, without coverage")
    parser.add_argument("--show", type=int, default=LINES_MAX, help="failures to print for each runner")
    given = parser.parse_args(arguments)
    cases = read_cases(CONFORMANCE / "vectors")
    passed = failed = 0
    if not given.only:
        coverage = measure(ROOT, cases)
        print_coverage(coverage, cases)
        failed += len(coverage.problems)
    cases = [case for case in cases if given.only in case.name]
    askers = [Asker(runner) for runner in load_runners(given.runners)]
    done = run_cases(cases, askers)
    for asker in askers:
        asker.runner.close()
        good, bad = verdict(asker.name, done[asker.name], known_failures(asker.name), given.show)
        checks = sum(one.checks for one in done[asker.name])
        lacking = "".join(f", {number} × {op} not there ({asker.runner.lacks[op]})" for op, number in asker.unable.items() if asker.runner.lacks[op])
        print(f"{asker.name}: {good} cases passed, {bad} failed, {checks} checks{lacking}")
        passed += good
        failed += bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
