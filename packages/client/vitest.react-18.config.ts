import { fileURLToPath } from "node:url";
import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.js";

/** The tests of the hook run with the React that is installed beside the client, and here with the oldest one that it supports. */
const react18 = (name: string): string => fileURLToPath(new URL(`test/react-18/node_modules/${name}`, import.meta.url));

const { include: _all, ...test } = shared.test ?? {};

export default mergeConfig(
  { ...shared, test },
  {
    resolve: { alias: { "react-dom": react18("react-dom"), react: react18("react") } },
    test: { name: "react 18", include: ["test/react/*.test.ts"], env: { REACT_MAJOR: "18" } },
  },
);
