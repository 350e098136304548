"""The structs, constants and functions of ``_abi``, held against the header of the core."""

import ctypes
import pathlib
import re
import subprocess
import sys

import pytest
from mesh_exchange_protocol import _abi

HEADER = pathlib.Path(__file__).resolve().parents[2] / "c" / "include" / "mxp.h"
STRUCTS = {
    _abi.Text: "mxp_text",
    _abi.View: "mxp_bytes",
    _abi.Pair: "mxp_pair",
    _abi.Pairs: "mxp_pairs",
    _abi.ViewPair: "mxp_pair",
    _abi.ViewPairs: "mxp_pairs",
    _abi.Type: "mxp_type",
    _abi.Method: "mxp_method",
    _abi.Service: "mxp_service",
    _abi.TLSOptions: "mxp_tls_options",
    _abi.RetryOptions: "mxp_retry_options",
    _abi.WebSocketOptions: "mxp_websocket_options",
    _abi.CoreOptions: "mxp_core_options",
    _abi.ClientOptions: "mxp_client_options",
    _abi.ServerOptions: "mxp_server_options",
    _abi.RequestOptions: "mxp_request_options",
    _abi.AnnounceOptions: "mxp_announce_options",
    _abi.AgentQuery: "mxp_agent_query",
    _abi.SubscribeOptions: "mxp_subscribe_options",
    _abi.Failure: "mxp_failure",
    _abi.More: "mxp_more",
    _abi.Done: "mxp_done",
}
CONSTANTS = {
    "MXP_ABI": _abi.ABI,
    "MXP_WOULD_BLOCK": _abi.WOULD_BLOCK,
    "MXP_UNKNOWN_ID": _abi.UNKNOWN_ID,
    "MXP_BAD_STATE": _abi.BAD_STATE,
    "MXP_CORE_CLOSED": _abi.CORE_CLOSED,
    "MXP_CORE_FORKED": _abi.CORE_FORKED,
    "MXP_REFUSED": _abi.REFUSED,
    "MXP_KIND_TAG": _abi.TAG,
    "MXP_KIND_CALL": _abi.CALL,
    "MXP_KIND_EVENT": _abi.EVENT,
    "MXP_KIND_STREAM": _abi.STREAM,
    "MXP_KIND_GONE": _abi.GONE,
    "MXP_KIND_CHUNK": _abi.CHUNK,
    "MXP_KIND_END": _abi.END,
    "MXP_KIND_CREDIT": _abi.CREDIT,
    "MXP_KIND_OVER": _abi.OVER,
    "MXP_KIND_LOG": _abi.LOG,
    "MXP_KIND_STANDING": _abi.STANDING,
    "MXP_KIND_UNKNOWN": _abi.UNKNOWN,
    "MXP_CLIENT_PUBLISHER": _abi.CLIENT_PUBLISHER,
    "MXP_START_NEW": _abi.START_NEW,
    "MXP_START_FIRST": _abi.START_FIRST,
    "MXP_START_NUMBER": _abi.START_NUMBER,
    "MXP_START_TIME": _abi.START_TIME,
    "MXP_LOG_ERROR": _abi.LOG_ERROR,
    "MXP_LOG_WARN": _abi.LOG_WARN,
    "MXP_LOG_INFO": _abi.LOG_INFO,
    "MXP_LOG_DEBUG": _abi.LOG_DEBUG,
    "MXP_METHOD_CALL": _abi.METHOD_CALL,
    "MXP_METHOD_EVENT": _abi.METHOD_EVENT,
    "MXP_METHOD_STREAM": _abi.METHOD_STREAM,
    "MXP_METHOD_IDEMPOTENT": _abi.METHOD_IDEMPOTENT,
    "MXP_METHOD_CONFIRM": _abi.METHOD_CONFIRM,
    "MXP_METHOD_ONE_REQUEST": _abi.METHOD_ONE_REQUEST,
    "MXP_METHOD_ONE_RESPONSE": _abi.METHOD_ONE_RESPONSE,
    "MXP_REQUEST_ACKED": _abi.REQUEST_ACKED,
    "MXP_REQUEST_END": _abi.REQUEST_END,
    "MXP_REQUEST_TRACE": _abi.REQUEST_TRACE,
    "MXP_SEND_LAST": _abi.SEND_LAST,
    "MXP_SERVER_HEALTH": _abi.SERVER_HEALTH,
    "MXP_SERVER_UNKNOWN": _abi.SERVER_UNKNOWN,
}


@pytest.mark.skipif(sys.platform == "win32", reason="it needs a compiler for C")
def test_structs_and_constants_are_those_of_the_header(tmp_path):
    lines = [f'printf("%zu\\n", sizeof({name}));' for name in STRUCTS.values()]
    want = [ctypes.sizeof(cls) for cls in STRUCTS]
    for cls, name in STRUCTS.items():
        for field, *_ in cls._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
            want.append(getattr(cls, field).offset)
    for name, number in CONSTANTS.items():
        lines.append(f'printf("%d\\n", {name});')
        want.append(number)
    source = tmp_path / "sizes.c"
    source.write_text(f'#include <stdio.h>\n#include "{HEADER}"\nint main(void) {{\n' + "\n".join(lines) + "\nreturn 0;\n}\n")
    program = tmp_path / "sizes"
    subprocess.run(["cc", "-std=c11", "-Wall", "-Werror", str(source), "-o", str(program)], check=True)
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    assert list(map(int, printed.split())) == want


def test_functions_are_declared():
    declared = set(re.findall(r"\bmxp_(\w+)\(", HEADER.read_text()))
    assert set(_abi.FUNCTIONS) <= declared
