import { shared } from "../../vitest.shared.js";

export default {
  ...shared,
  test: { ...shared.test, globalSetup: ["test/support/global-setup.ts"] },
};
