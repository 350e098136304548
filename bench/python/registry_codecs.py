"""The codecs in Python that codec.py measures, each in its best way, on the registry of 62 plugins.

A codec has the same values as all others, as objects of its own classes where it has classes.
"""

import dataclasses
import io
import json
import pathlib
import pickle
import struct
import sys
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = ROOT / "target" / "bench-python"
sys.path[:0] = [str(ROOT / "runtime" / "python"), str(MADE / "sdp_code"), str(MADE)]

TEXT = (ROOT / "examples" / "registry" / "lv2-62.json").read_text(encoding="utf-8")

PARAMETER = {
    "address": int, "display_name": str, "identifier": str, "unit": str, "min_value": float, "max_value": float,
    "default_value": float, "current_value": float, "raw_flags": int, "is_writable": bool, "can_ramp": bool,
}  # fmt: skip
PLUGIN = ("name", "manufacturer", "uri", "class_")
NUMBERS = {
    "address": "u64", "min_value": "f32", "max_value": "f32", "default_value": "f32", "current_value": "f32", "raw_flags": "u32",
}  # fmt: skip


@dataclasses.dataclass
class Codec:
    """A codec with its operations.

    ``read`` decodes and reads every field; ``plain`` makes plain records of a value. Some also ``build`` all objects and encode them,
    or make a ``table`` of Arrow, with a row for each parameter, of the bytes.
    """

    name: str
    encode: Callable[[], Any]
    decode: Callable[[], Any]
    read: Callable[[], float]
    plain: Callable[[Any], Any]
    package: str | None = None
    build: Callable[[], Any] | None = None
    table: Callable[[], Any] | None = None


def single(number):
    """A number as 32 bits hold it, which is how precise the data are."""
    return struct.unpack("f", struct.pack("f", number))[0] if isinstance(number, float) else number


def plain_members(registry):
    """Plain records of dictionaries."""
    return [
        ([plugin["name"], plugin["manufacturer"], plugin["uri"], plugin["class"]],
         [[single(kind(parameter[name])) for name, kind in PARAMETER.items()] for parameter in plugin["parameters"]])
        for plugin in registry["plugins"]
    ] + [registry["total_plugin_count"], registry["total_parameter_count"]]  # fmt: skip


def plain_fields(registry):
    """Plain records of objects."""
    return [
        ([getattr(plugin, name) for name in PLUGIN],
         [[single(getattr(parameter, name)) for name in PARAMETER] for parameter in plugin.parameters])
        for plugin in registry.plugins
    ] + [registry.total_plugin_count, registry.total_parameter_count]  # fmt: skip


def sum_members(registry):
    """A sum of every field of dictionaries."""
    total = registry["total_plugin_count"] + registry["total_parameter_count"]
    for plugin in registry["plugins"]:
        total += len(plugin["name"]) + len(plugin["manufacturer"]) + len(plugin["uri"]) + len(plugin["class"])
        for p in plugin["parameters"]:
            total += (
                p["address"] + len(p["display_name"]) + len(p["identifier"]) + len(p["unit"]) + p["min_value"] + p["max_value"]
                + p["default_value"] + p["current_value"] + p["raw_flags"] + p["is_writable"] + p["can_ramp"]
            )  # fmt: skip
    return total


def sum_fields(registry):
    """A sum of every field of objects."""
    total = registry.total_plugin_count + registry.total_parameter_count
    for plugin in registry.plugins:
        total += len(plugin.name) + len(plugin.manufacturer) + len(plugin.uri) + len(plugin.class_)
        for p in plugin.parameters:
            total += (
                p.address + len(p.display_name) + len(p.identifier) + len(p.unit) + p.min_value + p.max_value
                + p.default_value + p.current_value + p.raw_flags + p.is_writable + p.can_ramp
            )  # fmt: skip
    return total


def sum_tables(registry):
    """A sum of every field of a FlatBuffer, in place."""
    total = registry.TotalPluginCount() + registry.TotalParameterCount()
    for i in range(registry.PluginsLength()):
        plugin = registry.Plugins(i)
        total += len(plugin.Name().decode()) + len(plugin.Manufacturer().decode())
        total += len(plugin.Uri().decode()) + len(plugin.Class_().decode())
        for k in range(plugin.ParametersLength()):
            p = plugin.Parameters(k)
            total += (
                p.Address() + len(p.DisplayName().decode()) + len(p.Identifier().decode()) + len(p.Unit().decode())
                + p.MinValue() + p.MaxValue() + p.DefaultValue() + p.CurrentValue() + p.RawFlags() + p.IsWritable() + p.CanRamp()
            )  # fmt: skip
    return total


def of_objects(name, encode, decode, package=None):
    """A codec whose values are objects."""
    return Codec(name, encode, decode, lambda: sum_fields(decode()), plain_fields, package)


def of_records(name, encode, decode, package=None):
    """A codec whose values are dictionaries."""
    return Codec(name, encode, decode, lambda: sum_members(decode()), plain_members, package)


def arguments():
    """The fields of all plugins, each with those of its parameters, and the counts."""
    data = json.loads(TEXT)
    plugins = [
        (
            {"name": record["name"], "manufacturer": record["manufacturer"], "uri": record["uri"], "class_": record["class"]},
            [{name: kind(fields[name]) for name, kind in PARAMETER.items()} for fields in record["parameters"]],
        )
        for record in data["plugins"]
    ]
    return plugins, {name: data[name] for name in ("total_plugin_count", "total_parameter_count")}


PLUGINS, COUNTS = arguments()


def objects(parameter, plugin, registry):
    """The data as objects of three classes, whose constructors take fields by name."""
    plugins = [plugin(**fields, parameters=[parameter(**part) for part in parts]) for fields, parts in PLUGINS]
    return registry(plugins=plugins, **COUNTS)


def columns(registry):
    """A table of Arrow of all parameters, field by field of the objects."""
    import pyarrow

    types = {"u64": pyarrow.uint64(), "u32": pyarrow.uint32(), "f32": pyarrow.float32()}
    parameters = [parameter for plugin in registry.plugins for parameter in plugin.parameters]
    arrays = {name: pyarrow.array([getattr(part, name) for part in parameters], types.get(NUMBERS.get(name))) for name in PARAMETER}
    return pyarrow.table(arrays)


def sdp_codec():
    import plugins
    import sdp

    value = plugins.PluginRegistry.from_json(TEXT)
    data = value.encode()
    codec = of_objects(f"sdp, {sdp.engine}", value.encode, lambda: plugins.PluginRegistry.decode(data))
    codec.build = lambda: objects(plugins.Parameter, plugins.Plugin, plugins.PluginRegistry).encode()
    codec.table = lambda: sdp.to_arrow(plugins.PluginRegistry, data, "plugins.parameters")
    return codec


def json_codec():
    value = json.loads(TEXT)
    data = json.dumps(value).encode()
    return of_records("json", lambda: json.dumps(value, separators=(",", ":")).encode(), lambda: json.loads(data))


def orjson_codec():
    import orjson

    value = json.loads(TEXT)
    data = orjson.dumps(value)
    return of_records("orjson", lambda: orjson.dumps(value), lambda: orjson.loads(data), "orjson")


def pickle_codec():
    """Pickles dataclasses."""
    counts = [("total_plugin_count", int), ("total_parameter_count", int)]
    parameter = kept(dataclasses.make_dataclass("PickledParameter", list(PARAMETER.items())))
    plugin = kept(dataclasses.make_dataclass("PickledPlugin", [*((name, str) for name in PLUGIN), ("parameters", list)]))
    registry = kept(dataclasses.make_dataclass("PickledRegistry", [("plugins", list), *counts]))
    value = objects(parameter, plugin, registry)
    data = pickle.dumps(value, protocol=5)
    return of_objects("pickle", lambda: pickle.dumps(value, protocol=5), lambda: pickle.loads(data))


def kept(cls):
    """A class that this module has by its name, as ``pickle`` and annotations ask."""
    cls.__module__ = __name__
    globals()[cls.__name__] = cls
    return cls


def msgspec_codec():
    import msgspec

    parameter = msgspec.defstruct("Parameter", list(PARAMETER.items()), array_like=True)
    plugin = msgspec.defstruct("Plugin", [*((name, str) for name in PLUGIN), ("parameters", list[parameter])], array_like=True)
    registry = msgspec.defstruct(
        "Registry", [("plugins", list[plugin]), ("total_plugin_count", int), ("total_parameter_count", int)], array_like=True
    )
    value = objects(parameter, plugin, registry)
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(registry)
    data = encoder.encode(value)
    codec = of_objects("msgspec", lambda: encoder.encode(value), lambda: decoder.decode(data), "msgspec")
    codec.build = lambda: encoder.encode(objects(parameter, plugin, registry))
    codec.table = lambda: columns(decoder.decode(data))
    return codec


def protobuf_codec():
    import registry_pb2
    from google.protobuf.internal import api_implementation

    classes = (registry_pb2.Parameter, registry_pb2.Plugin, registry_pb2.PluginRegistry)
    value = objects(*classes)
    data = value.SerializeToString()
    name = f"protobuf, {api_implementation.Type()}"
    codec = of_objects(name, value.SerializeToString, lambda: registry_pb2.PluginRegistry.FromString(data), "protobuf")
    codec.build = lambda: objects(*classes).SerializeToString()
    codec.table = lambda: columns(registry_pb2.PluginRegistry.FromString(data))
    return codec


def betterproto_codec():
    import betterproto2

    types = {
        "int": betterproto2.TYPE_UINT64,
        "str": betterproto2.TYPE_STRING,
        "float": betterproto2.TYPE_FLOAT,
        "bool": betterproto2.TYPE_BOOL,
    }
    parameter = message(
        "Parameter",
        {
            name: (kind, betterproto2.TYPE_UINT32 if name == "raw_flags" else types[kind.__name__], False)
            for name, kind in PARAMETER.items()
        },
    )
    plugin = message(
        "Plugin",
        {name: (str, betterproto2.TYPE_STRING, False) for name in PLUGIN}
        | {"parameters": (list[parameter], betterproto2.TYPE_MESSAGE, True)},
    )
    counts = dict.fromkeys(("total_plugin_count", "total_parameter_count"), (int, betterproto2.TYPE_UINT32, False))
    registry = message("Registry", {"plugins": (list[plugin], betterproto2.TYPE_MESSAGE, True)} | counts)
    value = objects(parameter, plugin, registry)
    data = bytes(value)
    return of_objects("betterproto2", lambda: bytes(value), lambda: registry.parse(data), "betterproto2")


def message(name, fields):
    """A class as the generator of betterproto2 writes it."""
    import betterproto2

    space: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
    for number, (field, (kind, wire, is_list)) in enumerate(fields.items(), 1):
        space["__annotations__"][field] = kind
        space[field] = betterproto2.field(number, wire, repeated=is_list)
    return kept(dataclasses.dataclass(eq=False, repr=False)(type(name, (betterproto2.Message,), space)))


def fastavro_codec():
    import fastavro

    kinds = {int: "long", str: "string", float: "float", bool: "boolean"}
    parameter = {"type": "record", "name": "Parameter", "fields": [{"name": n, "type": kinds[kind]} for n, kind in PARAMETER.items()]}
    texts = [{"name": name.rstrip("_"), "type": "string"} for name in PLUGIN]
    plugin = {"type": "record", "name": "Plugin", "fields": [*texts, {"name": "parameters", "type": {"type": "array", "items": parameter}}]}
    counts = [{"name": name, "type": "long"} for name in ("total_plugin_count", "total_parameter_count")]
    fields = [{"name": "plugins", "type": {"type": "array", "items": plugin}}, *counts]
    schema = fastavro.parse_schema({"type": "record", "name": "Registry", "fields": fields})
    value = json.loads(TEXT)

    def encode():
        out = io.BytesIO()
        fastavro.schemaless_writer(out, schema, value)
        return out.getvalue()

    data = encode()
    return of_records("fastavro", encode, lambda: fastavro.schemaless_reader(io.BytesIO(data), schema), "fastavro")


def fory_codec():
    import pyfory

    kinds = {int: pyfory.Int64, str: str, float: pyfory.Float32, bool: bool}
    parameter = dataclasses.make_dataclass("Parameter", [(name, kinds[kind]) for name, kind in PARAMETER.items()], slots=True)
    plugin = dataclasses.make_dataclass("Plugin", [*((name, str) for name in PLUGIN), ("parameters", list[parameter])], slots=True)
    registry = dataclasses.make_dataclass(
        "Registry",
        [("plugins", list[plugin]), ("total_plugin_count", pyfory.Int32), ("total_parameter_count", pyfory.Int32)], slots=True,
    )  # fmt: skip
    fory = pyfory.Fory(xlang=True, ref=False, strict=True)
    for cls in (parameter, plugin, registry):
        fory.register_type(cls, name=f"registry.{cls.__name__}")
    value = objects(parameter, plugin, registry)
    data = fory.serialize(value)
    return of_objects("pyfory", lambda: fory.serialize(value), lambda: fory.deserialize(data), "pyfory")


def flatbuffers_codec():
    """Encodes and decodes by the object API, and reads every field in place."""
    import flatbuffers
    from flat.Parameter import ParameterT
    from flat.Plugin import PluginT
    from flat.PluginRegistry import PluginRegistry, PluginRegistryT

    def camel(name):
        head, *tail = name.rstrip("_").split("_")
        return head + "".join(word.title() for word in tail) + "_" * name.endswith("_")

    def filled(cls, **fields):
        value = cls()
        for name, content in fields.items():
            setattr(value, camel(name), content)
        return value

    value = objects(*(lambda cls=cls, **fields: filled(cls, **fields) for cls in (ParameterT, PluginT, PluginRegistryT)))

    def encode():
        builder = flatbuffers.Builder(1024)
        builder.Finish(value.Pack(builder))
        return builder.Output()

    def plain(registry):
        return [
            ([getattr(plugin, camel(name)).decode() for name in PLUGIN],
             [[single(text(getattr(parameter, camel(name)))) for name in PARAMETER] for parameter in plugin.parameters])
            for plugin in registry.plugins
        ] + [registry.totalPluginCount, registry.totalParameterCount]  # fmt: skip

    def text(content):
        return content.decode() if isinstance(content, bytes) else content

    data = bytes(encode())

    def decode():
        return PluginRegistryT.InitFromObj(PluginRegistry.GetRootAs(data, 0))

    return Codec("flatbuffers", encode, decode, lambda: sum_tables(PluginRegistry.GetRootAs(data, 0)), plain, "flatbuffers")


CODECS = {
    "sdp": sdp_codec, "json": json_codec, "orjson": orjson_codec, "msgspec": msgspec_codec, "pickle": pickle_codec,
    "protobuf": protobuf_codec, "betterproto2": betterproto_codec, "fastavro": fastavro_codec, "pyfory": fory_codec,
    "flatbuffers": flatbuffers_codec,
}  # fmt: skip
