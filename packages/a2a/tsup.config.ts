import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

export default defineConfig({
  entry: { index: "src/index.ts", client: "src/client.ts" },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  dts: declarations(),
  clean: true,
});
