"""Tables of results: for a terminal, and for documents."""

from rows import LANGUAGES, PLACEMENTS, SIZES
from targets import judge

NAMES = {64: "64 B", 1024: "1 KiB", 112 * 1024: "112 KiB"}
LOADS = {(1, 1): "1 in flight", (256, 1): "256 in flight", (1, 64): "64 connections"}
FLOWS = {"event": "events", "up": "stream to the server", "both": "stream both ways"}


def text(records):
    """Give all rows and the targets, for a terminal."""
    lines = []
    for placement in PLACEMENTS:
        lines += _text_rows([one for one in records if one["placement"] == placement], placement)
    for placement in PLACEMENTS:
        lines += ["", f"Targets, {placement}:"]
        lines += [_outcome(outcome) for outcome in judge(records, placement)]
    return "\n".join(lines) + "\n"


def _text_rows(records, placement):
    head = f"{'':54}{'p50 µs':>10}{'p99':>10}{'p99.9':>10}{'max':>10}{'/CPU-s':>12}"
    lines = ["", f"{placement}:", head]
    for one in records:
        name = f"{LANGUAGES[one['program']]} {one['peer']} {one['transport']} {_load(one)} {NAMES[one['bytes']]}"
        times = "".join(f"{_micros(one, key):>10}" for key in ("p50", "p99", "p999", "max"))
        lines.append(f"{name:54}{times}{one['per_cpu_second']:>12,.0f}")
    return lines if records else []


def _load(one):
    return LOADS[one["in_flight"], one["connections"]] if one["kind"] == "call" else FLOWS[one["kind"]]


def _micros(one, key):
    latency = one.get("latency_ns")
    if not latency:
        return ""
    value = latency[key] / 1000
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def _outcome(outcome):
    target = outcome.target
    beside = f"beside {target.theirs}" if target.theirs else "messages per CPU-second"
    least = "" if outcome.least is None else f"at least {_number(outcome, outcome.least)}"
    measured = "" if outcome.measured is None else _number(outcome, outcome.measured.median)
    return f"{target.title:24} {NAMES[target.bytes]:8} {beside:40} {target.by:14} {measured:>12}  {least:20} {outcome.verdict}"


def _number(outcome, value):
    return f"{value:,.2f} ×" if outcome.target.theirs else f"{value:,.0f}"


def markdown(files):
    """Give the tables of the page."""
    records = [one for file in files.values() for one in file["rows"]]
    parts = [_targets(records)]
    for placement in PLACEMENTS:
        parts += [_latency(records, placement), _rates(records, placement)]
    return "\n".join(parts) + "\n" + _stamp(files)


def _targets(records):
    """Judge where both sides share a core; the other placement stands beside it."""
    lines = ["| | payload | measured by | beside | at least | " + " | ".join(PLACEMENTS) + " |", "|---|---|---|---|---|" + "---|" * len(PLACEMENTS)]
    for outcomes in zip(*(judge(records, placement) for placement in PLACEMENTS)):
        target = outcomes[0].target
        least = _least(outcomes)
        cells = [f"{target.title}: {target.ours}", NAMES[target.bytes], target.by, str(target.theirs or "")]
        lines.append(f"| {' | '.join(cells)} | {least} | {' | '.join(_cell(one) for one in outcomes)} |")
    return "\n".join(lines) + "\n"


def _least(outcomes):
    """Give what is to be reached, and where it is if it is not everywhere."""
    wanted = [one for one in outcomes if one.least is not None]
    if not wanted:
        return ""
    where = "" if len(wanted) == len(outcomes) else f" on {wanted[0].placement}"
    return _number(wanted[0], wanted[0].least) + where


def _cell(outcome):
    if outcome.measured is None:
        return "not measured"
    mark = {"reached": " ✓", "MISSED": " ✗ missed"}.get(outcome.verdict, "")
    bounds = f" {outcome.measured.text()}" if outcome.target.theirs else ""
    return _number(outcome, outcome.measured.median) + bounds + mark


def _latency(records, placement):
    """One call in flight: percentiles by size."""
    mine = [one for one in records if one["placement"] == placement and one["kind"] == "call" and _load(one) == "1 in flight"]
    head = f"| {placement}, one call in flight: p50, p99, p99.9, max in µs | " + " | ".join(NAMES[size] for size in SIZES) + " |"
    lines = [head, "|---|" + "---|" * len(SIZES)]
    for key in _peers(mine):
        cells = [_times(_of(mine, key, size)) for size in SIZES]
        lines.append(f"| {' '.join((LANGUAGES[key[0]], *key[1:]))} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _times(one):
    if one is None:
        return ""
    return ", ".join(_micros(one, key) for key in ("p50", "p99", "p999", "max"))


def _rates(records, placement):
    """Messages per CPU-second of both sides, in thousands, by load and size."""
    mine = [one for one in records if one["placement"] == placement]
    loads = [*LOADS.values(), *FLOWS.values()]
    lines = [f"| {placement}: thousands of messages per CPU-second of both sides, 64 B / 1 KiB / 112 KiB | " + " | ".join(loads) + " |"]
    lines.append("|---|" + "---|" * len(loads))
    for key in _peers(mine):
        cells = []
        for load in loads:
            found = [_of([one for one in mine if _load(one) == load], key, size) for size in SIZES]
            cells.append(" / ".join(_thousands(one) for one in found) if any(found) else "")
        lines.append(f"| {' '.join((LANGUAGES[key[0]], *key[1:]))} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _thousands(one):
    if one is None:
        return "–"
    value = one["per_cpu_second"] / 1000
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _peers(records):
    """Give what rows are of, each once, in their order."""
    return list(dict.fromkeys((one["program"], one["peer"], one["transport"]) for one in records))


def _of(records, key, size):
    for one in records:
        if (one["program"], one["peer"], one["transport"]) == key and one["bytes"] == size:
            return one
    return None


def _stamp(files):
    lines = []
    for name, file in files.items():
        machine = file["machine"]
        rounds = ", ".join(str(count) for count in sorted({one["rounds"] for one in file["rows"]}))
        versions = ", ".join(f"{one} {version}" for one, version in file["versions"].items())
        lines.append(
            f"{LANGUAGES[name]}: measured on {file['date']} at commit {file['commit']} with `{file['command']}`, each row in {rounds} rounds "
            f"of {file['seconds']} s: {machine['cpu']}, {machine['cores']} cores, {machine['os']}, load {machine['load']:.1f} before. Versions: {versions}."
        )
    return "\n\n".join(lines) + "\n"


def stamped(document, section, table):
    """Give a document with the table between the markers of a section."""
    begin, end = f"<!-- {section}:begin -->\n", f"<!-- {section}:end -->"
    if document.count(begin) != 1 or document.count(end) != 1 or document.index(begin) > document.index(end):
        raise ValueError(f"the document needs the lines {begin.strip()} and {end} once, in this order")
    before, _, rest = document.partition(begin)
    return before + begin + table + end + rest.partition(end)[2]
