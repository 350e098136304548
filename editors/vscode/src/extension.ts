// The extension: it starts `sdp lsp`, starts it again when it is asked to or its path
// changes, and shows which release answers.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions, TransportKind } from "vscode-languageclient/node";
import { find, serverArguments } from "./program.ts";

const installing = "https://github.com/serial-data-protocol/sdp/blob/main/docs/install.md";

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;
let status: vscode.LanguageStatusItem;

/** starting is the last start or stop, which the next one waits for. */
let starting: Promise<void> = Promise.resolve();

export function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("SDP", { log: true });
  status = vscode.languages.createLanguageStatusItem("sdp.server", { language: "sdp" });
  status.name = "SDP";
  context.subscriptions.push(
    output,
    status,
    vscode.commands.registerCommand("sdp.restart", restart),
    vscode.commands.registerCommand("sdp.showOutput", () => output.show()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("sdp.path") || change.affectsConfiguration("sdp.breaking")) void restart();
    }),
  );
  return restart();
}

export function deactivate(): Promise<void> {
  starting = starting.then(stop);
  return starting;
}

function restart(): Promise<void> {
  starting = starting.then(stop).then(start);
  return starting;
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  try {
    await stopped?.dispose();
  } catch (error) {
    output.warn(`The language server did not end in time: ${String(error)}`);
  }
}

async function start(): Promise<void> {
  show("starting …", vscode.LanguageStatusSeverity.Information, true);
  const folder = vscode.workspace.workspaceFolders?.find((f) => f.uri.scheme === "file")?.uri.fsPath;
  const settings = vscode.workspace.getConfiguration("sdp");
  const found = await find(settings.get<string>("path", "sdp"), folder);
  if ("problem" in found) {
    complain(found.problem, "Install sdp, or say in the setting sdp.path where it is. Colours work without it.");
    return;
  }
  output.info(`${found.command} is release ${found.version}`);
  const run = { command: found.command, args: serverArguments, transport: TransportKind.stdio };
  const server: ServerOptions = { run, debug: run };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", language: "sdp" }, { scheme: "untitled", language: "sdp" }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.sdp,sdp.toml}") },
    initializationOptions: { against: settings.get<string>("breaking.against", "") },
    outputChannel: output,
  };
  const started = new LanguageClient("sdp", "SDP", server, options);
  client = started;
  try {
    await started.start();
    show(`sdp ${started.initializeResult?.serverInfo?.version ?? found.version}`, vscode.LanguageStatusSeverity.Information);
  } catch (error) {
    output.error(String(error));
    client = undefined;
    complain(`\`${found.command} lsp\` of sdp ${found.version} did not start.`, "It needs a release of sdp that has a language server; the output says more.");
  }
}

function show(text: string, severity: vscode.LanguageStatusSeverity, busy = false): void {
  status.text = text;
  status.detail = "language server";
  status.severity = severity;
  status.busy = busy;
  status.command = { command: "sdp.restart", title: "Restart" };
}

/** complain says what is wrong and what to do, and waits for nobody. */
function complain(problem: string, advice: string): void {
  show("no language server", vscode.LanguageStatusSeverity.Error);
  output.error(problem);
  const [settings, help, log] = ["Open Settings", "How to Install", "Show Output"];
  void vscode.window.showErrorMessage(`${problem} ${advice}`, settings, help, log).then((chosen) => {
    if (chosen === settings) void vscode.commands.executeCommand("workbench.action.openSettings", "sdp.path");
    if (chosen === help) void vscode.env.openExternal(vscode.Uri.parse(installing));
    if (chosen === log) output.show();
  });
}
