// What a program bundles that decodes a registry, and does nothing else.
export { decodePluginRegistry } from "./out/src/plugins.js";
