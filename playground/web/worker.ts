// The worker, which runs the compiler: it is sent the compiled module, then questions. Another
// one of the same script measures the processor.

import "wasm_exec";
import { measureShare } from "./processor-time.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

interface Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** WorkerScope is what this file uses of the scope that it runs in. */
interface WorkerScope {
  Go: new () => Go;
  /** sdpAnswer is set by the compiler. */
  sdpAnswer?: (question: string) => string;
  onmessage: ((event: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = globalThis as unknown as WorkerScope;

async function begin(module: WebAssembly.Module): Promise<void> {
  const go = new scope.Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  // It ends only where it fails, which the next question then finds.
  void go.run(instance);
  scope.postMessage({ ready: true });
}

function answer(id: number, kind: string, question: object): void {
  try {
    const text = scope.sdpAnswer!(JSON.stringify({ ...question, ask: kind }));
    const reply = JSON.parse(text) as { answer: unknown; failure: string };
    scope.postMessage({ id, reply, ended: false });
  } catch (error) {
    scope.postMessage({ id, reply: { answer: null, failure: `the compiler has ended: ${String(error)}` }, ended: true });
  }
}

scope.onmessage = ({ data }) => {
  if ("module" in data) {
    void begin(data.module);
  } else if ("measure" in data) {
    scope.postMessage({ share: measureShare() });
  } else {
    answer(data.id, data.kind, data.question);
  }
};
