"""The command line of the harness."""

import argparse
import shlex
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.harness.cases import read_cases
from conformance.harness.checks import Asker, Checker
from conformance.harness import frames, handshakes
from conformance.harness.coverage import measure
from conformance.harness.runners import CONFORMANCE, ROOT, Died, load_runners
from conformance.harness.traces import TraceCase, players

LINES_MAX = 40


def known_failures(name):
    """Give the cases that a language is known to fail."""
    file = CONFORMANCE / "known_failures" / f"{name}.txt"
    if not file.exists():
        return set()
    lines = (line.partition("#")[0].strip() for line in file.read_text("utf-8").splitlines())
    return {line for line in lines if line}


def run_cases(cases, askers, quick=False):
    """Run every case with every runner, then feed each one's output to the others; give the checkers by runner.

    When it is quick, no output is fed, and only what the cases give is asked.
    """
    reference = askers[0]
    done = {asker.name: [] for asker in askers}
    for case in cases:
        checkers = [Checker(case, asker, reference, quick).run() for asker in askers]
        outputs = set().union(*(one.outputs for one in checkers))
        for one in checkers:
            if not quick:
                one.feed(outputs)
            done[one.asker.name].append(one)
    return done


def run_shares(cases, given):
    """Run the cases in shares beside each other, each with runners of its own; give the checkers by runner."""

    def run(share):
        askers = [Asker(runner) for runner in load_runners(given.runners, given.program)]
        done = run_cases(share, askers, given.quick)
        for asker in askers:
            asker.runner.close()
        return done

    with ThreadPoolExecutor(given.jobs) as pool:
        shares = list(pool.map(run, (cases[i :: given.jobs] for i in range(given.jobs))))
    return {name: [one for share in shares for one in share[name]] for name in shares[0]}


def lacking(checkers):
    """Say how often something was not asked because the language does not have it."""
    askers = {one.asker for one in checkers}
    unable = sum((Counter(asker.unable) for asker in askers), Counter())
    lacks = {op: why for asker in askers for op, why in asker.runner.lacks.items()}
    return "".join(f", {number} × {op} not there ({lacks[op]})" for op, number in unable.items() if lacks[op])


def verdict(name, checkers, known, show, is_whole=True):
    """Print what failed for one runner; give the numbers of cases that passed and that failed. Where it is whole, all that is known to fail was run."""
    failed = 0
    for one in checkers:
        listed = one.case.name in known
        if bool(one.failures) == listed:
            continue
        failed += 1
        if failed <= show:
            why = one.failures[:3] or ["it is listed as a known failure, and passes"]
            print(f"FAIL {name} {one.case.name}", *why, sep="\n     ")
    for case in known - {one.case.name for one in checkers} if is_whole else ():
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


def run_frames(cases, given):
    """Run the cases of frames; give the numbers of those that passed and that failed. A part of SDP's suite is run without them."""
    passed = failed = 0
    if (given.program and not given.frames) or given.bytes_max is not None or (given.sample is not None and not given.frames):
        return passed, failed
    for name, checkers in frames.run_cases(cases, given.runners, given.first, given.frames, given.traces).items():
        good, bad = verdict(f"{name} frames", checkers, known_failures(f"{name}_frames"), given.show, not given.only)
        print(f"{name} frames: {good} cases passed, {bad} failed, {sum(one.checks for one in checkers)} checks")
        passed += good
        failed += bad
    for player in players(given.runners):
        for need, why in player.lacks.items():
            number = sum(need in getattr(case, "needs", ()) for case in cases)
            if number:
                print(f"{player.name} frames: {number} traces not played ({why})")
    return passed, failed


def main(arguments=None):
    """Run the suite."""
    parser = argparse.ArgumentParser(prog="conformance.harness", description="Runs the conformance vectors.")
    parser.add_argument("runners", nargs="*", help="runners of runners.toml besides the reference; all without")
    parser.add_argument("--only", default="", help="run the cases whose names contain this, without coverage")
    parser.add_argument("--without", help="run the cases whose names do not begin with this, of those of frames")
    parser.add_argument("--first", action="store_true", help="play no trace behind the first that fails")
    parser.add_argument("--show", type=int, default=LINES_MAX, help="failures to print for each runner")
    parser.add_argument("--program", type=shlex.split, help="a command that is asked in place of the one runner's program")
    parser.add_argument("--frames", type=shlex.split, help="a command that is asked of frames in place of the one runner's program")
    parser.add_argument("--traces", type=shlex.split, help="a command that plays traces in place of the one runner's program, with its arguments and its kernel")
    parser.add_argument("--bytes-max", type=int, help="run the cases whose input is no longer, without coverage")
    parser.add_argument("--sample", type=int, help="run so many of the cases, with --frames of those too, evenly chosen, without coverage; fail if there are fewer")
    parser.add_argument("--quick", action="store_true", help="ask only what the cases give: no prefixes, values or output of others")
    parser.add_argument("--pairs", type=int, default=150, help="pairs of releases that meet, of random schemas")
    parser.add_argument("--seed", type=int, default=1, help="seed of these schemas")
    parser.add_argument("--jobs", type=int, default=1, help="shares of the cases that are run beside each other")
    given = parser.parse_args(arguments)
    if (given.program or given.frames or given.traces) and len(given.runners) != 1:
        parser.error("--program, --frames and --traces take the place of one runner's: name that")
    if given.traces and not given.frames:
        parser.error("--traces needs --frames, which writes hashes for it")
    cases = read_cases(CONFORMANCE / "vectors")
    of_frames = frames.read_cases()
    chosen = [case for case in of_frames if given.only in case.name and not (given.without and case.name.startswith(given.without))]
    if given.frames and not given.traces and any(isinstance(case, TraceCase) for case in chosen):
        parser.error("--frames plays no traces: name what does by --traces, or leave them out by --without mxp/engine/")
    passed = failed = 0
    if not given.only and given.bytes_max is None and given.sample is None:
        coverage = measure(ROOT, cases, of_frames)
        print_coverage(coverage, [*cases, *of_frames])
        failed += len(coverage.problems)
    cases = [case for case in cases if given.only in case.name and (given.bytes_max is None or case.input_bytes <= given.bytes_max)]
    if given.sample is not None:
        every = [*cases, *(chosen if given.frames else [])]
        if len(every) < given.sample:
            parser.error(f"there are {len(every)} cases")
        picked = {every[i * len(every) // given.sample].name for i in range(given.sample)}
        cases, chosen = ([case for case in some if case.name in picked] for some in (cases, chosen))
    for name, checkers in run_shares(cases, given).items():
        good, bad = verdict(name, checkers, known_failures(name), given.show, not given.only)
        checks = sum(one.checks for one in checkers)
        print(f"{name}: {good} cases passed, {bad} failed, {checks} checks{lacking(checkers)}")
        passed += good
        failed += bad
    good, bad = run_frames(chosen, given)
    passed += good
    failed += bad
    if not given.program and given.bytes_max is None and given.sample is None and given.only in handshakes.NAME:
        good, bad = handshakes.run(given.runners, given.seed, given.pairs, given.show)
        passed += good
        failed += bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Died as error:
        sys.exit(f"FAIL {error}")
