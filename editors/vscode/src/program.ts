// The program `sdp`: where it is, which release, and what to do where it isn't there.

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import path from "node:path";

/** A program that answers, or why there is none, in words for a person. */
export type Found = { command: string; version: string } | { command: string; problem: string };

/** serverArguments start the language server on standard input and output. */
export const serverArguments = ["lsp"];

/** versionWithin bounds how long the program may take to say its version, in milliseconds. */
const versionWithin = 10_000;

/** commandOf is what a setting means: a name for PATH, or a path. */
export function commandOf(setting: string, folder: string | undefined): string {
  const command = setting.trim() || "sdp";
  if (command === "~" || command.startsWith("~/")) return path.join(homedir(), command.slice(1));
  const isName = !command.includes("/") && !command.includes(path.sep);
  return isName || path.isAbsolute(command) || folder === undefined ? command : path.join(folder, command);
}

/** find asks the program for its version. */
export function find(setting: string, folder: string | undefined): Promise<Found> {
  const command = commandOf(setting, folder);
  return new Promise((resolve) => {
    execFile(command, ["--version"], { timeout: versionWithin, cwd: folder }, (error, stdout) => {
      const version = /^sdp (\S+)/.exec(stdout)?.[1];
      if (version !== undefined) resolve({ command, version });
      else if (error === null) resolve({ command, problem: `\`${command}\` is another program: it does not say its version as sdp does.` });
      else resolve({ command, problem: reason(command, error) });
    });
  });
}

function reason(command: string, error: Error & { code?: number | string | null; killed?: boolean }): string {
  if (error.code === "ENOENT") {
    return path.isAbsolute(command) ? `There is no program at ${command}.` : `The program \`${command}\` is not in PATH.`;
  }
  if (error.code === "EACCES") return `${command} can't be executed.`;
  if (error.killed === true) return `\`${command} --version\` did not answer in ${versionWithin / 1000} seconds.`;
  return `\`${command} --version\` has failed: ${error.message.split("\n")[0] ?? ""}`;
}
