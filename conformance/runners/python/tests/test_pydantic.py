"""Generated classes as fields of pydantic's models."""

import json

import pydantic
import pytest
import sdp
from schemas.scalars import scalars
from schemas.unions import unions
from test_agreement import types, zero_bytes

PLUGIN = unions.Plugin(name="EQ", gain=1.5)


class Job(pydantic.BaseModel):
    plugin: unions.Plugin
    event: unions.Event | None = None


def test_values_dicts_and_json_are_taken():
    for plugin in (PLUGIN, {"name": "EQ", "gain": 1.5}, '{"name":"EQ","gain":1.5}'):
        assert Job(plugin=plugin).plugin == PLUGIN
    job = Job.model_validate_json('{"plugin": {"name": "EQ", "gain": 1.5}, "event": {"Loaded": {"name": "EQ", "gain": 1.5}}}')
    assert job.event == unions.EventLoaded(PLUGIN)
    assert Job.model_validate_json(job.model_dump_json()) == job
    assert json.loads(job.model_dump_json())["event"] == {"Loaded": {"name": "EQ", "gain": 1.5}}
    assert Job.model_validate(job.model_dump()) == job
    assert Job(plugin=PLUGIN, event={"Loaded": PLUGIN}).event == unions.EventLoaded(PLUGIN)


def test_errors_have_the_path_within_the_value():
    with pytest.raises(pydantic.ValidationError) as refused:
        Job.model_validate({"plugin": {"name": "EQ", "gain": True}})
    found = refused.value.errors()[0]
    assert (found["loc"], found["msg"]) == (("plugin",), "Value error, json_invalid in gain: expected a number of f32, got true")
    with pytest.raises(pydantic.ValidationError, match="value_invalid in name"):
        Job(plugin=unions.Plugin(name=7, gain=1.5))
    with pytest.raises(pydantic.ValidationError):
        Job(plugin=7)
    with pytest.raises(pydantic.ValidationError):
        Job(plugin=unions.EventLoaded(PLUGIN))


def test_the_schema_for_openapi():
    shown = Job.model_json_schema()
    assert shown["properties"]["plugin"] == {
        "title": "Plugin", "description": "A struct of the schema: its fields never change.", "type": "object",
    }  # fmt: skip
    assert {"title": "Event", "description": "A union of the schema."} in shown["properties"]["event"]["anyOf"]


def test_every_type_passes_as_json_and_as_a_dict():
    dicts = 0
    for kind in types():
        data = zero_bytes(kind)
        try:
            value = kind.cls.decode(data)
        except sdp.DecodeError:
            continue
        adapter = pydantic.TypeAdapter(kind.cls)
        assert adapter.validate_json(adapter.dump_json(value)) == value
        assert adapter.validate_python(adapter.dump_python(value)) == value
        if kind.kind != "union" and not kind.keep:
            dicts += 1
            assert adapter.validate_python({field.json: getattr(value, field.attribute) for field in kind.fields}) == value
    assert dicts > 100


def test_numbers_that_json_has_no_digits_for():
    value = pydantic.TypeAdapter(scalars.Floats).validate_python({"single": float("inf"), "double": float("nan")})
    assert repr(value) == "Floats(single=inf, double=nan)"
