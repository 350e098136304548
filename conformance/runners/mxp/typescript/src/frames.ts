// Frames: decoded, read from pieces, and written.
import {
  decodeFrame, decodePrefix, encodeFrame, type Frame, FrameError, type FrameOptions, FrameReader, putFrame,
} from "../../../../../mxp/typescript/src/frame/index.js";
import { hex, unhex, Words } from "./words.js";

export function frames(operation: string, line: readonly string[]): string {
  const words = new Words(line);
  const data = unhex(line.find((word) => !word.includes("=")));
  const options: FrameOptions = { checksum: words.named.get("checksum") !== "off", ...(words.has("limit") ? { limit: words.number("limit") } : {}) };
  switch (operation) {
    case "frame":
      return refusing(() => {
        const { frame, size } = words.named.get("prefix") === "yes" ? decodePrefix(data, options) : { frame: decodeFrame(data, options), size: data.length };
        return `${shownFrame(frame, options)}\tused=${size}`;
      });
    case "frames":
      return read(data, words.list("cuts").map(Number), options);
    case "write":
      return refusing(() => `accept\tbytes=${hex(everyWay(
        { type: words.number("type"), flags: words.number("flags"), id: words.long("id"), trace: words.long("trace"), payload: words.bytes("payload") }, options,
      ))}`);
    default:
      return `error\tno operation ${operation}`;
  }
}

function refusing(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof FrameError) {
      return `reject\terror=${error.code}\toffset=${error.offset}`;
    }
    throw error;
  }
}

function shownFrame(f: Frame, options: FrameOptions): string {
  return `accept\ttype=${f.type}\tflags=${f.flags}\tid=${f.id}\ttrace=${f.trace}\tpayload=${hex(f.payload)}\tbytes=${hex(everyWay(f, options))}`;
}

/** A frame written in all ways, which have to agree. */
function everyWay(f: Frame, options: FrameOptions): Uint8Array {
  const checksum = options.checksum !== false;
  const all = encodeFrame(f, checksum);
  const third = Math.floor(f.payload.length / 3);
  const into = new Uint8Array(all.length + 7).fill(0xaa);
  const end = putFrame(into, 3, f, [f.payload.subarray(0, third), f.payload.subarray(third), new Uint8Array(0)], checksum);
  if (end !== all.length + 3 || hex(into.subarray(3, end)) !== hex(all)) {
    throw new Error("the ways to write a frame differ");
  }
  return all;
}

/** Hands pieces to a reader. */
function read(data: Uint8Array, cuts: readonly number[], options: FrameOptions): string {
  const reader = new FrameReader(options);
  const lines: string[] = [];
  let at = 0;
  let refused = false;
  for (const cut of [...cuts, data.length]) {
    if (cut < at || cut > data.length) {
      return "error\tno such cut";
    }
    const piece = { bytes: data.slice(at, cut) }; // a reader that looks beyond its piece would be found
    at = cut;
    for (;;) {
      const line = refusing(() => {
        const f = reader.next(piece);
        return f === undefined ? "" : shownFrame(f, options);
      });
      if (line === "") {
        break;
      }
      lines.push(line);
      if (line.startsWith("reject")) {
        refused = true;
        break;
      }
    }
    if (refused) {
      break;
    }
  }
  if (!refused) {
    const end = reader.end();
    lines.push(end === undefined ? "end" : `reject\terror=${end.code}\toffset=${end.offset}`);
  }
  return [`stream\treads=${lines.length}`, ...lines].join("\n");
}
