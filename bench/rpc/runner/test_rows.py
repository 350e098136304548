"""Tests of what is measured: rows, targets, and the results that are kept."""

import unittest
from pathlib import Path

from pages import PAGES, stamped_page
from results import read
from rows import PEERS, PLACEMENTS, SIZES, Row, rows
from summary import misses
from targets import TARGETS, judge

ROOT = Path(__file__).resolve().parents[3]

# The rows to measure, beside their transports: written here again, so that a peer can't be lost there unseen.
WANTED = {
    "rust": {
        "floor-blocking": "unix", "floor-tokio": "unix", "mxp": "unix tcp shm", "mxp-stub": "unix", "mxp-batch": "unix", "mxp-blocking": "unix tcp shm", "hyper": "unix", "reqwest": "tcp",
        "tonic": "unix tcp", "tonic-channel": "unix tcp", "tungstenite": "unix tcp", "quinn": "udp", "capnp": "unix", "tarpc": "unix",
    },
    "go": {"mxp": "unix tcp shm", "mxp-batch": "unix", "net/http": "unix tcp", "grpc-go": "unix tcp"},
    "cpp": {"floor-asio": "unix", "mxp": "unix tcp shm", "mxp-batch": "unix", "mxp-stub": "unix", "mxp-blocking": "unix tcp shm", "grpc++": "unix tcp", "capnp": "unix"},
}


class RowsTest(unittest.TestCase):
    def test_every_peer_is_measured_over_its_transports(self):
        found = {}
        for row in rows():
            found.setdefault(row.program, {}).setdefault(row.peer, set()).add(row.transport)
        wanted = {program: {peer: set(ways.split()) for peer, ways in peers.items()} for program, peers in WANTED.items()}
        self.assertEqual(found, wanted)

    def test_every_size_is_measured_in_every_placement(self):
        for peer in PEERS:
            mine = [row for row in rows() if (row.program, row.peer) == (peer.program, peer.name)]
            per_size = len(peer.transports) * (len(peer.loads) + len(peer.flows))
            self.assertEqual(len(mine), per_size * len(SIZES) * len(PLACEMENTS), peer)

    def test_what_can_have_many_in_flight_has_them(self):
        peers = "rust mxp, rust tonic, rust capnp, rust tarpc, rust quinn, go mxp, go grpc-go, cpp mxp, cpp grpc++, cpp capnp"
        for program, peer in (one.split() for one in peers.split(", ")):
            loads = {(row.in_flight, row.connections) for row in rows() if (row.program, row.peer, row.kind) == (program, peer, "call")}
            self.assertEqual(loads, {(1, 1), (256, 1), (1, 64)}, peer)

    def test_rows_are_there_once(self):
        self.assertEqual(len(rows()), len(set(rows())))

    def test_targets_are_of_rows(self):
        there = set(rows())
        for target in TARGETS:
            for pick in (target.ours, target.theirs):
                for placement in PLACEMENTS if pick else ():
                    self.assertIn(Row(**vars(pick), bytes=target.bytes, placement=placement), there, target.title)


class ResultsTest(unittest.TestCase):
    def setUp(self):
        self.files = read(ROOT / "bench/results/rpc")
        self.assertEqual(set(self.files), set(WANTED))

    def test_every_row_was_measured(self):
        keys = Row.__dataclass_fields__
        found = [Row(**{key: one[key] for key in keys}) for file in self.files.values() for one in file["rows"]]
        self.assertEqual(len(found), len(set(found)), "a row is there twice")
        self.assertEqual(set(rows()) - set(found), set(), "rows are missing: run bench/rpc/bench.sh")
        self.assertEqual(set(found) - set(rows()), set(), "rows are not measured any more: run bench/rpc/bench.sh")

    def test_times_are_in_order(self):
        for file in self.files.values():
            for one in file["rows"]:
                self.assertGreater(one["per_cpu_second"], 0, one)
                self.assertEqual("latency_ns" in one, one["kind"] == "call", one)
                if "latency_ns" in one:
                    times = [one["latency_ns"][key] for key in ("p50", "p99", "p999", "max")]
                    self.assertEqual(times, sorted(times), one)

    def test_every_missed_target_is_in_the_short_table(self):
        records = [one for file in self.files.values() for one in file["rows"]]
        wanted = [one for placement in PLACEMENTS for one in judge(records, placement) if one.verdict == "MISSED"]
        table = misses(self.files)
        self.assertEqual(table.count(" of "), len(wanted) + 1 + len(PLACEMENTS))
        for one in wanted:
            self.assertIn(f"{one.least / 1e6:,.0f} M/CPU-s" if one.target.theirs is None else f" of {one.least:g} ×", table, one)

    def test_pages_have_the_tables_of_the_results(self):
        for name in PAGES:
            page = (ROOT / name).read_text("utf-8")
            self.assertEqual(page, stamped_page(page, name, self.files), f"{name}: run bench/rpc/bench.sh --stamp")


if __name__ == "__main__":
    unittest.main()
