import { defineConfig } from "tsup";

export default defineConfig({
  entry: { main: "src/main.ts", worker: "src/dev/worker.ts" },
  format: ["esm"],
  target: "node22",
  platform: "node",
  removeNodeProtocol: false, // there is no `sqlite` without it
  splitting: true, // a command loads what it needs, and no more
  sourcemap: true,
  clean: true,
});
