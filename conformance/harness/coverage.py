"""Coverage of the specification: every clause that says MUST is cited by a vector or by a named test."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

_CLAUSE = re.compile(r"^(?:- |\| )\*\*\[([A-Z]+-[0-9]+\.[0-9]+)\]\*\*")
_NAMED = re.compile(r'"((?:MXP|MESH)-[0-9]+\.[0-9]+)"')
_MUST = re.compile(r"\bMUST\b")
_TEST = {".go": "func {}(", ".py": "def {}(", ".rs": "fn {}(", ".cpp": ", {})", ".sh": "{}()", ".ts": 'test("{}"'}

TOPIC_CASES_MIN = 3
NEVER_REFUSED = {"layout", "fingerprints"}
"""Topics of what is computed from a schema alone, which nothing can be wrong with."""


def clauses(spec):
    """Give the text of every clause of the files of a folder, by its id."""
    found = {}
    for file in sorted(Path(spec).glob("*.md")):
        current = None
        for line in file.read_text("utf-8").splitlines():
            start = _CLAUSE.match(line)
            if start is not None:
                current = start[1]
                if current in found:
                    raise ValueError(f"{file.name}: {current} stands twice")
                found[current] = line
            elif not line.startswith((" ", "|")) and line:
                current = None
            elif current is not None:
                found[current] += "\n" + line
    return found


@dataclass
class Coverage:
    """The record of which case covers which clause."""

    needed: list
    by_case: dict
    by_test: dict
    problems: list

    @property
    def uncovered(self):
        """The clauses that say MUST and that nothing covers."""
        return [one for one in self.needed if one not in self.by_case and one not in self.by_test]


def _named_tests(root, rows, known, problems):
    covered = {}
    for row in rows:
        clause = row["clause"]
        if clause not in known:
            problems.append(f"clauses_by_test.toml: there is no clause {clause}")
        for file in row.get("files", ()):
            if not (root / file).is_file():
                problems.append(f"clauses_by_test.toml: {clause}: there is no file {file}")
        for test in row["tests"]:
            file, _, name = test.partition(":")
            path = root / file
            marker = _TEST[path.suffix].format(name)
            if not path.is_file() or marker not in path.read_text("utf-8"):
                problems.append(f"clauses_by_test.toml: {clause}: there is no test {test}")
            else:
                covered.setdefault(clause, []).append(test)
    return covered


def measure(root, cases, of_frames=()):
    """Hold the cases, those of frames too, and clauses_by_test.toml against the specification."""
    texts = clauses(root / "spec")
    problems = []
    by_case = {}
    for case in (*cases, *of_frames):
        for clause in case.spec:
            if clause not in texts:
                problems.append(f"{case.name}: there is no clause {clause}")
            by_case.setdefault(clause, []).append(case.name)
    rows = tomllib.loads((root / "conformance" / "clauses_by_test.toml").read_text("utf-8"))["cover"]
    by_test = _named_tests(root, rows, texts, problems)
    needed = [one for one, text in texts.items() if _MUST.search(text)]
    coverage = Coverage(needed, by_case, by_test, problems)
    problems += [f"{one} says MUST and nothing covers it" for one in coverage.uncovered]
    problems += _few(cases, texts, by_test)
    shared = tomllib.loads((root / "conformance" / "shared_clauses.toml").read_text("utf-8"))
    problems += _unshared(shared, texts, set(by_case) | _played(root / "conformance" / "peer"))
    return coverage


def _played(suite):
    """Give the clauses that the cases of the endpoint suite name."""
    return {clause for file in suite.glob("*_cases.go") for clause in _NAMED.findall(file.read_text("utf-8"))}


def _unshared(shared, texts, played):
    """Find clauses that a case of all languages has to play, and none does."""
    apart = shared["apart"]
    needed = {one for one in texts for section in shared["sections"] if one == section or one.startswith(section + ".")} | set(shared["clauses"])
    for clause in sorted(needed | set(apart)):
        if clause not in texts:
            yield f"shared_clauses.toml: there is no clause {clause}"
        elif clause in apart and (clause in played or clause not in needed):
            yield f"shared_clauses.toml: {clause} need not stand apart"
        elif clause not in apart and clause not in played:
            yield f"{clause} has no vector, no trace and no case of the endpoint suite: a test of one language does not show the others"


def _few(cases, texts, by_test):
    """Find constructs with too few cases, and pairs of refusals with fewer than three."""
    topics = {}
    pairs = {one: 0 for one in texts if one.startswith("WIRE-12.")}
    for case in cases:
        if case.folder != "evolution":
            topics.setdefault(case.topic, {"valid": 0, "invalid": 0})[case.folder] += 1
        for clause in case.spec:
            if clause in pairs:
                pairs[clause] += 1
    for topic, count in sorted(topics.items()):
        for folder, number in count.items():
            if number < TOPIC_CASES_MIN and not (folder == "invalid" and topic in NEVER_REFUSED):
                yield f"vectors/{folder}/{topic} has {number} cases, {TOPIC_CASES_MIN} are needed"
    for pair, number in pairs.items():
        if number + len(by_test.get(pair, ())) < TOPIC_CASES_MIN:
            yield f"{pair} has {number} cases, {TOPIC_CASES_MIN} are needed"
