// The runtime of TypeScript code that sdp generates.

export { decode, type DecodeOptions, encode, type Prefix } from "./codec.js";
export { refused, SdpError } from "./error.js";
export { fromJson } from "./json_read.js";
export { toJson } from "./json_write.js";
export { layoutOf } from "./layout.js";
export { decodeMessage, dispatch, encodeMessage, encodePreamble, type Framed } from "./message.js";
export { zero } from "./defaults.js";
export { keep, type Limits, type Numbers, Reader } from "./reader.js";
export { type ErrorName } from "./spec_gen.js";
export {
  type AnyCodec, type CallMethod, codec, type Codec, type ServerStreamMethod, type BidiStreamMethod, type EventMethod, type Method, type Service, type ClientStreamMethod,
} from "./service.js";
export { MessageReader, type Source } from "./stream.js";
export { durationFromMs, durationMs, timestampDate, timestampFromDate, timestampFromMs, timestampMs, timestampNow } from "./time.js";
export * from "./type.js";
export { type ListView, type MapView, owned, type View, view, viewMessage } from "./view.js";
export { orDefault, Writer } from "./writer.js";
