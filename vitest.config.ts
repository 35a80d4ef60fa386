/** Tests of every package from the root: `vitest run packages/core/test/joins.test.ts`. Each package has a `vitest.config.ts` of its own. */
import { defineConfig } from "vitest/config";
import { shared } from "./vitest.shared.js";

export default defineConfig({
  test: {
    maxWorkers: shared.test?.maxWorkers,
    projects: ["packages/*", "packages/client/vitest.react-18.config.ts", "examples", "site"],
  },
});
