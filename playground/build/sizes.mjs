// Sizes of the playground's folder on its way to a browser: each file's size, and what
// brotli makes of it. As a program it prints that of a folder at the best quality.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

/** bestQuality takes half a minute. */
export const bestQuality = constants.BROTLI_MAX_QUALITY;

/**
 * @param {string} folder
 * @param {number} quality
 * @returns {{ lines: string[], sum: number }}
 */
export function sizes(folder, quality) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  const lines = [];
  let sum = 0;
  for (const name of readdirSync(folder)) {
    const content = readFileSync(path.join(folder, name));
    const compressed = brotliCompressSync(content, { params }).length;
    sum += compressed;
    lines.push(`${content.length.toLocaleString("en").padStart(12)} ${compressed.toLocaleString("en").padStart(12)}  ${name}`);
  }
  lines.push(`${"".padStart(12)} ${sum.toLocaleString("en").padStart(12)}  all, compressed by brotli at quality ${quality}`);
  return { lines, sum };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2]) {
  console.log(sizes(process.argv[2], bestQuality).lines.join("\n"));
}
