import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

export default defineConfig({
  entry: { index: "src/index.ts", operate: "src/operate.ts", react: "src/react.ts", "run-file": "src/run-file.ts" },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  splitting: true, // both entries share one client
  // What the client needs of it is in its own files: at run time a page loads nothing of `millrace`.
  noExternal: ["millrace/wire"],
  esbuildOptions: (options) => {
    options.conditions = ["@millrace/source"];
  },
  dts: declarations(),
  clean: true,
});
