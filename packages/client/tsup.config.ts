import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", react: "src/react.ts" },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  splitting: true, // both entries share one client
  dts: { tsconfig: "tsconfig.build.json" },
  clean: true,
});
