// A server of the playground's folder, as any server of static files is one.

import { readFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** folder is what `make playground` has made; the tests run at the repository's root. */
export const folder = path.resolve("target/playground");

export interface Served {
  address: string;
  server: Server;
}

/** serve serves the folder on a port of this machine alone. */
export async function serve(): Promise<Served> {
  const server = createServer((request, response) => {
    const name = path.basename(new URL(request.url ?? "/", "http://playground").pathname) || "index.html";
    readFile(path.join(folder, name)).then(
      (content) => response.writeHead(200, { "Content-Type": types[path.extname(name)] ?? "application/octet-stream" }).end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
