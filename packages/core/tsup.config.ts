import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", engine: "src/engine.ts", graph: "src/graph.ts", runtime: "src/runtime.ts" },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "neutral",
  // The three entries share modules that hold state (the registered steps): each may exist once only.
  splitting: true,
  dts: { tsconfig: "tsconfig.build.json" },
  sourcemap: true,
  clean: true,
});
