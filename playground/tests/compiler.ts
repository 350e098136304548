// The compiler of the playground's folder, run by the worker's own script.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { runInThisContext } from "node:vm";
import type { Port } from "../web/connection.ts";
import type { Asks, FromWorker, Kind, ToWorker } from "../web/protocol.ts";
import { folder } from "./served.ts";

interface Scope {
  postMessage: (message: FromWorker) => void;
  onmessage: (event: { data: ToWorker }) => void;
}

/** startWorker runs the script of the worker in this process, and is the port to it. */
export async function startWorker(): Promise<Port> {
  const scope = globalThis as unknown as Scope;
  const port: Port = {
    onmessage: null,
    postMessage: (message) => scope.onmessage({ data: message }),
    terminate: () => {},
  };
  scope.postMessage = (message) => port.onmessage?.({ data: message });
  runInThisContext(await readFile(path.join(folder, "worker.js"), "utf8"));
  return port;
}

export async function compiledModule(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(path.join(folder, "sdp.wasm")));
}

/** Compiler asks a worker's script questions, and is answered at once. */
export class Compiler {
  private constructor(private readonly port: Port) {}

  static async start(): Promise<Compiler> {
    const port = await startWorker();
    const ready = new Promise<void>((resolve) => {
      port.onmessage = () => resolve();
    });
    port.postMessage({ module: await compiledModule() });
    await ready;
    return new Compiler(port);
  }

  ask<K extends Kind>(kind: K, question: Asks[K][0]): Asks[K][1] {
    let answer: { answer: unknown; failure: string } | undefined;
    this.port.onmessage = ({ data }) => {
      if ("reply" in data) answer = data.reply;
    };
    this.port.postMessage({ id: 1, kind, question });
    if (!answer || answer.failure) throw new Error(answer?.failure ?? "there is no answer");
    return answer.answer as Asks[K][1];
  }
}
