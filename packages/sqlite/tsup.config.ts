import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

export default defineConfig({
  entry: { index: "src/index.ts", "durable-object": "src/durable-object.ts" },
  format: ["esm"],
  target: "es2022",
  platform: "node",
  dts: declarations(),
  clean: true,
});
