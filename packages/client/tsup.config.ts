import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", react: "src/react.ts" },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "neutral",
  // Values that JSON cannot hold are a chunk of their own, loaded when the first one comes.
  splitting: true,
  // They are no CommonJS, which could not load them. Their licences: THIRD-PARTY.md.
  noExternal: ["eventsource-parser", "superjson"],
  dts: { tsconfig: "tsconfig.build.json" },
  sourcemap: true,
  clean: true,
});
