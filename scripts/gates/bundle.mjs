/**
 * The built package as a browser bundler sees it: every entry bundles for a platform without Node,
 * asks for nothing that is not in it, and keeps working when it is minified.
 */
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../setup/console.mjs";
import { finish } from "./gate.mjs";

const core = join(root, "packages", "core");
const problems = [];

for (const entry of ["index.js", "engine.js", "graph.js", "index.cjs", "engine.cjs", "graph.cjs"]) {
  const result = await build({
    entryPoints: [join(core, "dist", entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    logLevel: "silent",
  }).catch((error) => error);
  for (const { text, location } of result.errors ?? [])
    problems.push(`dist/${entry}: ${text} (${location?.file ?? "?"})`);
  for (const output of Object.values(result.metafile?.outputs ?? {})) {
    for (const { path } of output.imports) problems.push(`dist/${entry}: asks for "${path}" at run time`);
  }
}
finish("every entry bundles for browsers and imports nothing from outside", problems);
