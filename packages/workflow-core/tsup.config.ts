import { globSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

const entries = globSync("src/entries/*.ts").sort();

export default defineConfig({
  entry: {
    index: "src/index.ts",
    ...Object.fromEntries(entries.map((file) => [basename(file, ".ts"), file])),
  },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  // All entries share one module of events and one of contexts.
  splitting: true,
  dts: declarations(),
  clean: true,
});
