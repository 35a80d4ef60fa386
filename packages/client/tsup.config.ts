import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", react: "src/react.ts" },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "neutral",
  // Values that JSON cannot hold are a chunk of their own, loaded when the first one comes.
  splitting: true,
  // It is no CommonJS, which could not load it. Its licence: THIRD-PARTY.md.
  noExternal: ["superjson"],
  dts: { tsconfig: "tsconfig.build.json" },
  sourcemap: true,
  clean: true,
});
