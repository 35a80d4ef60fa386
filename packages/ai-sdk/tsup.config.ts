import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", client: "src/client.ts" },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  dts: { tsconfig: "tsconfig.build.json" },
  clean: true,
});
