import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", react: "src/react.ts" },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "neutral",
  splitting: true, // both entries share one client
  // Rollup writes the files for `require`: else tsup lowers every `?.` and `??` to closures, and runs take twice the time.
  treeshake: true,
  dts: { tsconfig: "tsconfig.build.json" },
  sourcemap: true,
  clean: true,
});
