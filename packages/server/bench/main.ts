/**
 * `POST …/run` of a workflow of three steps, and 500 readers of one run, beside a bare Hono app that does the same work without
 * workflows.
 *
 *     pnpm --filter @millrace/server bench             all, about three minutes
 *     pnpm --filter @millrace/server bench --write     puts the tables into README.md
 *     pnpm --filter @millrace/server bench --readers   only the readers
 *     pnpm --filter @millrace/server bench --memory    only the memory over 50,000 runs
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import autocannon from "autocannon";
import { readAll } from "./read-all.ts";

const rounds = 3;
const seconds = 3;
const kinds = ["bare", "memory", "sqlite", "sqlite-power"] as const;
const names: Readonly<Record<string, string>> = {
  bare: "bare Hono",
  memory: "Millrace, in memory",
  sqlite: 'Millrace, SQLite, `durability: "process"`',
  "sqlite-power": 'Millrace, SQLite, `durability: "power"`',
};

class Subject {
  readonly #child;
  readonly #lines: AsyncIterator<string>;
  port = 0;

  constructor(kind: string, steady = "") {
    const program = join(import.meta.dirname, "subject.ts");
    const flags = ["--disable-warning=ExperimentalWarning", "--expose-gc"];
    this.#child = spawn(process.execPath, [...flags, program, kind, steady], { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ready(): Promise<void> {
    this.port = Number((await this.#lines.next()).value);
  }

  /** In megabytes, after a collection. */
  async memory(): Promise<{ readonly heap: string; readonly whole: string }> {
    this.#child.stdin.write("memory\n");
    const [heap = "", whole = ""] = String((await this.#lines.next()).value).split(" ");
    return { heap, whole };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

async function load(port: number, limit: { duration: number } | { amount: number }) {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/workflows/three/run`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ start_event: { text: "  how many words are there  " } }),
    connections: 50,
    ...limit,
  });
  if (result.non2xx + result.errors > 0)
    throw new TypeError(`${result.errors} requests failed, ${result.non2xx} were refused`);
  return { perSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99 };
}

type Found = Awaited<ReturnType<typeof load>>;

async function take(kind: string): Promise<Found> {
  await using subject = new Subject(kind);
  await subject.ready();
  await load(subject.port, { duration: 6 }); // warm: with less, the compiler of V8 is still at work
  return await load(subject.port, { duration: seconds }); // before the subject goes
}

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] as number;
const shown = (value: number): string => Math.round(value).toLocaleString("en");

async function throughput(): Promise<string> {
  const found = new Map<string, Found[]>(kinds.map((kind) => [kind, []]));
  // In turn, so that what else the machine does meets all of them.
  for (let round = 0; round < rounds; round++) for (const kind of kinds) found.get(kind)?.push(await take(kind));
  const bare = found.get("bare") as Found[];
  const rows = kinds.map((kind) => {
    const own = found.get(kind) as Found[];
    const ratio = median(own.map(({ perSecond }, round) => (bare[round] as Found).perSecond / perSecond));
    const [perSecond, p50, p99] = (["perSecond", "p50Ms", "p99Ms"] as const).map((key) =>
      median(own.map((one) => one[key])),
    );
    return `| ${names[kind]} | ${shown(perSecond as number)} | ${p50} | ${p99} | ${kind === "bare" ? "" : `1 / ${ratio.toFixed(1)}`} |`;
  });
  const head =
    "| `run` of 3 steps, 50 connections | requests/s | p50, ms | p99, ms | of bare Hono |\n|---|---:|---:|---:|---:|";
  return [head, ...rows].join("\n");
}

const readerKinds = ["bare", "memory", "sqlite"] as const;
const readers = 500;
const events = 1_000;

/** Seconds until every reader has all events: they are connected before the first one is shown. */
async function follow(kind: string): Promise<number> {
  await using subject = new Subject(kind);
  await subject.ready();
  return await readAll({ url: `http://127.0.0.1:${subject.port}`, readers, events }); // before the subject goes
}

async function following(): Promise<string> {
  const found = new Map<string, number[]>(readerKinds.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round++)
    for (const kind of readerKinds) found.get(kind)?.push(await follow(kind));
  const bare = found.get("bare") as number[];
  const rows = readerKinds.map((kind) => {
    const own = found.get(kind) as number[];
    const took = median(own);
    const ratio = median(own.map((value, round) => value / (bare[round] as number)));
    return `| ${names[kind]} | ${shown((readers * events) / took)} | ${took.toFixed(1)} | ${kind === "bare" ? "" : `1 / ${ratio.toFixed(1)}`} |`;
  });
  const head =
    "| 500 readers of one run of 1,000 events, SSE | events/s | until the last one has all, s | of bare Hono |\n|---|---:|---:|---:|";
  return [head, ...rows].join("\n");
}

async function memory(kind: "memory" | "sqlite"): Promise<string> {
  await using subject = new Subject(kind, "steady");
  await subject.ready();
  const found: { readonly heap: string; readonly whole: string }[] = [];
  for (let part = 0; part < 5; part++) {
    await load(subject.port, { amount: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    found.push(await subject.memory());
  }
  const row = (name: string, values: readonly string[]): string =>
    `| ${names[kind]}: ${name}, MB | ${values.join(" | ")} |`;
  return [
    row(
      "heap",
      found.map(({ heap }) => heap),
    ),
    row(
      "whole process",
      found.map(({ whole }) => whole),
    ),
  ].join("\n");
}

async function memories(): Promise<string> {
  const head =
    "| after this many runs, those that ended more than 100 ms ago deleted | 10,000 | 20,000 | 30,000 | 40,000 | 50,000 |\n|---|---:|---:|---:|---:|---:|";
  return [head, await memory("memory"), await memory("sqlite")].join("\n");
}

const sections = { "--run": throughput, "--readers": following, "--memory": memories };
const machine = `Measured on ${availableParallelism()} cores (${cpus()[0]?.model}), Node ${process.versions.node}, the load generator on the same cores.`;
const readme = join(import.meta.dirname, "README.md");
const asked = Object.entries(sections).filter(([flag]) => process.argv.includes(flag));
const parts: string[] = [];
for (const [, section] of asked.length > 0 ? asked : Object.entries(sections)) parts.push(await section());
const results = [...parts, machine].join("\n\n");
console.log(results);
rmSync(join(import.meta.dirname, ".data"), { recursive: true, force: true });
if (process.argv.includes("--write")) {
  const text = readFileSync(readme, "utf8");
  writeFileSync(readme, text.replace(/(<!-- results -->)[\s\S]*(<!-- end of results -->)/, `$1\n\n${results}\n\n$2`));
}
