"""Asks DuckDB about a registry of plugins.

python3 registry.py REGISTRY.json
"""

# %% Read the registry, and make its tables of SDP's bytes.
import pathlib
import sys

import duckdb
from schemas import sdp
from schemas.plugins import PluginRegistry

data = PluginRegistry.from_json(pathlib.Path(sys.argv[1]).read_text("utf-8")).encode()
database = duckdb.connect()
database.register("plugins", sdp.to_arrow(PluginRegistry, data, "plugins"))
database.register("parameters", sdp.to_arrow(PluginRegistry, data, "plugins.parameters"))


def ask(question: str, query: str) -> None:
    """Prints the rows that answer a query: a number, and texts."""
    rows = database.execute(query).fetchall()
    print(question + ("" if rows else ": none"))
    for number, *texts in rows:
        print(f"{number:7}  {'  '.join(texts)}")


# %% A row of `plugins` has a list of parameters.
ask("plugins with most parameters", "SELECT len(parameters) AS count, name FROM plugins ORDER BY count DESC, name LIMIT 5")

# %% A row of `parameters` is a parameter of any plugin.
ask("units by count", "SELECT count(*) AS count, unit FROM parameters WHERE unit <> '' GROUP BY unit ORDER BY count DESC, unit")

# %% UNNEST puts the name of a plugin beside its parameters.
database.execute("CREATE VIEW named AS SELECT name AS plugin, unnest(parameters, max_depth := 2) FROM plugins")
ask("defaults out of range", "SELECT default_value, identifier, plugin FROM named WHERE default_value NOT BETWEEN min_value AND max_value")

# %% The flag 8 asks for a logarithmic scale, which has no place for zero.
ask(
    "logarithmic parameters with zero in their range",
    """
    SELECT count(*) AS count, plugin FROM named
    WHERE raw_flags & 8 > 0 AND 0 BETWEEN min_value AND max_value
    GROUP BY plugin ORDER BY count DESC, plugin LIMIT 5
    """,
)
