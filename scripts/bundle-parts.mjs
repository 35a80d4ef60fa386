/**
 * What each part of `millrace` takes of its bundle, minified: `node scripts/bundle-parts.mjs`.
 */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const { metafile, outputFiles } = await build({
  entryPoints: ["packages/core/src/index.ts"],
  bundle: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  mainFields: ["module", "main"],
  metafile: true,
  write: false,
});

const [{ text }] = outputFiles;
const [{ inputs }] = Object.values(metafile.outputs);
const parts = new Map();
for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
  const part = partOf(path);
  parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
}
const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(7);
console.log(`whole ${kilobytes(text.length)} kB, ${kilobytes(gzipSync(text, { level: 9 }).length)} kB gzipped`);
for (const [part, bytes] of [...parts].toSorted(([, left], [, right]) => right - left))
  if (bytes > 0) console.log(`${kilobytes(bytes)} kB  ${part}`);

function partOf(path) {
  const dependency = path.match(/.*node_modules\/([^/]+)\//);
  if (dependency) return dependency[1];
  return `src/${path.replace("packages/core/src/", "").split("/")[0]}`;
}
