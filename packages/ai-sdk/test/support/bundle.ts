import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A page of this folder as one file for a browser. */
export async function bundlePage(name: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    outfile,
  });
}
