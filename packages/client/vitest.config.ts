import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

/** The tests of the hook run with the React that is installed beside the client, and again with the oldest one it supports. */
const react18 = (name: string): string => fileURLToPath(new URL(`test/react-18/node_modules/${name}`, import.meta.url));

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, "test/types/**"],
    // Its cache key does not see a changed tsconfig: a stale pass or a stale failure is worse than 2 s.
    fsModuleCache: false,
    restoreMocks: true,
    // They talk to processes and a browser, on machines that do other things, too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: "client", include: ["src/**/*.test.ts", "test/**/*.test.ts"] } },
      {
        extends: true,
        resolve: { alias: { "react-dom": react18("react-dom"), react: react18("react") } },
        test: { name: "react 18", include: ["test/react/*.test.ts"], env: { REACT_MAJOR: "18" } },
      },
    ],
  },
});
