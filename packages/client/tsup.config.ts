import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

export default defineConfig({
  entry: { index: "src/index.ts", react: "src/react.ts" },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  splitting: true, // both entries share one client
  dts: declarations(),
  clean: true,
});
