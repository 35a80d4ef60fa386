/** What a page gets that imports the client, and the workflows of its server for their types. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const MOST_BYTES = 17_740;
const folder = fileURLToPath(new URL(".", import.meta.url));

async function bundle(lines: readonly string[], platform: "browser" | "neutral" = "browser") {
  const { metafile, outputFiles } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: folder, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform,
    target: "es2022",
    external: ["react"],
    conditions: ["@millrace/source"],
    metafile: true,
    write: false,
    outdir: "/",
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return { text: outputFiles.map(({ text }) => text).join(""), files: Object.keys(metafile.inputs), imports };
}

const page = [
  'import { createClient } from "../src/index.js";',
  'import { useRun } from "../src/react.js";',
  'import type { workflows } from "./child/workflows.js";',
  'export const client = createClient<typeof workflows>({ baseUrl: "/api" });',
  'export const Joke = () => useRun(client, "joke", { input: { topic: "pirates" } }).status;',
];

it("all in all it is at most 17.7 kB, minified and gzipped, and imports nothing but React", async () => {
  const { text, imports } = await bundle(page);

  expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES);
  expect(imports).toEqual(["react"]);
});

it("needs nothing of Node, also where a bundler knows no platform", async () => {
  const { text, imports } = await bundle(page, "neutral");

  expect(imports).toEqual(["react"]);
  expect(text).not.toMatch(/node:|\brequire\(|\bprocess\.|\bBuffer\b/);
});

it("holds nothing of the workflows, of the engine or of the server: only their types are imported", async () => {
  const { files, text } = await bundle(page);

  const shared = /\/core\/src\/(value|wire|entries\/wire)/;
  const own = /^<stdin>|^src\/|packages\/client\/src\/|\/eventsource-parser\//;
  expect(files.filter((file) => !own.test(file) && !shared.test(file))).toEqual([]);
  expect(text).not.toContain("Hello ");
  expect(text).not.toContain("zod");
});

it("would hold them if one `type` were missing", async () => {
  const { files, text } = await bundle([...page, 'export { workflows } from "./child/workflows.js";']);

  expect(files.some((file) => file.includes("/zod/"))).toBe(true);
  expect(text).toContain("Hello ");
});
