/**
 * `POST …/run` of a workflow of three steps, beside a bare Hono app that does the same work without one.
 *
 *     pnpm --filter @millrace/server bench             all, about a minute
 *     pnpm --filter @millrace/server bench --write     puts the table into README.md
 *     pnpm --filter @millrace/server bench --memory    the heap over 50,000 runs instead
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import autocannon from "autocannon";

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

  async heap(): Promise<number> {
    this.#child.stdin.write("heap\n");
    return Number((await this.#lines.next()).value);
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
  await load(subject.port, { duration: 1 }); // warm
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

async function memory(): Promise<string> {
  await using subject = new Subject("memory", "steady");
  await subject.ready();
  const heaps: string[] = [];
  for (let part = 0; part < 5; part++) {
    await load(subject.port, { amount: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    heaps.push(`${((await subject.heap()) / 1e6).toFixed(1)} MB`);
  }
  return `Heap after 10,000, 20,000, … 50,000 runs in memory, those that ended more than 100 ms ago deleted: ${heaps.join(", ")}.`;
}

const machine = `Measured on ${availableParallelism()} cores (${cpus()[0]?.model}), Node ${process.versions.node}, the load generator on the same cores.`;
const readme = join(import.meta.dirname, "README.md");
const parts = process.argv.includes("--memory") ? [await memory()] : [await throughput(), await memory()];
const results = [...parts, machine].join("\n\n");
console.log(results);
rmSync(join(import.meta.dirname, ".data"), { recursive: true, force: true });
if (process.argv.includes("--write")) {
  const text = readFileSync(readme, "utf8");
  writeFileSync(readme, text.replace(/(<!-- results -->)[\s\S]*(<!-- end of results -->)/, `$1\n\n${results}\n\n$2`));
}
