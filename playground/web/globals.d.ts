// Globals that the build puts in place: the support of Go's WebAssembly, what the compiler says about
// itself, and the examples.
declare module "wasm_exec";
declare module "parts.json" {
  const parts: unknown;
  export default parts;
}
