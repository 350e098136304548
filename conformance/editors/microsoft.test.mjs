// Microsoft's client of the protocol, VS Code's own, drives `sdp lsp`: SDP names the program.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import protocol from "vscode-languageserver-protocol/node.js";

const {
  createProtocolConnection, StreamMessageReader, StreamMessageWriter, InitializeRequest, InitializedNotification, ShutdownRequest, ExitNotification,
  DidOpenTextDocumentNotification, DidChangeTextDocumentNotification, DidCloseTextDocumentNotification, PublishDiagnosticsNotification, RegistrationRequest,
  HoverRequest, DefinitionRequest, ReferencesRequest, RenameRequest, PrepareRenameRequest, DocumentSymbolRequest, WorkspaceSymbolRequest, CompletionRequest,
  DocumentFormattingRequest, SemanticTokensRequest, FoldingRangeRequest, InlayHintRequest, CodeActionRequest, CodeLensRequest, DocumentHighlightRequest,
  CancellationTokenSource, LSPErrorCodes, ErrorCodes, ResponseError,
} = protocol;

const schema = "package a;\n\n/// A 😀.\n@id(1)\nstruct A {\n    x: u8,\n    y: str,\n}\n\n@id(2)\nmessage B {\n    a: A,\n}\n";

async function client(t, positionEncodings) {
  const folder = mkdtempSync(join(tmpdir(), "sdp-editors-"));
  const server = spawn(process.env.SDP, ["lsp", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  const told = [];
  let wake = () => {};
  connection.onNotification(PublishDiagnosticsNotification.type, (p) => { told.push(p); wake(); });
  const registered = [];
  connection.onRequest(RegistrationRequest.type, (p) => { registered.push(...p.registrations); });
  connection.listen();
  const uri = pathToFileURL(join(folder, "a.sdp")).href;
  const made = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid, rootUri: pathToFileURL(folder).href, workspaceFolders: null,
    capabilities: { general: { positionEncodings }, workspace: { didChangeWatchedFiles: { dynamicRegistration: true } }, textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } },
  });
  await connection.sendNotification(InitializedNotification.type, {});
  const problems = async (version) => {
    for (;;) {
      const found = told.find((p) => p.uri === uri && p.version === version);
      if (found) return found.diagnostics;
      await new Promise((resolve) => { wake = resolve; });
    }
  };
  const open = (text) => { writeFileSync(join(folder, "a.sdp"), text); return connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "sdp", version: 1, text } }); };
  const change = (version, ...contentChanges) => connection.sendNotification(DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges });
  const end = async () => {
    await connection.sendRequest(ShutdownRequest.type);
    await connection.sendNotification(ExitNotification.type);
    assert.equal(await ended, 0);
    connection.dispose();
  };
  t.after(() => server.kill());
  return { connection, uri, made, told, registered, problems, open, change, end };
}

for (const [units, column] of [["utf-16", 16], ["utf-8", 18]]) {
  test(`problems come and go in ${units}`, async (t) => {
    const c = await client(t, [units]);
    assert.equal(c.made.capabilities.positionEncoding, units);
    await c.open(schema);
    assert.deepEqual(await c.problems(1), []);
    const at = { line: 5, character: 4 };
    await c.change(2, { range: { start: at, end: at }, text: "/* 😀 */ " }, { range: { start: { line: 6, character: 7 }, end: { line: 6, character: 10 } }, text: "strr" });
    const found = await c.problems(2);
    assert.deepEqual(found.map((d) => [d.code, d.range.start]), [["S0206", { line: 6, character: 7 }]]);
    await c.change(3, { range: { start: { line: 5, character: column }, end: { line: 5, character: column + 2 } }, text: "u9" });
    const both = await c.problems(3);
    assert.equal(both.length, 2);
    await c.connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri: c.uri } });
    await c.end();
    assert.deepEqual(c.told.at(-1).diagnostics, []);
    assert.deepEqual(c.registered.map((r) => r.method), ["workspace/didChangeWatchedFiles"]);
  });
}

test("every request is answered by what the protocol says", async (t) => {
  const c = await client(t, ["utf-16"]);
  await c.open(schema);
  await c.problems(1);
  const textDocument = { uri: c.uri };
  const position = { line: 11, character: 8 }; // A in B
  const ask = (type, params) => c.connection.sendRequest(type, { textDocument, ...params });
  const hover = await ask(HoverRequest.type, { position });
  assert.match(hover.contents.value, /A 😀\.[^]*size: 5 bytes or more[^]*type id 1[^]*Go `A`/);
  assert.deepEqual((await ask(DefinitionRequest.type, { position })).range.start, { line: 4, character: 7 });
  assert.equal((await ask(ReferencesRequest.type, { position, context: { includeDeclaration: true } })).length, 2);
  assert.equal((await ask(DocumentHighlightRequest.type, { position })).length, 2);
  assert.equal((await ask(PrepareRenameRequest.type, { position })).placeholder, "A");
  const renamed = await ask(RenameRequest.type, { position, newName: "Z" });
  assert.deepEqual(renamed.changes[c.uri].map((e) => e.newText), ["Z", "Z"]);
  assert.deepEqual((await ask(DocumentSymbolRequest.type)).map((s) => [s.name, s.children.length]), [["A", 2], ["B", 1]]);
  assert.ok((await c.connection.sendRequest(WorkspaceSymbolRequest.type, { query: "b" })).some((s) => s.name === "B"));
  assert.ok((await ask(CompletionRequest.type, { position })).items.some((i) => i.label === "A"));
  assert.deepEqual(await ask(DocumentFormattingRequest.type, { options: { tabSize: 4, insertSpaces: true } }), []);
  assert.equal((await ask(SemanticTokensRequest.type)).data.length % 5, 0);
  assert.ok((await ask(FoldingRangeRequest.type)).length >= 2);
  const whole = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  assert.deepEqual((await ask(InlayHintRequest.type, { range: whole })).map((h) => h.label), ["+0", "+1", "+0"]);
  assert.deepEqual(await ask(CodeActionRequest.type, { range: whole, context: { diagnostics: [] } }), []);
  assert.ok(Array.isArray(await ask(CodeLensRequest.type)));
  await c.change(2, { text: schema.replace("u8", "bol") });
  const actions = await ask(CodeActionRequest.type, { range: whole, context: { diagnostics: [] } });
  assert.deepEqual(actions[0].edit.changes[c.uri].map((e) => e.newText), ["bool"]);
  await assert.rejects(c.connection.sendRequest("textDocument/noSuchThing", {}), (e) => e instanceof ResponseError && e.code === ErrorCodes.MethodNotFound);
  await assert.rejects(ask(DocumentFormattingRequest.type, { textDocument: { uri: "file:///not/open.sdp" } }), (e) => e.code === LSPErrorCodes.RequestFailed);
  await c.end();
});

test("1,000 edits and cancellations at once leave the last text checked", async (t) => {
  const c = await client(t, ["utf-16"]);
  await c.open(schema);
  let refused = 0;
  for (let version = 2; version <= 1001; version++) {
    await c.change(version, { text: version % 2 ? schema : schema.replace("u8", "u" + version) });
    const cancel = new CancellationTokenSource();
    const answer = c.connection.sendRequest(CodeActionRequest.type, { textDocument: { uri: c.uri }, range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } }, context: { diagnostics: [] } }, cancel.token);
    answer.catch((e) => { assert.equal(e.code, LSPErrorCodes.RequestCancelled); refused++; });
    cancel.cancel();
  }
  assert.deepEqual(await c.problems(1001), []);
  await c.end();
  t.diagnostic(`${refused} of 1,000 requests were canceled in time`);
});
