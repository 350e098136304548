// The strict rules of typescript-eslint, which also hold for generated code.
import tseslint from "typescript-eslint";

export default tseslint.config(...tseslint.configs.strict, { files: ["**/*.ts"] });
