/** Two endpoint processes behind a balancer, killed at random while runs with children, shared stores and posts are under way. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sqliteStore } from "@millrace/sqlite";
import {
  createRuntime,
  memoryStore,
  type RunCommit,
  type RunStore,
  type Runtime,
  type StoredRun,
  type TickBatch,
} from "millrace/runtime";
import { expect, it } from "vitest";
import { killed } from "../../../test-kill.js";
import { freePort } from "../../../test-ports.js";
import { casesOf } from "../../../test-share.js";
import { sha256 } from "../src/hash.js";
import { connect } from "../src/index.js";
import { startBalancer } from "./support/balancer.js";
import { matrixFlows, Vote } from "./support/matrix-flows.js";
import { type Restate, startRestate } from "./support/restate.js";

const RUNS = casesOf(60);
const KILLS = casesOf(30);
const ITEMS = 4;
const VOTES = 6;
const SEED = 17;
const timeout = 600_000;

const child = (name: string): string => fileURLToPath(new URL(`child/${name}`, import.meta.url));

/** As good as random, and the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Files {
  readonly effects: string;
  readonly records: string;
}

function startEndpoint(port: number, { effects, records }: Files): Promise<ChildProcess> {
  const args = ["--import", child("source.mjs"), child("endpoint.ts")];
  const env = { ...process.env, PORT: String(port), EFFECTS: effects, RECORDS: records };
  const endpoint = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  return new Promise((resolve, reject) => {
    endpoint.once("message", () => resolve(endpoint));
    endpoint.once("exit", (code) => reject(new Error(`The endpoint has ended with ${code} before it listened.`)));
  });
}

it(`ends ${RUNS} runs right, with every post taken once, through ${KILLS} kills`, { timeout }, async () => {
  const random = randomFrom(SEED);
  const folder = mkdtempSync(join(tmpdir(), "millrace-matrix-"));
  const files = { effects: join(folder, "effects"), records: join(folder, "records.db") };
  await using restate = await startRestate();
  const balancerPort = await freePort();
  const ports = [await freePort(), await freePort()];
  const endpoints = await Promise.all(ports.map((port) => startEndpoint(port, files)));
  await using _endpoints = killedAtTheEnd(endpoints, folder);
  await using balancer = await startBalancer(
    balancerPort,
    ports.map((port) => `http://127.0.0.1:${port}`),
  );
  await restate.register(balancer.uri);
  await using runtime = connected(restate);

  const ending = Promise.all(Array.from({ length: RUNS }, (_, index) => runOne(runtime, `order-${index}`, random)));
  for (let kills = 0; kills < KILLS; kills++) {
    await pause(200 + random() * 500);
    const which = kills % 2;
    await killed(endpoints[which] as ChildProcess);
    endpoints[which] = await startEndpoint(ports[which] as number, files);
  }
  const results = await ending;

  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  for (const { sum, packed, votes } of results) {
    expect(sum).toBe(numbers(ITEMS).reduce((total, index) => total + index * index, 0));
    expect([...votes].sort()).toEqual(numbers(VOTES));
    expect([...new Set(packed)].sort()).toEqual(numbers(ITEMS));
    expect(packed).toHaveLength(ITEMS);
  }
  const failures = await restate.sql("SELECT id FROM sys_invocation WHERE last_failure LIKE '%mismatch%'");
  expect(failures).toEqual([]);
  const called = readFileSync(files.effects, "utf8").trim().split("\n");
  expect(new Set(called).size).toBe(RUNS * ITEMS);
  expect(await readOrders(files.records)).toEqual(Array.from({ length: RUNS }, (_, index) => `order-${index}`).sort());
  const compared = await compareLiveWithTicks(restate, runtime);
  expect(compared).toBeGreaterThan(RUNS * 10);
});

/** As the last steps of the runs have written them, all into one record. */
async function readOrders(path: string): Promise<string[]> {
  const records = sqliteStore(path);
  const runtime = createRuntime({ workflows: matrixFlows, store: records });
  const done = await runtime.records.read("orders", "done");
  await runtime.stop();
  return [...((done?.value ?? []) as string[])].sort();
}

type Matrix = Runtime<typeof matrixFlows>;

function connected({ ingress, admin }: Restate): Matrix & AsyncDisposable {
  const runtime = connect({ workflows: matrixFlows, ingress, admin, pollMs: 300 });
  return Object.assign(runtime, { [Symbol.asyncDispose]: () => runtime.stop({ drainMs: 0 }) });
}

function killedAtTheEnd(endpoints: readonly ChildProcess[], folder: string): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      for (const endpoint of endpoints) endpoint.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Result {
  readonly sum: number;
  readonly packed: readonly number[];
  readonly votes: readonly number[];
}

async function runOne(runtime: Matrix, runId: string, random: () => number): Promise<Result> {
  await pause(random() * 2_000);
  const run = runtime.run("order", { items: ITEMS, votes: VOTES }, { runId });
  await run.accepted;
  const posts = Array.from({ length: VOTES }, async (_, by) => {
    await pause(random() * 4_000);
    const receipt = await run.sendEvent(new Vote({ by }), { key: `vote ${by}` });
    expect(receipt).not.toMatchObject({ status: "refused" });
  });
  await Promise.all(posts);
  return (await run) as Result;
}

/** Reduces the ticks of every run from the first on, and compares that with the snapshots that were made of the live run. */
async function compareLiveWithTicks(restate: Restate, runtime: Matrix): Promise<number> {
  let compared = 0;
  for (let index = 0; index < RUNS; index++) {
    const runId = `order-${index}`;
    const rows = await restate.sql<{ key: string; value_utf8: string }>(
      `SELECT key, value_utf8 FROM state WHERE service_name = 'millrace.run' AND service_key = '/${runId}' ORDER BY key`,
    );
    const valuesOf = <Value>(kind: string): Value[] =>
      rows.filter(({ key }) => key.startsWith(kind)).map(({ value_utf8: json }) => JSON.parse(json) as Value);
    const stored = { batches: valuesOf<TickBatch>("t/"), snapshots: valuesOf<Snapshot>("s/") };
    const [row] = valuesOf<{ readonly run: StoredRun }>("row");
    const replayed = await replayedRun(runId, { ...stored, snapshots: [] }, row);
    const loaded = await replayedRun(runId, stored, row);
    for (const { tick } of stored.snapshots) {
      if (tick === 0) continue;
      expect(await replayed.stateAt(runId, tick), `${runId} after tick ${tick}`).toEqual(
        await loaded.stateAt(runId, tick),
      );
      compared++;
    }
    await replayed.stop();
    await loaded.stop();
    expect(await runtime.handle(runId).snapshot()).toMatchObject({ status: "completed" });
  }
  return compared;
}

type Snapshot = NonNullable<RunCommit["snapshot"]>;

interface StoredParts {
  readonly batches: readonly TickBatch[];
  readonly snapshots: readonly Snapshot[];
}

/** What is stored of a run, in another store: a state is loaded there from the snapshot of its tick, where there is one. */
async function replayedRun(
  runId: string,
  { batches, snapshots }: StoredParts,
  row: { readonly run: StoredRun } | undefined,
): Promise<Matrix> {
  const store = hashedAlike(memoryStore());
  const runtime = createRuntime({ workflows: matrixFlows, store });
  const [key, owner] = [{ tenant: "", runId }, "the test"];
  const create = { ...(row as { readonly run: StoredRun }).run, lease: { owner, untilMs: Number.MAX_SAFE_INTEGER } };
  await store.commit([{ key, owner, epoch: 0, create }]);
  for (const ticks of batches) await store.commit([{ key, owner, epoch: 1, ticks }]);
  for (const snapshot of snapshots) await store.commit([{ key, owner, epoch: 1, snapshot }]);
  return runtime;
}

/** The code of a run is known by its hash. */
function hashedAlike(store: RunStore): RunStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === "hash") return sha256;
      const member: unknown = target[name as keyof RunStore];
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
