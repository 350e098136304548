"""Lines of the logger ``mxp``: those of the core, and those of handlers."""

import logging

import mesh_exchange_protocol as mxp
import pytest
from generated import ledger
from generated.ledger_services import LedgerClient
from places import local
from test_services import ENTRY, NOTHING, Pair, until

WANTED = ledger.Wanted(status=1, name="", text="", details=b"")


def lines(caplog, text):
    """The records of the logger that begin with a text."""
    return [record for record in caplog.records if record.name == "mxp" and record.getMessage().startswith(text)]


async def test_connections_are_told_with_their_peers(tmp_path, caplog):
    caplog.set_level(logging.INFO, "mxp")
    async with Pair(tmp_path) as pair:
        assert await pair.client.echo(ENTRY) == ENTRY
        await until(lambda: lines(caplog, "connected") and lines(caplog, "connection opened"))
    [connected] = lines(caplog, "connected")
    assert connected.levelno == logging.INFO
    assert connected.mxp["peer"] == pair.address
    assert f"peer={pair.address}" in connected.getMessage()
    opened = lines(caplog, "connection opened")
    assert sorted(record.mxp.keys() >= {"peer", "id"} for record in opened) == [False, True], "one is the server's"
    assert [record.mxp.get("address") for record in opened].count(pair.address) == 1, "the other one the client's"
    assert lines(caplog, "connection ended")


async def test_attempts_to_connect_are_details(tmp_path, caplog):
    caplog.set_level(logging.DEBUG, "mxp")
    async with LedgerClient(local(tmp_path, "none"), connect_timeout=0.2) as client:
        with pytest.raises(mxp.Failure):
            await client.echo(ENTRY)
    levels = [record.levelno for record in lines(caplog, "not connected")]
    assert levels.count(logging.WARNING) == 1, "the first one"
    assert levels.count(logging.DEBUG) > 1
    assert lines(caplog, "not connected")[0].mxp["peer"] == local(tmp_path, "none")


async def test_an_exception_of_a_handler_has_its_traceback(tmp_path, caplog):
    async with Pair(tmp_path) as pair:
        with pytest.raises(mxp.Failure, match="a defect"):
            await pair.client.fail(WANTED)
        with pytest.raises(mxp.Failure):
            await pair.client.wait(NOTHING, deadline=0.05)  # is no defect
    [record] = [record for record in caplog.records if record.name == "mxp" and record.levelno == logging.ERROR]
    assert record.mxp["method"] == "ledger.Ledger/fail"
    assert record.mxp["peer"]
    assert record.exc_info[0] is ValueError
    assert 'raise ValueError("a defect")' in caplog.text


async def test_a_logger_that_wants_less_has_less(tmp_path, caplog):
    caplog.set_level(logging.ERROR, "mxp")
    async with Pair(tmp_path) as pair:
        assert await pair.client.echo(ENTRY) == ENTRY
    assert not lines(caplog, "")
