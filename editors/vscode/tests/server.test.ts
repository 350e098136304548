// The program is found, or its absence told, and its language server answers Microsoft's
// client of the protocol, started as the extension starts it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Diagnostic, PublishDiagnosticsParams } from "vscode-languageserver-protocol";
import { commandOf, find, serverArguments } from "../src/program.ts";
import { builtTool } from "./tool.ts";

const require = createRequire(import.meta.url);
const protocol = require("vscode-languageserver-protocol/node") as typeof import("vscode-languageserver-protocol/node");

const folder = mkdtempSync(path.join(tmpdir(), "sdp-vscode-"));
after(() => rmSync(folder, { recursive: true }));

function script(name: string, text: string, mode = 0o755): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, mode);
  return file;
}

test("a setting is a name for PATH, or a path", () => {
  assert.equal(commandOf("", "/folder"), "sdp");
  assert.equal(commandOf("sdp-next", "/folder"), "sdp-next");
  assert.equal(commandOf(" /usr/bin/sdp ", "/folder"), "/usr/bin/sdp");
  assert.equal(commandOf("./bin/sdp", "/folder"), "/folder/bin/sdp");
  assert.equal(commandOf("bin/sdp", undefined), "bin/sdp");
  assert.equal(commandOf("~/bin/sdp", "/folder"), path.join(homedir(), "bin/sdp"));
});

test("a program that is not there, or is another, is told", async () => {
  const problem = async (setting: string) => {
    const found = await find(setting, undefined);
    return "problem" in found ? found.problem : `none: ${found.version}`;
  };
  assert.equal(await problem("sdp-that-is-nowhere"), "The program `sdp-that-is-nowhere` is not in PATH.");
  const missing = path.join(folder, "missing");
  assert.equal(await problem(missing), `There is no program at ${missing}.`);
  const plain = script("plain", "echo sdp 1.0.0", 0o644);
  assert.equal(await problem(plain), `${plain} can't be executed.`);
  const other = script("other", "echo hello");
  assert.equal(await problem(other), `\`${other}\` is another program: it does not say its version as sdp does.`);
  const broken = script("broken", "exit 3");
  assert.match(await problem(broken), /^`.*broken --version` has failed: /);
  assert.equal(await problem(script("fine", "echo sdp 1.2.3")), "none: 1.2.3");
});

test("the language server answers", { timeout: 60_000 }, async () => {
  const found = await find(builtTool(), undefined);
  assert.ok("version" in found, JSON.stringify(found));
  const server = spawn(found.command, serverArguments, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(server, "exit");
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  const published: PublishDiagnosticsParams[] = [];
  let heard = () => {};
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => {
    published.push(params);
    heard();
  });
  connection.onRequest(protocol.RegistrationRequest.type, () => undefined);
  connection.onRequest(protocol.WorkDoneProgressCreateRequest.type, () => undefined);
  connection.onRequest(protocol.ConfigurationRequest.type, ({ items }) => items.map(() => null));
  connection.listen();

  const initialized = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: null,
    capabilities: { textDocument: { publishDiagnostics: {}, semanticTokens: { requests: { full: true }, tokenTypes: [], tokenModifiers: [], formats: ["relative"] } } },
  });
  assert.equal(initialized.serverInfo?.version, found.version);
  await connection.sendNotification(protocol.InitializedNotification.type, {});

  const uri = pathToFileURL(path.join(folder, "mine.sdp")).href;
  const diagnostics = async (version: number, text: string): Promise<Diagnostic[]> => {
    if (version === 1) {
      await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "sdp", version, text } });
    } else {
      await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges: [{ text }] });
    }
    for (;;) {
      const answer = published.find((p) => p.uri === uri && p.version === version);
      if (answer !== undefined) return answer.diagnostics;
      await new Promise<void>((resolve) => (heard = resolve));
    }
  };
  const wrong = await diagnostics(1, "package mine;\n\n@id(1) struct Mine { a: Missing }\n");
  assert.ok(wrong.some((d) => d.severity === 1 && d.range.start.line === 2), JSON.stringify(wrong));
  const right = await diagnostics(2, "package mine;\n\n@id(1) struct Mine { a: u8 }\n");
  assert.deepEqual(right.filter((d) => d.severity === 1), []);
  const tokens = await connection.sendRequest(protocol.SemanticTokensRequest.type, { textDocument: { uri } });
  assert.ok((tokens?.data.length ?? 0) > 0, "there are no semantic tokens");

  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.deepEqual(await ended, [0, null]);
  connection.dispose();
});
