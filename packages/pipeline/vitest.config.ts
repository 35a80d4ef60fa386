import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.{test,test-prop}.ts", "test/**/*.{test,test-prop}.ts"],
    exclude: [...configDefaults.exclude],
    // Its cache key does not see a changed tsconfig: a stale pass or a stale failure is worse than 2 s.
    fsModuleCache: false,
    restoreMocks: true,
    // For tests that hang: none is measured by it, and machines do other things, too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
