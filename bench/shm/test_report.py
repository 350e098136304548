"""Tests of the pages that show channels' results."""

import json
import unittest

from report import RESULTS, ROOT, SECTIONS, stamped_page


class PagesTest(unittest.TestCase):
    def test_pages_have_the_tables_of_the_results(self):
        results = json.loads(RESULTS.read_text())
        for name in SECTIONS:
            page = (ROOT / name).read_text()
            self.assertEqual(page, stamped_page(page, name, results), f"{name}: run bench/shm/report.py --stamp")


if __name__ == "__main__":
    unittest.main()
