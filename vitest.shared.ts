/** What the tests of every package have in common; `vitest.config.ts` of each adds what is its own. */
import { join } from "node:path";
import { configDefaults, type ViteUserConfig } from "vitest/config";
import { isLong } from "./test-share.js";

/** Tests that take seconds: they kill processes, need browsers or start servers. CI runs them. */
const longTests = "**/*.long.test.ts";

export const shared: ViteUserConfig = {
  test: {
    include: ["src/**/*.{test,test-prop}.ts", "test/**/*.{test,test-prop}.ts"],
    setupFiles: [join(import.meta.dirname, "vitest.setup.ts")],
    exclude: [...configDefaults.exclude, "test/types/**", ...(isLong ? [] : [longTests])],
    // Vitest leaves one processor free: of two, half of the time.
    maxWorkers: "100%",
    // Files of one worker share the modules under test: to load them once for each file takes longer than most tests.
    isolate: false,
    // Its cache key does not see a changed tsconfig: a stale pass or a stale failure is worse than 2 s.
    fsModuleCache: false,
    restoreMocks: true,
    // For tests that hang: none is measured by it, and machines do other things, too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
};
