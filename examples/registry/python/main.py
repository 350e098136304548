"""Reads a plugin registry that some other program wrote, in byte mode or in message mode, and writes it again.

    python3 main.py INPUT OUTPUT
"""

import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
MADE = ROOT / "target" / "registry-python"

# The code is generated here, and takes the runtime of this repository.
COMMAND = ["go", "run", "./cmd/sdp", "gen", "examples/registry/plugins.sdp", "--python-runtime", "sdp", "--out", f"python={MADE}"]
subprocess.run(COMMAND, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
sys.path[:0] = [str(ROOT / "runtime" / "python"), str(MADE)]

import plugins  # noqa: E402
import sdp  # noqa: E402


def best(run):
    """The shortest of some runs, in microseconds."""
    shortest = float("inf")
    for _ in range(50):
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest * 1e6


def main(source, target):
    data = pathlib.Path(source).read_bytes()
    if data.startswith(b"SDP2"):  # the type is found by its id
        pathlib.Path(target).write_bytes(sdp.decode_message(data, plugins).encode_message())
        return
    registry = plugins.PluginRegistry.decode(data)
    pathlib.Path(target).write_bytes(registry.encode())
    encode, decode = best(registry.encode), best(lambda: plugins.PluginRegistry.decode(data))
    print(f"encode {encode:.0f} · decode {decode:.0f}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: main.py INPUT OUTPUT")
    main(sys.argv[1], sys.argv[2])
