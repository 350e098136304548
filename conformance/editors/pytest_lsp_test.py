"""pytest-lsp's client, made of pygls, drives `sdp lsp`: SDP names the program."""

import os
import pathlib

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

SCHEMA = "package a;\n\n@id(1)\nstruct A {\n    /* 😀 */ x: u9,\n}\n"


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["SDP"], "lsp"]))
async def client(lsp_client: LanguageClient, tmp_path_factory):
    folder = tmp_path_factory.mktemp("schemas")
    lsp_client.folder = folder
    # Capabilities of VS Code have requests of the server's that this client does not know.
    for method in ["client/registerCapability", "workspace/codeLens/refresh", "workspace/inlayHint/refresh"]:
        lsp_client.feature(method)(lambda *_: None)
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=pytest_lsp.client_capabilities("visual-studio-code"),
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="schemas")],
        )
    )
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, text: str) -> str:
    uri = pathlib.Path(client.folder, "a.sdp").as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri=uri, language_id="sdp", version=1, text=text))
    )
    return uri


async def test_problems_have_places_in_utf16(client: LanguageClient):
    uri = opened(client, SCHEMA)
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    (problem,) = client.diagnostics[uri]
    assert problem.code == "S0206"
    assert problem.range.start == types.Position(line=4, character=16)


async def test_questions_are_answered(client: LanguageClient):
    uri = opened(client, SCHEMA.replace("u9", "u8"))
    document = types.TextDocumentIdentifier(uri=uri)
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    hover = await client.text_document_hover_async(types.HoverParams(document, types.Position(3, 8)))
    assert "type id 1" in hover.contents.value
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert [s.name for s in symbols] == ["A"]
    completion = await client.text_document_completion_async(types.CompletionParams(document, types.Position(4, 17)))
    assert "u16" in [i.label for i in completion.items]
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert tokens.data
