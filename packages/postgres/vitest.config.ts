import { statementsOfModules } from "../../test-statements.js";
import { shared } from "../../vitest.shared.js";

export default {
  ...shared,
  plugins: [...(shared.plugins ?? []), statementsOfModules],
  test: { ...shared.test, globalSetup: ["test/support/global-setup.ts"] },
};
