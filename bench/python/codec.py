"""Measures the codec in Python beside others, on the registry of 62 plugins.

    python3 bench/python/codec.py [--rounds 30] [--write]

Every contestant has the same values as objects of classes of its own, where it has classes. Contestants take turns within a round, and
each row is the median of the rounds as a ratio to ``json`` in the same round, with the quartiles. ``--write`` keeps the rounds in
bench/results/python.json.
"""

import argparse
import datetime
import importlib.metadata
import json
import pathlib
import pickle
import platform
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = ROOT / "target" / "registry-python"
COMMAND = ["go", "run", "./cmd/sdp", "gen", "examples/registry/plugins.sdp", "--python-runtime", "sdp", "--out", f"python={MADE}"]
subprocess.run(COMMAND, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
sys.path[:0] = [str(ROOT / "runtime" / "python"), str(MADE)]

import plugins  # noqa: E402
import sdp  # noqa: E402

TEXT = (ROOT / "examples" / "registry" / "lv2-62.json").read_text(encoding="utf-8")


def sdp_row():
    value = plugins.PluginRegistry.from_json(TEXT)
    data = value.encode()
    return f"sdp ({sdp.engine})", len(data), value.encode, lambda: plugins.PluginRegistry.decode(data)


def json_row():
    value = json.loads(TEXT)
    text = json.dumps(value, separators=(",", ":"))
    return "json", len(text), lambda: json.dumps(value), lambda: json.loads(text)


def orjson_row():
    import orjson

    value = json.loads(TEXT)
    data = orjson.dumps(value)
    return "orjson", len(data), lambda: orjson.dumps(value), lambda: orjson.loads(data)


def pickle_row():
    value = plugins.PluginRegistry.from_json(TEXT)
    data = pickle.dumps(value, protocol=5)
    return "pickle", len(data), lambda: pickle.dumps(value, protocol=5), lambda: pickle.loads(data)


def msgspec_row():
    import msgspec

    def struct(cls, **types):
        return msgspec.defstruct(cls.__name__, [(name, types.get(name, kind)) for name, kind in hints(cls)], array_like=True)

    parameter = struct(plugins.Parameter)
    plugin = struct(plugins.Plugin, parameters=list[parameter])
    registry = struct(plugins.PluginRegistry, plugins=list[plugin])
    plain = plugins.PluginRegistry.from_json(TEXT).to_dict()
    value = registry(
        [plugin(*list(one.values())[:-1], [parameter(*p.values()) for p in one["parameters"]]) for one in plain["plugins"]],
        plain["total_plugin_count"], plain["total_parameter_count"],
    )  # fmt: skip
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(registry)
    data = encoder.encode(value)
    return "msgspec (msgpack, arrays)", len(data), lambda: encoder.encode(value), lambda: decoder.decode(data)


def hints(cls):
    return [(name, {"str": str, "int": int, "float": float, "bool": bool}.get(kind)) for name, kind in cls.__annotations__.items()]


def measure(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main():
    options = argparse.ArgumentParser(description="Measures the codec in Python beside others.")
    options.add_argument("--rounds", type=int, default=30)
    options.add_argument("--write", action="store_true")
    arguments = options.parse_args()
    rows = []
    for make in (json_row, sdp_row, pickle_row, msgspec_row, orjson_row):
        try:
            rows.append(make())
        except ImportError as error:
            print(f"{error.name} is not installed: left out")
    rounds = {name: {"bytes": size, "encode": [], "decode": []} for name, size, _, _ in rows}
    for _ in range(arguments.rounds):
        for name, _, encode, decode in rows:
            encode(), decode()
            rounds[name]["encode"].append(measure(encode))
            rounds[name]["decode"].append(measure(decode))
    print(f"{'':28}{'bytes':>9}{'encode':>24}{'decode':>24}   ratios to json: median (quartiles)")
    for name, found in rounds.items():
        cells = []
        for verb in ("encode", "decode"):
            ratios = [own / other for own, other in zip(found[verb], rounds["json"][verb], strict=True)]
            low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
            cells.append(f"{middle:.2f} ({low:.2f}–{high:.2f})")
        print(f"{name:28}{found['bytes']:>9,}{cells[0]:>24}{cells[1]:>24}")
    if arguments.write:
        keep(rounds)


def keep(rounds):
    versions = {}
    for name in ("msgspec", "orjson"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    stamp = {
        "date": datetime.date.today().isoformat(), "commit": commit.stdout.strip(), "python": platform.python_version(), "versions": versions,
        "seconds": rounds,
    }  # fmt: skip
    text = json.dumps(stamp, indent=1) + "\n"
    (ROOT / "bench" / "results" / "python.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
