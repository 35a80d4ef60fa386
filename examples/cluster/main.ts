// Three workers over one PostgreSQL. One is killed with kill -9, and the others go on with its runs.
//
//     pnpm --filter ./examples cluster                              on a server that is fetched once
//     DATABASE_URL=postgres://… pnpm --filter ./examples cluster    on a server of yours
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { postgresStore } from "@millrace/postgres";
import { createRuntime } from "millrace/runtime";
import { query, Server } from "../../packages/postgres/test/support/server.js";
import { Board, type ShownRun } from "./board.js";
import { PartDone, parts, SlowFlow } from "./workflow.js";

const runsOfEach = 4;
const given = process.env["DATABASE_URL"];
console.log(given === undefined ? "Starting a PostgreSQL of its own." : "Using the PostgreSQL of DATABASE_URL.");
const server = given === undefined ? await Server.start() : null;
const url = given ?? (server as Server).url;
const schema = `cluster_${Date.now().toString(36)}`;

const ids = Array.from({ length: 3 * runsOfEach }, (_, index) => `run-${index + 1}`);
const runs: ShownRun[] = ids.map((id) => ({ id, workers: [], isEnded: false }));
const workers = await Promise.all(["A", "B", "C"].map((name, at) => startWorker(name, at)));
const board = new Board(workers, runs);
const victim = workers[1] as (typeof workers)[number];
/** Those that the killed worker has left, as far as they were. */
const moved = new Map<string, number>();

// This process executes nothing: all that it shows comes from the database.
const store = postgresStore({ connectionString: url, schema });
const runtime = createRuntime({ workflows: { slow: new SlowFlow("none") }, store, execute: false });
for (const { name, pid } of workers) board.show(`worker ${name} is process ${pid}`);
await Promise.all(runs.map(follow));
const kept = await countParts();
await runtime.stop();
for (const { child } of workers) child.kill();
if (given !== undefined) await query(url, `DROP SCHEMA "${schema}" CASCADE`);
await server?.stop();

const isWhole = runs.every(({ workers: by, isEnded }) => isEnded && by.length === parts) && moved.size > 0;
console.log(`
${runs.filter(({ isEnded }) => isEnded).length} of ${runs.length} runs are done. Worker ${victim.name} was killed with ${moved.size} of them under way: ${takers()} went on with them.
${kept} parts are recorded, each once.`);
process.exitCode = isWhole && kept === runs.length * parts ? 0 : 1;

async function startWorker(name: string, at: number) {
  const own = ids.slice(at * runsOfEach, (at + 1) * runsOfEach);
  const child = fork(join(import.meta.dirname, "worker.ts"), [name, url, schema, ...own]);
  await Promise.race([once(child, "message"), failed(child, name)]);
  return { name, pid: child.pid as number, isKilled: false, child };
}

async function failed(child: ChildProcess, name: string): Promise<never> {
  const [code] = await once(child, "exit");
  throw new Error(`worker ${name} has ended with code ${code}`);
}

async function follow(run: ShownRun): Promise<void> {
  for await (const { event } of runtime.handle(run.id).streamEvents()) {
    if (!PartDone.is(event)) continue;
    const before = run.workers.at(-1);
    run.workers.push(event.worker);
    const isTaken = before !== undefined && before !== event.worker;
    board.show(isTaken ? `${run.id} goes on at ${event.worker}, with part ${event.number} of ${parts}` : null);
    if (!victim.isKilled && isVictimBusy()) kill();
  }
  run.isEnded = true;
  board.show(`${run.id} is done: ${run.workers.join(" ")}`);
}

/** All of its runs are under way. */
function isVictimBusy(): boolean {
  const own = runs.filter(({ workers: by }) => by[0] === victim.name);
  return own.length === runsOfEach && own.every(({ workers: by }) => by.length >= 2);
}

function kill(): void {
  victim.isKilled = true;
  victim.child.kill("SIGKILL");
  for (const { id, workers: by, isEnded } of runs) if (!isEnded && by.at(-1) === victim.name) moved.set(id, by.length);
  board.show(`kill -9 ${victim.pid}: worker ${victim.name} leaves ${[...moved.keys()].join(", ")}`);
}

function takers(): string {
  const names = runs.filter(({ id }) => moved.has(id)).map(({ workers: by }) => by.at(-1));
  return [...new Set(names)].sort().join(" and ");
}

/** In the history of all runs. */
async function countParts(): Promise<number> {
  let count = 0;
  for (const { id } of runs)
    for await (const { tick } of runtime.history(id)) if (tick.type === "effect.recorded") count++;
  return count;
}
