export { decodeFrame, decodePrefix, encodeFrame, type Frame, FrameError, type FrameOptions, type Header, putFrame } from "./frame.js";
export { hashText } from "./hash.js";
export { FrameReader, type Piece } from "./reader.js";
export { type FrameRefusal, frameRefusals } from "./spec_gen.js";
export { allFlags, Flag, frameNames, FrameType } from "./types_gen.js";
