"""A server and a client as two processes, each on the core that it is to have."""

import json
import os
import select
import subprocess
import tempfile
from pathlib import Path

from rows import PLACEMENTS

# The time that a server may take until it can be called, and a client beyond its planned time.
PATIENCE = 60


class Broken(Exception):
    """A pair that did not do what it was to."""


class Server:
    """A server that listens until it is closed."""

    def __init__(self, program, row, core):
        self._folder = tempfile.TemporaryDirectory(prefix="rpcbench-")
        command = [program, "serve", row.peer, _place(row, Path(self._folder.name))]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=_on(core))
        self.address = self._ready(row)

    def _ready(self, row):
        there, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if there else ""
        word, _, address = line.strip().partition(" ")
        if word != "ready":
            self.close()
            raise Broken(f"{row}: the server is not ready: {line!r}")
        return address

    def close(self):
        """End it: it ends when its input does."""
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def call(program, row, server, core, seconds):
    """Run a client, and give what it has measured. Without seconds it compares what comes back, and times nothing."""
    command = [program, "call", row.peer, server.address, "--kind", row.kind, "--size", str(row.bytes)]
    command += ["--in-flight", str(row.in_flight), "--connections", str(row.connections)]
    command += ["--server", str(server.process.pid)]
    command += ["--seconds", str(seconds)] if seconds else ["--once"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE + 2 * (seconds or 0), preexec_fn=_on(core))
    except subprocess.TimeoutExpired:
        raise Broken(f"{row}: the client does not end") from None
    if done.returncode:
        raise Broken(f"{row}: {done.stderr.strip()}")
    measured = json.loads(done.stdout)
    if measured["messages"] < 1:
        raise Broken(f"{row}: nothing was sent")
    return measured


def measure(programs, row, cores, seconds):
    """Run a pair of its own for a row."""
    client, server = cores
    program = programs[row.program]
    with Server(program, row, server) as listening:
        return call(program, row, listening, client, seconds)


def _place(row, folder):
    """Give where a server is to listen."""
    if row.transport in ("tcp", "udp"):
        return "tcp:127.0.0.1:0"
    # Each side sees its own core alone, and would sleep at once where it shares memory with one that has another core.
    apart = len(set(PLACEMENTS[row.placement])) > 1
    way = "spin" if row.transport == "shm" and apart else row.transport
    return f"{way}:{folder / 's'}"


def _on(core):
    """Give what puts a process on a core; without one it may be on any."""
    return None if core is None else lambda: os.sched_setaffinity(0, {core})
