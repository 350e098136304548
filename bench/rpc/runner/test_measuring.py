"""Tests of measuring: pairs of processes, rounds, judgement and tables."""

import json
import os
import stat
import tempfile
import unittest
from pathlib import Path

from interval import Interval, interval, rank
from pairs import Broken, _place, measure
from results import read, record, write
from rows import PLACEMENTS, rows
from tables import stamped, text
from targets import TARGETS, Outcome, judge

ROW = next(row for row in rows() if row.peer == "mxp" and row.program == "rust" and row.transport == "tcp")

# A program that is a server, or a client that prints its arguments.
FAKE = """#!/usr/bin/env python3
import json, os, sys
if sys.argv[1] == "serve":
    print("{ready}", flush=True)
    sys.stdin.read()
    sys.exit()
told = dict(zip(sys.argv[4::2], sys.argv[5::2]))
os.kill(int(told["--server"]), 0)
print(json.dumps({{"messages": {messages}, "elapsed_ns": 10, "client_cpu_ns": 2, "server_cpu_ns": 3, "latency_ns": None, "told": told,
    "address": sys.argv[3], "cores": sorted(os.sched_getaffinity(0))}}))
"""


def fake(folder, ready="ready tcp:127.0.0.1:9", messages=5):
    """Write a program, and give what it is called."""
    file = Path(folder) / "rpcbench"
    file.write_text(FAKE.format(ready=ready, messages=messages), "utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return {"rust": str(file)}


class PairsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.core = min(os.sched_getaffinity(0))

    def test_a_client_is_told_its_row_and_is_on_its_core(self):
        measured = measure(fake(self.folder), ROW, (self.core, self.core), 0.1)
        self.assertEqual(measured["address"], "tcp:127.0.0.1:9")
        self.assertEqual(measured["cores"], [self.core])
        told = measured["told"]
        self.assertEqual((told["--kind"], told["--size"], told["--seconds"]), (ROW.kind, str(ROW.bytes), "0.1"))

    def test_who_shares_memory_looks_for_it_where_each_side_has_its_core(self):
        ways = {row.placement: _place(row, Path("/f")) for row in rows() if row.transport == "shm"}
        self.assertEqual(ways, {"one core": "shm:/f/s", "two cores": "spin:/f/s"})

    def test_a_server_that_is_not_ready_is_an_error(self):
        with self.assertRaisesRegex(Broken, "not ready: 'no'|not ready: 'no.n'"):
            measure(fake(self.folder, ready="no"), ROW, (self.core, self.core), 0.1)

    def test_a_client_that_sends_nothing_is_an_error(self):
        with self.assertRaisesRegex(Broken, "nothing was sent"):
            measure(fake(self.folder, messages=0), ROW, (self.core, self.core), 0.1)


def measured(p50, cpu, longest=100):
    """Give what a client says of one round of 1,000 messages."""
    latency = {"p50": p50, "p99": p50 + 1, "p999": p50 + 2, "max": longest}
    return {"messages": 1000, "elapsed_ns": 2 * cpu, "client_cpu_ns": cpu // 2, "server_cpu_ns": cpu // 2, "latency_ns": latency}


class ResultsTest(unittest.TestCase):
    def test_a_row_has_the_medians_of_its_rounds_and_the_longest_time(self):
        rounds = [measured(10, 1000, 500), measured(30, 4000), measured(20, 2000)]
        one = record(ROW, rounds)
        self.assertEqual(one["latency_ns"], {"p50": 20, "p99": 21, "p999": 22, "max": 500, "p50_rounds": [10, 30, 20]})
        self.assertEqual((one["per_cpu_second"], one["per_second"]), (5e8, 2.5e8))
        self.assertEqual((one["rounds"], one["messages"], one["peer"]), (3, 3000, "mxp"))

    def test_what_is_written_is_read_again(self):
        records = [record(ROW, [measured(10, 1000)])]
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), {"date": "2026-01-02", "versions": {"rust": {"axum": "1"}}}, records)
            files = read(Path(folder))
        told = {"date": "2026-01-02", "versions": {"axum": "1"}, "program": "rust", "rows": records}
        self.assertEqual(files, {"rust": json.loads(json.dumps(told))})


class TargetsTest(unittest.TestCase):
    def outcome(self, p50, reqwest_p50):
        """Judge MXP's call beside reqwest's."""
        picked = {"mxp": ("unix", p50), "reqwest": ("tcp", reqwest_p50)}
        found = []
        for row in rows():
            transport, time = picked.get(row.peer, (None, None))
            if row.program == "rust" and row.transport == transport and row.bytes == 64:
                found.append(record(row, [measured(time, 1000)]))
        return next(one for one in judge(found, "one core") if one.target is TARGETS[0])

    def test_a_ratio_is_judged(self):
        self.assertEqual(TARGETS[0].least, 1.6)
        self.assertEqual(self.outcome(100, 160).verdict, "reached")
        missed = self.outcome(100, 150)
        self.assertEqual((missed.verdict, missed.measured.median), ("MISSED", 1.5))

    def test_shared_memory_is_judged_where_each_side_has_its_core(self):
        target = next(one for one in TARGETS if one.ours.transport == "shm" and one.least)
        verdicts = [Outcome(target, placement, interval([1.2])).verdict for placement in PLACEMENTS]
        self.assertEqual(verdicts, ["told", "MISSED"])

    def test_a_row_that_is_missing_is_told(self):
        self.assertEqual({one.verdict for one in judge([], "one core")}, {"not measured"})
        self.assertIn("not measured", text([]))


class IntervalTest(unittest.TestCase):
    def test_bounds_are_ranks_of_the_binomial_distribution(self):
        self.assertEqual([rank(count) for count in (5, 6, 8, 9, 15, 21, 42)], [0, 1, 1, 2, 4, 6, 15])
        self.assertEqual(interval([3, 1, 2, 6, 5, 4]), Interval(3.5, 1, 6, 6))
        self.assertEqual(interval(range(21)).text(), "(5.00 to 15.00)")

    def test_few_rounds_say_how_few_they_are(self):
        self.assertEqual(interval([2, 1, 4]).text(), "(1.00 to 4.00 in 3 rounds)")


class PageTest(unittest.TestCase):
    def test_a_table_replaces_what_is_between_the_markers(self):
        document = "a\n<!-- rpc:begin -->\nold\n<!-- rpc:end -->\nb\n"
        self.assertEqual(stamped(document, "rpc", "new\n"), "a\n<!-- rpc:begin -->\nnew\n<!-- rpc:end -->\nb\n")

    def test_a_document_without_markers_is_refused(self):
        for document in ("", "<!-- rpc:end -->\n<!-- rpc:begin -->\n", "<!-- rpc:begin -->\n" * 2 + "<!-- rpc:end -->"):
            with self.assertRaises(ValueError):
                stamped(document, "rpc", "")


if __name__ == "__main__":
    unittest.main()
