import { defineConfig } from "tsup";

const entry = { index: "src/index.ts", engine: "src/engine.ts", graph: "src/graph.ts", runtime: "src/runtime.ts" };

export default defineConfig({
  entry: {
    ...entry,
    // Nobody imports it: a file of its own for event classes, without the rest, which a bundler then leaves out as a whole.
    events: "src/event/built-in-events.ts",
  },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "neutral",
  // The three entries share modules that hold state (the registered steps): each may exist once only.
  splitting: true,
  // Rollup writes the files for `require`: else tsup lowers every `?.` and `??` to closures, and runs take twice the time.
  treeshake: true,
  dts: { entry, tsconfig: "tsconfig.build.json" },
  sourcemap: true,
  clean: true,
});
