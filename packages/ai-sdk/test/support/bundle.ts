import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A page as one file for a browser. */
export async function bundlePage(entry: URL, outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    outfile,
  });
}
