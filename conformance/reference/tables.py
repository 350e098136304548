"""The tables of spec/: refusals, limits and scalars."""

import tomllib
from pathlib import Path

SPEC = Path(__file__).resolve().parents[2] / "spec"


def table(file, key):
    """Give the rows of a table by their names."""
    with open(SPEC / file, "rb") as source:
        return {row["name"]: row for row in tomllib.load(source)[key]}
