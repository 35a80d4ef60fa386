import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

/** What a server imports: where the files of the page are. The page itself is built by Vite, into `dist/app`. */
export default defineConfig({
  entry: { index: "src/index.ts" },
  format: ["esm"],
  target: "es2022",
  platform: "node",
  dts: declarations(),
  clean: true,
});
