/** What programs of the playground may import, as modules that share their parts: the packages as they are published. */
import { join } from "node:path";
import { build } from "esbuild";
import { modules } from "../src/playground/modules.ts";
import { pagesFolder } from "./files.ts";

export async function writeBundles(): Promise<void> {
  await build({
    entryPoints: Object.fromEntries(Object.entries(modules).map(([name, file]) => [file.replace(/\.js$/, ""), name])),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    outdir: join(pagesFolder, "public", "playground"),
  });
}
