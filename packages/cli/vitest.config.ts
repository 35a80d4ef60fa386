import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.js";

export default mergeConfig(shared, {
  test: {
    globalSetup: ["test/support/build.ts"],
    testTimeout: 180_000, // each command is a process of its own
  },
});
