import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.js";

/** The tests of the hook run with the React that is installed beside the client, and again with the oldest one it supports. */
const react18 = (name: string): string => fileURLToPath(new URL(`test/react-18/node_modules/${name}`, import.meta.url));

const { include, ...common } = shared.test ?? {};

export default defineConfig({
  test: {
    ...common,
    projects: [
      { extends: true, test: { name: "client", include } },
      {
        extends: true,
        resolve: { alias: { "react-dom": react18("react-dom"), react: react18("react") } },
        test: { name: "react 18", include: ["test/react/*.test.ts"], env: { REACT_MAJOR: "18" } },
      },
    ],
  },
});
