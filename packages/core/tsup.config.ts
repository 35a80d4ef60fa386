import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

const entry = {
  index: "src/index.ts",
  engine: "src/entries/engine.ts",
  graph: "src/entries/graph.ts",
  runtime: "src/entries/runtime.ts",
  wire: "src/entries/wire.ts",
};

export default defineConfig({
  entry: {
    ...entry,
    // Nobody imports these: files of their own for event classes, and for names of calls, without the rest, which a bundler then
    // leaves out as a whole.
    events: "src/entries/events.ts",
    "call-places": "src/run/attempt/call-places.ts",
  },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  // The entries share modules that hold state (the registered steps): each may exist once only.
  splitting: true,
  dts: declarations({ entry }),
  clean: true,
});
