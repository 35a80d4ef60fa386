/**
 * What one run goes through: how many source files, functions and calls of functions, by V8's precise coverage.
 *
 *     pnpm --filter @millrace/pipeline bench:calls            a Parallel of two function steps on SQLite, beside the core
 *     pnpm --filter @millrace/pipeline bench:calls files      the calls of each source file as well
 */
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { SourceMap } from "node:module";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Parallel, Pipeline, Step } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { fanOut, runtimeOf } from "./core.ts";
import { withFile } from "./files.ts";

interface Count {
  readonly functions: Set<string>;
  calls: number;
}

/** Calls by source file. */
type Counts = Map<string, Count>;

/** Opens it on an empty file; gives what makes a run. */
type Subject = (path: string) => { run(): PromiseLike<unknown>; close(): Promise<void> };

/** By the address of a built file. */
const sources = new Map<string, ((offset: number) => string) | null>();

const session = new Session();
session.connect();
await session.post("Profiler.enable");

const pipeline: Subject = (path) => {
  const steps = ["a", "b"].map((name) => new Step({ name, executor: () => name }));
  const made = new Pipeline({ name: "bench", steps: [new Parallel("both", ...steps)], store: sqliteStore(path) });
  return { run: () => made.run("x"), close: () => made.close() };
};

const core: Subject = (path) => {
  const made = runtimeOf(fanOut(2, "nothing"), sqliteStore(path));
  return { run: () => made.run(), close: () => made.stop() };
};

for (const [name, subject] of Object.entries({ pipeline, core })) {
  const [first, next] = await withFile((path) => countRuns(subject(path)));
  console.log(`${name}: the first run ${shown(first)}; another one ${shown(next)}`);
  if (process.argv.includes("files")) for (const line of byFile(next)) console.log(line);
}
session.disconnect();

/** Of the first run of a process, which compiles its steps, and of one that finds all of that done. */
async function countRuns({ run, close }: ReturnType<Subject>): Promise<[Counts, Counts]> {
  try {
    const first = await counted(run);
    for (let round = 0; round < 3; round++) await run();
    return [first, await counted(run)];
  } finally {
    await close();
  }
}

async function counted(work: () => PromiseLike<unknown>): Promise<Counts> {
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const counts: Counts = new Map();
  for (const { url, functions } of result) {
    const source = sourceOf(url);
    if (source === null) continue;
    for (const { functionName, ranges } of functions) {
      const [range] = ranges;
      if (range === undefined || range.count === 0 || range.startOffset === 0) continue; // the module itself
      const file = source(range.startOffset);
      const count = counts.get(file) ?? { functions: new Set(), calls: 0 };
      count.functions.add(`${functionName} ${range.startOffset}`);
      count.calls += range.count;
      counts.set(file, count);
    }
  }
  return counts;
}

/** Which source file a place of a built file is from; `null` for files of others. */
function sourceOf(url: string): ((offset: number) => string) | null {
  const known = sources.get(url);
  if (known !== undefined) return known;
  const isOurs = url.startsWith("file:") && url.includes("/packages/") && url.includes("/dist/");
  const made = isOurs ? readSources(fileURLToPath(url)) : null;
  sources.set(url, made);
  return made;
}

function readSources(path: string): (offset: number) => string {
  const text = readFileSync(path, "utf8");
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const place = path.split(`${sep}packages${sep}`).at(-1)?.split(sep)[0];
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - (starts[line] as number));
    return `${place} ${"originalSource" in entry ? entry.originalSource.replace(/^.*src\//, "") : "?"}`;
  };
}

function shown(counts: Counts): string {
  const all = [...counts.values()];
  const functions = all.reduce((sum, count) => sum + count.functions.size, 0);
  const calls = all.reduce((sum, count) => sum + count.calls, 0);
  return `${counts.size} files, ${functions} functions, ${calls.toLocaleString("en")} calls`;
}

function byFile(counts: Counts): string[] {
  return [...counts]
    .sort(([, one], [, other]) => other.calls - one.calls)
    .map(
      ([file, { functions, calls }]) => `${String(calls).padStart(6)} ${String(functions.size).padStart(4)} ${file}`,
    );
}
