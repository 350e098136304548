// The program that is bundled to measure a decoder's size: it decodes a registry, and does nothing else.
export { decodePluginRegistry } from "./out/src/plugins.js";
