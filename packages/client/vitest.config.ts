import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, "test/types/**"],
    // Its cache key does not see a changed tsconfig: a stale pass or a stale failure is worse than 2 s.
    fsModuleCache: false,
    restoreMocks: true,
  },
});
