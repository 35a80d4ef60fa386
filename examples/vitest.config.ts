import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Each example is a process of its own: the first one on a busy machine takes seconds to start.
    testTimeout: 120_000,
    // Its cache key does not see a changed tsconfig.
    fsModuleCache: false,
    restoreMocks: true,
  },
});
