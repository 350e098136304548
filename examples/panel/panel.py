"""Serves the values of plugins' panels by HTTP, as JSON and as SDP's bytes. README.md has the commands."""

import math
import os
import pathlib

from fastapi import FastAPI, HTTPException, Request, Response
from pydantic import BaseModel
from schemas import sdp
from schemas.plugins import Parameter, Plugin, PluginRegistry

BYTES = "application/octet-stream"

app = FastAPI(title="Panels of plugins")
registry = PluginRegistry.decode(pathlib.Path(os.environ["REGISTRY"]).read_bytes())
panels = {plugin.uri: plugin for plugin in registry.plugins}


class Change(BaseModel):
    """A new value of a parameter."""

    value: float


def panel_of(uri: str) -> Plugin:
    if uri not in panels:
        raise HTTPException(404, f"no plugin has the address {uri}")
    return panels[uri]


def answer(request: Request, value: Plugin | Parameter) -> Response:
    """A value of the schema in the form that the client accepts."""
    if request.headers.get("accept") == BYTES:
        return Response(value.encode(), media_type=BYTES)
    return Response(value.to_json(), media_type="application/json")


@app.get("/plugins")
async def plugins() -> list[dict[str, str | int]]:
    return [{"uri": plugin.uri, "name": plugin.name, "parameters": len(plugin.parameters)} for plugin in registry.plugins]


@app.get("/panel")
async def panel(request: Request, uri: str) -> Response:
    return answer(request, panel_of(uri))


@app.put("/panel/{identifier}")
async def change(request: Request, identifier: str, uri: str, change: Change) -> Response:
    for parameter in panel_of(uri).parameters:
        if parameter.identifier == identifier:
            break
    else:
        raise HTTPException(404, f"the plugin has no parameter {identifier}")
    low, high = parameter.min_value, parameter.max_value
    if not parameter.is_writable or not low <= change.value <= high:
        raise HTTPException(422, f"{identifier} takes values from {low:g} to {high:g}")
    parameter.current_value = change.value
    return answer(request, parameter)


@app.put("/panel")
async def replace(request: Request, uri: str) -> Response:
    """Takes all values of a panel as bytes. A refusal names the byte and the field."""
    earlier = panel_of(uri)
    try:
        later = Plugin.decode(await request.body(), exact=True)
    except sdp.DecodeError as error:
        raise HTTPException(400, str(error)) from error
    if [parameter.identifier for parameter in later.parameters] != [parameter.identifier for parameter in earlier.parameters]:
        raise HTTPException(422, "the panel has other parameters")
    if any(not math.isfinite(parameter.current_value) for parameter in later.parameters):
        raise HTTPException(422, "a value is no number")
    for parameter, update in zip(earlier.parameters, later.parameters, strict=True):
        parameter.current_value = update.current_value
    return Response(status_code=204)
