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
    // Each worker loads and compiles the modules under test anew, a third of the time of most packages, and several packages run at once.
    // Long tests wait more than they load.
    maxWorkers: isLong ? "100%" : 1,
    // Files of one worker share the modules under test: to load them once for each file takes longer than most tests.
    isolate: false,
    // Its cache key does not see a changed tsconfig: a stale pass or a stale failure is worse than 2 s.
    fsModuleCache: false,
    // Built packages are loaded by Node itself: Vite would transform them anew for each test package.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    restoreMocks: true,
    // For tests that hang: none is measured by it, and machines do other things, too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
};
