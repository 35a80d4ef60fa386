/**
 * Runs the order in one process after the other, kills each of them at some moment, lets a last one finish, and says what is
 * there in the end.
 *
 * @module
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteStore } from "@millrace/sqlite";
import { Context, WorkflowError } from "millrace";
import { createRuntime } from "millrace/runtime";
import type { PipelineRunOutput } from "../../src/index.js";
import { Child } from "./child.js";
import { type Effect, Effects } from "./effects.js";
import { temporaryDirectory } from "./files.js";
import { type OrderState, orders, runOptions } from "./orders.js";
import type { OrdersProcess } from "./orders-process.js";
import { Random } from "./random.js";

export interface KilledOrder {
  readonly output: PipelineRunOutput;
  /** Of the session. */
  readonly state: OrderState;
  /** Runs of the session. */
  readonly runs: number;
  readonly kills: number;
  readonly effects: readonly Effect[];
  /** What was done again although its result was stored. */
  readonly repeated: readonly Effect[];
  /** How many results were stored at each kill. */
  readonly progress: readonly number[];
}

export interface KillPlan {
  /** At most: a run that has ended is killed no more. */
  readonly kills: number;
  readonly seed: number;
  /** See `orders`. */
  readonly isNested: boolean;
}

export async function killedOrder({ kills, seed, isNested }: KillPlan): Promise<KilledOrder> {
  const directory = temporaryDirectory();
  const files = { path: join(directory, "runs.db"), effects: join(directory, "effects.jsonl"), isNested };
  const random = new Random(seed);
  const stored: ReadonlySet<string>[] = [];
  for (let life = 0; life < kills; life++) {
    const wasKilled = await killedProcess({ ...files, life, ...nextDeath(random) }, random);
    if (!wasKilled) break; // the run has ended before its time came
    stored.push(await storedKeys(files));
  }
  await lastProcess({ ...files, life: kills, death: null, isDoomed: false });
  const effects = new Effects(files.effects).all();
  return {
    ...(await ended(files)),
    kills: stored.length,
    effects,
    repeated: effects.filter(({ key, life }) => stored.slice(0, life).some((before) => before.has(key))),
    progress: stored.map(({ size }) => size),
  };
}

type OrdersFile = Pick<OrdersProcess, "path" | "isNested">;

/** By its own hand, or by a signal from outside, at some time. */
function nextDeath(random: Random): Pick<OrdersProcess, "death" | "isDoomed"> {
  const at = random.pick(["before commit", "after commit", "in effect", null] as const);
  if (at === null) return { death: null, isDoomed: true };
  // Few steps are between two deaths: a step is little more than one commit.
  return { death: { at, count: random.between(1, at === "in effect" ? 2 : 5) }, isDoomed: false };
}

async function killedProcess(options: OrdersProcess, random: Random): Promise<boolean> {
  const child = new Child("orders-process.ts", options);
  await child.ready;
  if (options.isDoomed) await sleep(random.between(0, 3)).then(() => child.kill());
  const { signal, complaints, lines } = await child.ended;
  if (signal === "SIGKILL") return true;
  if (lines.includes("done")) return false;
  throw new TypeError(`process ${options.life} ended: ${complaints}`);
}

async function lastProcess(options: OrdersProcess): Promise<void> {
  const { lines, complaints } = await new Child("orders-process.ts", options).ended;
  if (!lines.includes("done") || complaints !== "") throw new TypeError(`the last process ended: ${complaints}`);
}

/** The steps whose results are in the file: each tells so in the state, which is stored with its result. */
async function storedKeys({ path, isNested }: OrdersFile): Promise<ReadonlySet<string>> {
  const store = sqliteStore(path, { durability: "process" });
  const { id, workflow } = orders(store, { effect: () => {}, isNested });
  const runtime = createRuntime({ workflows: { [id]: workflow }, store });
  try {
    const snapshot = await runtime.handle(runOptions.runId).snapshot();
    const state = await Context.fromDict(workflow, snapshot).store.getState();
    return new Set(Object.keys((state as { readonly session?: OrderState }).session?.done ?? {}));
  } catch (error) {
    if (WorkflowError.is(error, "RUN_UNKNOWN")) return new Set();
    throw error;
  } finally {
    await runtime.stop();
  }
}

async function ended({ path, isNested }: OrdersFile): Promise<Pick<KilledOrder, "output" | "state" | "runs">> {
  const pipeline = orders(sqliteStore(path, { durability: "process" }), { effect: () => {}, isNested });
  try {
    const output = await pipeline.handle(runOptions.runId);
    const session = await pipeline.sessions.get(runOptions.sessionId);
    return {
      output: inOneOrder(withoutTimes(output)),
      state: session?.state as unknown as OrderState,
      runs: session?.runs.length ?? 0,
    };
  } finally {
    await pipeline.close();
  }
}

/** When something happened, how long it took, and which of two branches told of it first, is another number every time. */
function withoutTimes<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (key, part) =>
      /^(duration|createdAt|createdAtMs|endedAtMs|eventIndex)$/.test(key) ? 0 : part,
    ),
  );
}

/** Branches that run at once tell of themselves in any order, and are numbered in that. */
function inOneOrder({ events, ...output }: PipelineRunOutput): PipelineRunOutput {
  const unnumbered = events.map((event) => ({ ...event, eventIndex: 0 }));
  return {
    ...output,
    events: unnumbered.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)),
  };
}
