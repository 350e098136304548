// What the build puts in place: the support of Go's WebAssembly, and the examples.
declare module "wasm_exec";
declare module "examples.json" {
  const examples: unknown;
  export default examples;
}
