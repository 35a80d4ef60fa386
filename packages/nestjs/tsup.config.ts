import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

export default defineConfig({
  entry: { index: "src/index.ts" },
  format: ["esm"],
  target: "es2022",
  platform: "node",
  dts: declarations(),
  clean: true,
});
