"""Tests of flame graphs."""

import unittest
import xml.etree.ElementTree as ElementTree

from flame import name, stacks, svg, tree

SCRIPT = """rpcbench 12 1.5: 1 cycles:
\t    55d0 mxp::session::queue::Queue::push::h0123456789abcdef+0x1f (/a/rpcbench)
\t    55d1 rpcbench::calls::run+0x2 (/a/rpcbench)
\t    55d2 main+0x3 (/a/rpcbench)

rpcbench 12 1.6: 1 cycles:
\t    55d1 rpcbench::calls::run+0x2 (/a/rpcbench)

"""


class FlameTest(unittest.TestCase):
    def test_samples_are_read_outermost_first(self):
        found = list(stacks(SCRIPT.splitlines()))
        self.assertEqual(found, [["main", "rpcbench::calls::run", "mxp::session::queue::Queue::push"], ["rpcbench::calls::run"]])

    def test_a_name_has_no_address_hash_or_types(self):
        self.assertEqual(name("a::b<c::D<e>>::f::h0123456789abcdef+0x10 (/lib/x.so)"), "a::b::f")
        self.assertEqual(name("host.io/a/b-c/d.(*T[go.shape.struct { X []int }]).F+0x1 (x)"), "b-c/d.(*T).F")
        self.assertEqual(name("[unknown] ([unknown])"), "[unknown]")
        self.assertEqual(name("<a::B as c::D>::e+0x1 (x)"), "<a::B as c::D>::e")

    def test_a_frame_is_as_wide_as_its_share(self):
        root = tree(stacks(SCRIPT.splitlines()))
        self.assertEqual((root[0], root[1]["rpcbench::calls::run"][0]), (2, 2))
        drawn = ElementTree.fromstring(svg("a & b", root))
        found = {box[0].text: float(box[1].get("width")) for box in drawn.iter("{http://www.w3.org/2000/svg}g")}
        self.assertEqual(found, {"rpcbench::calls::run 100.0 %": 999.5, "mxp::session::queue::Queue::push 50.0 %": 499.5})


if __name__ == "__main__":
    unittest.main()
