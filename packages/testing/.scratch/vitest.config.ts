import { defineConfig } from "vitest/config";
export default defineConfig({
  resolve: { alias: [{ find: /^millrace$/, replacement: "/work/main/packages/core/src/index.ts" }, { find: /^millrace\/engine$/, replacement: "/work/main/packages/core/src/engine.ts" }] },
  test: { root: "/work/main/packages/testing", include: [".scratch/*.test.ts"], testTimeout: 60000, fsModuleCache: false },
});
