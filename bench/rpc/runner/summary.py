"""Short tables of results: MXP beside HTTP and gRPC in each language, and the targets that are missed."""

from rows import LANGUAGES, PLACEMENTS
from tables import NAMES
from targets import LATENCY, RATE, Pick, Target, judge

COLUMNS = ("go", "rust", "cpp")
HTTP = {"go": "net/http", "rust": "hyper"}
GRPC = {"go": "grpc-go", "rust": "tonic", "cpp": "grpc++"}
SOCKET = {program: "mxp" for program in COLUMNS}
ONE_CORE, TWO_CORES = PLACEMENTS

# A row: its title, placement and measure, the peers by language, the load of both sides, and MXP's transport.
COMPARISONS = (
    ("one call, beside HTTP", ONE_CORE, LATENCY, HTTP, {}, "unix"),
    ("one call, beside HTTP", TWO_CORES, LATENCY, HTTP, {}, "unix"),
    ("one call, beside gRPC", ONE_CORE, LATENCY, GRPC, {}, "unix"),
    ("one call, beside gRPC", TWO_CORES, LATENCY, GRPC, {}, "unix"),
    ("64 connections, beside HTTP", ONE_CORE, RATE, HTTP, {"connections": 64}, "unix"),
    ("256 calls in flight, beside gRPC", ONE_CORE, RATE, GRPC, {"in_flight": 256}, "unix"),
    ("stream to the server, beside gRPC", ONE_CORE, RATE, GRPC, {"kind": "up"}, "unix"),
    ("stream both ways, beside gRPC", ONE_CORE, RATE, GRPC, {"kind": "both"}, "unix"),
    ("one call, shared memory beside the socket", TWO_CORES, LATENCY, SOCKET, {}, "shm"),
)


def ratios(files):
    """Give how many times as fast MXP is as HTTP and gRPC, a column for each language."""
    records = [one for file in files.values() for one in file["rows"]]
    lines = ["| 64 B over a unix socket | placement | " + " | ".join(LANGUAGES[one] for one in COLUMNS) + " |", "|---|---|" + "---|" * len(COLUMNS)]
    for title, placement, by, peers, load, transport in COMPARISONS:
        cells = [_ratio(records, placement, by, program, peers.get(program), load, transport) for program in COLUMNS]
        lines.append(f"| {title} | {placement} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n\n" + _provenance(files)


def _ratio(records, placement, by, program, peer, load, transport):
    if peer is None:
        return "–"
    target = Target("", Pick("mxp", transport, program=program, **load), by, None, Pick(peer, program=program, **load))
    found = judge(records, placement, (target,))[0].measured
    if found is None:
        return "not measured"
    return f"{found.median:,.2f} × ({found.low:,.2f}–{found.high:,.2f})"


def _provenance(files):
    """Say when, where and how, once for all languages that have it in common."""
    said = {}
    for name in COLUMNS:
        file = files[name]
        machine = file["machine"]
        rounds = ", ".join(str(count) for count in sorted({one["rounds"] for one in file["rows"]}))
        text = (
            f"measured on {file['date']} at commit {file['commit']} with `{file['command']}` in {rounds} rounds: "
            f"{machine['cpu']}, {machine['cores']} cores, {machine['os']}."
        )
        said.setdefault(text, []).append(LANGUAGES[name])
    return " ".join(f"{', '.join(names)}: {text}" for text, names in said.items()) + "\n"


def misses(files):
    """Give the targets that are missed, a line for each title, and how many they are."""
    records = [one for file in files.values() for one in file["rows"]]
    outcomes = {placement: judge(records, placement) for placement in PLACEMENTS}
    cells = {}
    for placement, found in outcomes.items():
        for one in found:
            if one.verdict == "MISSED":
                cells.setdefault(_title(one.target), {}).setdefault(placement, []).append(_miss(one))
    lines = ["| calls of 64 B, in Rust unless said | " + " | ".join(PLACEMENTS) + " |", "|---|" + "---|" * len(PLACEMENTS)]
    for title in dict.fromkeys(_title(one.target) for one in outcomes[ONE_CORE] if _title(one.target) in cells):
        lines.append(f"| {title} | " + " | ".join("; ".join(cells[title].get(placement, [])) for placement in PLACEMENTS) + " |")
    counts = []
    for placement, found in outcomes.items():
        judged = [one for one in found if one.verdict in ("reached", "MISSED")]
        counts.append(f"{sum(one.verdict == 'MISSED' for one in judged)} of {len(judged)} on {placement}")
    return "\n".join(lines) + f"\n\nCalls miss {' and '.join(counts)}.\n"


def _title(target):
    return target.title if target.bytes == 64 else f"{target.title}, {NAMES[target.bytes]}"


def _miss(outcome):
    target, measured = outcome.target, outcome.measured.median
    if target.theirs is None:
        return f"{measured / 1e6:,.1f} of {outcome.least / 1e6:,.0f} M/CPU-s"
    way = ", both ways" if target.theirs.kind == "both" != target.ours.kind else ""
    return f"{target.theirs.peer}{way} {measured:,.2f} of {outcome.least:g} ×"
