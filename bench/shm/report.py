"""Keeps what shmbench prints, as results/shm/channels.json, as docs/guide/tables-shm.md, and in short in docs/performance.md.

report.py LOAD < lines of JSON; report.py --stamp writes the tables from what was kept.
"""

import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench/results/shm/channels.json"

SIZES = {64: "64 B", 1024: "1 KiB", 114688: "112 KiB"}
NAMES = {
    "channel": "**channel**",
    "ring": "bare ring",
    "iceoryx2-publish": "iceoryx2, publish and subscribe",
    "iceoryx2-request": "iceoryx2, request and response",
    "unix-socket": "bare unix socket",
}

# The targets of a channel: placement, bytes, percentile, and nanoseconds at most.
TARGETS = [
    ("two cores", 64, "p50", 200),
    ("two cores", 64, "p99", 300),
    ("two cores", 1024, "p50", 600),
    ("two cores", 114688, "p50", 7000),
    ("one core", 64, "p50", 4000),
]
# How many times as fast it is to be as the faster way of iceoryx2, at 64 B on two cores.
AHEAD = 3


def main(words):
    if words != ["--stamp"]:
        keep(float(words[0]), [json.loads(line) for line in sys.stdin if line.strip()])
    results = json.loads(RESULTS.read_text())
    for name in SECTIONS:
        page = ROOT / name
        page.write_text(stamped_page(page.read_text(), name, results))


def keep(load, lines):
    rows = [line for line in lines if "peer" in line]
    idle = next(line for line in lines if "idle_cpu_ns" in line)
    results = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": commit(),
        "command": "bench/shm/bench.sh",
        "machine": {
            "cpu": processor(),
            "cores": os.cpu_count(),
            "os": f"{platform.system()} {platform.release()}",
            "arch": platform.machine(),
            "load": load,
        },
        "versions": versions(),
        "rows": rows,
        "idle": {"cpu_ns": idle["idle_cpu_ns"], "wall_ns": idle["idle_wall_ns"]},
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def commit():
    git = ["git", "-C", str(ROOT)]
    name = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    # Results are not part of the measured code, and are about to change.
    others = [*git, "status", "--porcelain", "--", ".", ":!bench/results", ":!README.md", ":!docs"]
    changed = subprocess.run(others, check=True, capture_output=True, text=True).stdout
    return name + ("+changes" if changed else "")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def versions():
    lock = tomllib.loads((ROOT / "bench/shm/Cargo.lock").read_text())
    return {one["name"]: one["version"] for one in lock["package"] if one["name"] == "iceoryx2"}


def tables(results):
    rows = rows_of(results)
    parts = [targets(rows)]
    for placement, waits in (("two cores", "who waits looks without a pause"), ("one core", "who waits sleeps")):
        parts.append(times(rows, placement, waits))
    idle = results["idle"]
    share = 100 * idle["cpu_ns"] / idle["wall_ns"]
    parts.append(f"Both sides of a channel on which nothing is sent take {share:.3f} % of a processor together as they wait.\n")
    parts.append(provenance(results))
    return "\n".join(parts)


def rows_of(results):
    return {(one["placement"], one["bytes"], one["peer"]): one for one in results["rows"]}


def provenance(results):
    machine = results["machine"]
    beside = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return (
        f"Measured on {results['date']} at commit {results['commit']} with `{results['command']}`: {machine['cpu']}, "
        f"{machine['cores']} cores, {machine['os']}, load {machine['load']:.1f} before; {beside}.\n"
    )


def targets(rows):
    lines = ["| a channel's round trip | at most | measured |", "|---|---|---|"]
    lines += [f"| {title} | {wanted} | {took} {mark(is_met)} |" for title, wanted, took, is_met in outcomes(rows)]
    return "\n".join(lines) + "\n"


def outcomes(rows):
    """Give each target: its title, what is to be reached, what was measured, and whether it is enough."""
    found = []
    for placement, size, percentile, most in TARGETS:
        took = rows[placement, size, "channel"][percentile]
        found.append((f"{SIZES[size]}, {placement}, {percentile}", f"{micro(most)} µs", f"{micro(took)} µs", took <= most))
    peers = [one for one in ("iceoryx2-publish", "iceoryx2-request") if ("two cores", 64, one) in rows]
    fastest = min(rows["two cores", 64, one]["p50"] for one in peers)
    times_as_fast = fastest / rows["two cores", 64, "channel"]["p50"]
    title = "64 B, two cores, p50, beside iceoryx2's faster way"
    return [*found, (title, f"{AHEAD} × as fast at least", f"{times_as_fast:.1f} ×", times_as_fast >= AHEAD)]


def medians(results):
    """Give the medians of all rows."""
    rows = rows_of(results)
    lines = ["| round trip, median µs | " + " | ".join(SIZES.values()) + " |", "|---|" + "---|" * len(SIZES)]
    for placement in dict.fromkeys(one["placement"] for one in results["rows"]):
        for peer, name in NAMES.items():
            found = [rows.get((placement, size, peer)) for size in SIZES]
            if any(found):
                lines.append(f"| {placement}: {name} | " + " | ".join(micro(one["p50"]) if one else "" for one in found) + " |")
    return "\n".join(lines) + "\n\n" + provenance(results)


def misses(results):
    """Give the targets that are missed, and how many they are."""
    found = outcomes(rows_of(results))
    lines = ["| a channel's round trip | at most | measured |", "|---|---|---|"]
    lines += [f"| {title} | {wanted} | {took} |" for title, wanted, took, is_met in found if not is_met]
    count = len(lines) - 2
    return "\n".join(lines) + f"\n\nChannels miss {count} of {len(found)}.\n"


def times(rows, placement, waits):
    lines = [f"| {placement}, {waits}: p50, p99, p99.9, max in µs | " + " | ".join(SIZES.values()) + " |"]
    lines.append("|---|" + "---|" * len(SIZES))
    for peer, name in NAMES.items():
        found = [rows.get((placement, size, peer)) for size in SIZES]
        if any(found):
            cells = [", ".join(micro(one[key]) for key in ("p50", "p99", "p999", "max")) if one else "" for one in found]
            name += ", sleeping" if placement == "two cores" and peer == "unix-socket" else ""
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


# The pages, and what each shows between the markers of its sections.
SECTIONS = {
    "docs/guide/tables-shm.md": {"shm": tables},
    "docs/performance.md": {"shm-medians": medians, "shm-missed": misses},
}


def stamped_page(document, name, results):
    """Give a page with what results come to."""
    for section, table in SECTIONS[name].items():
        document = stamped(document, section, table(results))
    return document


def micro(nanoseconds):
    value = nanoseconds / 1000
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def mark(is_met):
    return "✓" if is_met else "✗ missed"


def stamped(document, section, table):
    """Give a document with the tables between the markers of a section."""
    begin, end = f"<!-- {section}:begin -->\n", f"<!-- {section}:end -->"
    if document.count(begin) != 1 or document.count(end) != 1 or document.index(begin) > document.index(end):
        raise ValueError(f"the document needs the lines {begin.strip()} and {end} once, in this order")
    before, _, rest = document.partition(begin)
    return before + begin + table + end + rest.partition(end)[2]


if __name__ == "__main__":
    main(sys.argv[1:])
