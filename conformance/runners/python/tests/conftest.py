"""The tests use the code that ../build makes of the conformance schemas, and the runtime as it is."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4] / "runtime" / "python"), str(HERE.parents[1] / "out"), str(HERE.parents[1] / "out" / "native")]
