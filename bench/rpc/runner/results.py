"""Results: what rounds have in common, and the files that they are kept in."""

import json
import os
import platform
import re
import subprocess
from datetime import datetime, timezone
from statistics import median

PERCENTILES = ("p50", "p99", "p999")


def record(row, rounds):
    """Give a row with the medians of its rounds; of the longest times, the longest."""
    cpu = [one["messages"] * 1e9 / (one["client_cpu_ns"] + one["server_cpu_ns"]) for one in rounds]
    wall = [one["messages"] * 1e9 / one["elapsed_ns"] for one in rounds]
    given = {
        **row.described(),
        "rounds": len(rounds),
        "messages": sum(one["messages"] for one in rounds),
        "per_cpu_second": round(median(cpu), 1),
        "per_second": round(median(wall), 1),
        "client_cpu_share": round(median(one["client_cpu_ns"] / one["elapsed_ns"] for one in rounds), 3),
        "server_cpu_share": round(median(one["server_cpu_ns"] / one["elapsed_ns"] for one in rounds), 3),
        "per_cpu_second_rounds": [round(one, 1) for one in cpu],
    }
    latencies = [one["latency_ns"] for one in rounds if one["latency_ns"]]
    if latencies:
        latency = {name: round(median(one[name] for one in latencies)) for name in PERCENTILES}
        latency["max"] = max(one["max"] for one in latencies)
        latency["p50_rounds"] = [one["p50"] for one in latencies]
        given["latency_ns"] = latency
    return given


def here(root, command, seconds):
    """Give where, when, how and with what it is measured."""
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "commit": _commit(root),
        "command": command,
        "seconds": seconds,
        "machine": {
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "os": f"{platform.system()} {platform.release()}",
            "arch": platform.machine(),
            "load": os.getloadavg()[0],
        },
        "versions": {"rust": _crates(root), "go": _modules(root), "cpp": _packages()},
    }


def _commit(root):
    def git(*args):
        return subprocess.run(["git", "-C", root, *args], capture_output=True, text=True, check=True).stdout.strip()

    # Results are not part of the measured code, and are about to change.
    changed = git("status", "--porcelain", "--", ".", ":!bench/results", ":!README.md", ":!docs")
    return git("rev-parse", "--short=12", "HEAD") + ("+changes" if changed else "")


def _cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return names[0] if names else "unknown"


CRATES = ("axum", "capnp-rpc", "hyper", "prost", "quinn", "reqwest", "tarpc", "tokio", "tokio-tungstenite", "tonic")
PACKAGES = ("libasio-dev", "libcapnp-dev", "libgrpc++-dev", "libprotobuf-dev")
MODULES = ("google.golang.org/grpc", "google.golang.org/protobuf")


def _crates(root):
    text = (root / "bench/rpc/rust/Cargo.lock").read_text("utf-8")
    found = dict(re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"', text))
    return {name: found[name] for name in CRATES}


def _modules(root):
    text = (root / "bench/rpc/go/go.mod").read_text("utf-8")
    found = dict(re.findall(r"^\s*(?:require )?(\S+) (v\S+)", text, re.MULTILINE))
    return {name: found[name] for name in MODULES}


def _packages():
    """Give the versions of Debian's packages that are there."""
    command = ["dpkg-query", "--show", "--showformat", "${Package} ${Version}\n", *PACKAGES]
    try:
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    except FileNotFoundError:
        return {}
    return dict(line.split(" ") for line in lines)


def write(folder, told, records):
    """Write a file for each program."""
    folder.mkdir(parents=True, exist_ok=True)
    for program in sorted({one["program"] for one in records}):
        mine = [one for one in records if one["program"] == program]
        versions = told["versions"][program]
        lines = ",\n".join("    " + json.dumps(one) for one in mine)
        head = json.dumps({**told, "program": program, "versions": versions}, indent=2)[:-2]
        (folder / f"{program}.json").write_text(f'{head},\n  "rows": [\n{lines}\n  ]\n}}\n', "utf-8")


def read(folder):
    """Give the results of each program."""
    return {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))}
