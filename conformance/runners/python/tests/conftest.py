"""The tests use the code that ../build makes of the conformance schemas, and the runtime as it is.

SDP_TEST_RUNNER names another folder that it is made in, which has the engine for another machine.
"""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve()
OUT = pathlib.Path(os.environ.get("SDP_TEST_RUNNER", HERE.parents[1] / "out"))
sys.path[:0] = [str(HERE.parents[4] / "runtime" / "python"), str(OUT), str(OUT / "native")]
