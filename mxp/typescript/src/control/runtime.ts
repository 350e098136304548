// The runtime of code that is generated, which is compiled with the library: its sources lie in one place.
export * from "../../../../runtime/typescript/src/index.js";
