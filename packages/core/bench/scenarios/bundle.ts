/** What a program bundles of the package with its dependencies, as `size-limit` measures it, and what its import costs a process. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import type { Measure } from "../measure.ts";

const PROCESSES = 25;
const names = { millrace: "millrace", "workflow-core": "@llamaindex/workflow-core", xstate: "xstate" };
const helloWorld = "{ Workflow, event, step, StartEvent, StopEvent }";

/** In kB of 1,000 bytes. */
async function gzippedKb(name: string, imported: string): Promise<number> {
  const from = JSON.stringify(fileURLToPath(import.meta.resolve(name)));
  const code = await withFile(
    `import ${imported} from ${from};\nconsole.log(${imported.replace("* as ", "")});\n`,
    bundle,
  );
  return gzipSync(code, { level: 9 }).length / 1000;
}

async function bundle(program: string): Promise<string> {
  const build = await rolldown({ input: program });
  const { output } = await build.generate({ minify: true, comments: { annotation: false } });
  return output[0].code;
}

/** Processor time until a process has imported the package, over one that imports nothing: medians of processes that take turns. */
function importRatio(name: string): Promise<number> {
  return withFile(`import ${JSON.stringify(import.meta.resolve(name))};\n${saysItsTime}`, (program) =>
    withFile(saysItsTime, async (empty) => {
      const timesMs = Array.from({ length: PROCESSES }, () => [processorMs(program), processorMs(empty)] as const);
      const [importing, nothing] = [0, 1].map((column) => median(timesMs.map((pair) => pair[column] as number)));
      return (importing as number) / (nothing as number);
    }),
  );
}

const saysItsTime = "const { user, system } = process.cpuUsage();\nconsole.log((user + system) / 1000);\n";

function processorMs(program: string): number {
  const { status, stdout } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  if (status !== 0) throw new TypeError(`${program} ended with ${status}`);
  return Number(stdout);
}

function median(values: number[]): number {
  return values.sort((left, right) => left - right)[Math.floor(values.length / 2)] as number;
}

async function withFile<Result>(text: string, use: (file: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  const file = join(folder, "program.mjs");
  writeFileSync(file, text);
  try {
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function forAll(take: (name: string) => Promise<number>): Measure["subjects"] {
  return Object.fromEntries(Object.entries(names).map(([subject, name]) => [subject, () => take(name)]));
}

export const measures: readonly Measure[] = [
  {
    name: "bundle of a hello world, minified and gzipped",
    unit: "kB",
    budget: 48,
    subjects: { millrace: () => gzippedKb(names.millrace, helloWorld) },
  },
  {
    name: "bundle of everything, minified and gzipped",
    unit: "kB",
    budget: 66,
    subjects: forAll((name) => gzippedKb(name, "* as all")),
  },
  { name: "processor time of an import, over an empty process", unit: "×", subjects: forAll(importRatio) },
];
