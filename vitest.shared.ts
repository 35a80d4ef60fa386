/** What the tests of every package have in common; `vitest.config.ts` of each adds what is its own. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultClientConditions, defaultServerConditions } from "vite";
import { configDefaults, type ViteUserConfig } from "vitest/config";
import { isLong, isNightly } from "./test-share.js";

/** Tests that take seconds: they kill processes, need browsers or start servers. CI runs them. */
const longTests = "**/*.long.test.ts";

/** Tests that prove again, another way, what others prove: every night. */
const nightlyTests = "**/*.nightly.test.ts";

/**
 * Packages are tested with each other's sources: a change in one needs no build. `npm test` has built them all: with `BUILT=1`, Node
 * loads those builds, which takes a third of the time of Vite with the sources. See CONTRIBUTING.md, "Run it".
 */
const source = process.env["BUILT"] === "1" ? [] : ["@millrace/source"];

/** The compiled modules of the last run are used again. Their key does not see these files, which decide how modules compile. */
const compiledBy = createHash("sha256");
for (const file of globSync("{.,packages/*,examples,site}/{tsconfig,package}.json", {
  cwd: import.meta.dirname,
}).sort())
  compiledBy.update(readFileSync(join(import.meta.dirname, file)));
const compiledByKey = compiledBy.update(String(source)).digest("hex");

export const shared: ViteUserConfig = {
  resolve: { conditions: [...source, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [...source, ...defaultServerConditions] } },
  plugins: [
    {
      name: "key of compiled modules",
      configureVitest: ({ defineCacheKeyGenerator }) => defineCacheKeyGenerator(() => compiledByKey),
    },
  ],
  test: {
    include: ["src/**/*.{test,test-prop}.ts", "test/**/*.{test,test-prop}.ts"],
    setupFiles: [join(import.meta.dirname, "vitest.setup.ts")],
    exclude: [
      ...configDefaults.exclude,
      "test/types/**",
      ...(isLong ? [] : [longTests]),
      ...(isNightly ? [] : [nightlyTests]),
    ],
    // Each worker loads and compiles the modules under test anew, a third of the time of most packages, and several packages run at once.
    // Long tests wait more than they load.
    maxWorkers: isLong ? "100%" : 1,
    // Files of one worker share the modules under test: to load them once for each file takes longer than most tests.
    isolate: false,
    fsModuleCache: true,
    // Built packages are loaded by Node itself: Vite would transform them anew for each test package.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    restoreMocks: true,
    // Processes that tests start load what the one before has compiled: half the time of a start.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    // For tests that hang: none is measured by it, and machines do other things, too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
};
