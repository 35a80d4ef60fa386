/** What a user downloads and waits for: the whole library with its dependencies in one minified file. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Measure } from "../measure.ts";

const core = join(import.meta.dirname, "..", "..");
const PROCESSES = 25;

async function bundle(name: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "${name}";`, resolveDir: core },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  return (outputFiles[0] as { readonly contents: Uint8Array }).contents;
}

async function gzippedKb(name: string): Promise<number> {
  return gzipSync(await bundle(name), { level: 9 }).length / 1000;
}

/** The median over fresh processes. */
async function importMs(name: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  const file = join(folder, "bundle.mjs");
  writeFileSync(file, await bundle(name));
  const program = `const atMs = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(performance.now() - atMs);`;
  const timesMs = Array.from({ length: PROCESSES }, () =>
    Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })),
  ).sort((left, right) => left - right);
  rmSync(folder, { recursive: true });
  return timesMs[Math.floor(PROCESSES / 2)] as number;
}

const names = { millrace: "millrace", "workflow-core": "@llamaindex/workflow-core", xstate: "xstate" };

function forAll(take: (name: string) => Promise<number>): Measure["subjects"] {
  return Object.fromEntries(Object.entries(names).map(([subject, name]) => [subject, () => take(name)]));
}

export const measures: readonly Measure[] = [
  { name: "bundle, minified and gzipped", unit: "kB", budget: 30, subjects: forAll(gzippedKb) },
  { name: "import of that bundle, fresh process", unit: "ms", budget: 15, subjects: forAll(importMs) },
];
