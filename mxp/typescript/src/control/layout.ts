// Layouts as sessions need them, which the runtime keeps to itself.
export { Comparison } from "../../../../runtime/typescript/src/layout_comparison.js";
export { isText, Layout, reference } from "../../../../runtime/typescript/src/layout_text.js";
