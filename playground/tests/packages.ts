// Packages of npm's, which the tests find in the playground's folder, and not beside themselves.

import { createRequire } from "node:module";
import path from "node:path";

export const packages = createRequire(path.resolve("playground/package.json"));
