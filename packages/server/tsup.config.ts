import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { defineConfig } from "tsup";
import { declarations } from "../../tsup.shared.js";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    agui: "src/agui.ts",
    door: "src/door.ts",
    mcp: "src/mcp.ts",
    "mcp-handler": "src/mcp-handler.ts",
    serverless: "src/serverless.ts",
    webhooks: "src/webhooks.ts",
  },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  dts: declarations(),
  clean: true,
  esbuildPlugins: [
    {
      // A file of its own, written once for both formats: it is loaded when somebody opens `/docs`.
      name: "swagger-ui",
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/docs\/swagger-ui\.js$/ }, () => ({ path: "./swagger-ui.js", external: true })),
    },
  ],
  onSuccess: async () => {
    const { resolve } = createRequire(import.meta.url);
    const fileOf = (name: string): string => resolve(`swagger-ui-dist/${name}`);
    const textOf = (name: string): string => JSON.stringify(readFileSync(fileOf(name), "utf8"));
    writeFileSync(
      "dist/swagger-ui.js",
      `// Swagger UI, Apache-2.0: see swagger-ui.LICENSE, swagger-ui.NOTICE and swagger-ui.third-parties.txt.\n` +
        `export const script = ${textOf("swagger-ui-bundle.js")};\nexport const style = ${textOf("swagger-ui.css")};\n`,
    );
    copyFileSync(fileOf("LICENSE"), "dist/swagger-ui.LICENSE");
    copyFileSync(fileOf("NOTICE"), "dist/swagger-ui.NOTICE");
    copyFileSync(fileOf("swagger-ui-bundle.js.LICENSE.txt"), "dist/swagger-ui.third-parties.txt");
  },
});
