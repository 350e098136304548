// Programs of tests, in processes of their own. A kernel starts no programs of other machines by itself: MXP_EMULATOR has the words
// of the emulator that runs this one.
import { type ChildProcess, fork } from "node:child_process";

const words = [...(process.env["MXP_EMULATOR"] ?? "").split(" ").filter(Boolean), process.execPath];

/** The command of this program's engine, and its first arguments. */
export const engine = words[0] as string;
export const engineArguments: readonly string[] = words.slice(1);

/** A process of a program, with the options of this one. */
export function forkProgram(program: string, programArguments: readonly string[] = []): ChildProcess {
  return fork(program, programArguments, { execPath: engine, execArgv: [...engineArguments, ...process.execArgv] });
}
