import { setTimeout as sleep } from "node:timers/promises";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";
import { addRuns, type Filled, filled, owner } from "../filled.ts";
import { assertCount, type Found } from "../measure.ts";

class Begin extends StartEvent.define("Begin", { steps: z.number() }) {}
class Next extends event("Next", { left: z.number() }) {}
class Done extends StopEvent.define("Done", { left: z.number() }) {}
class Ask extends StartEvent.define("Ask", { text: z.string() }) {}
class Answer extends ExternalEvent.define("Answer", { text: z.string() }) {}

const after = (left: number): Next | Done => (left > 0 ? new Next({ left }) : new Done({ left }));
const chain = defineWorkflow("chain")
  .step("begin", { on: Begin, emits: [Next, Done] }, async ({ steps }) => after(steps - 1))
  .step("next", { on: Next, emits: [Next, Done] }, async ({ left }) => after(left - 1))
  .build();
const ask = defineWorkflow("ask")
  .step("ask", { on: Ask, emits: StopEvent, waits: Answer }, async (_, ctx) => {
    const { text } = await ctx.waitForEvent(Answer);
    return new StopEvent({ result: text });
  })
  .build();

/** Runs of a workflow, all at once: until they have ended, or wait. */
interface Runs {
  chains(count: number, steps: number): Promise<void>;
  waiting(count: number): Promise<void>;
}

/** Of each run or tick: what was added to the tables and to the log, and what the store was asked. */
interface Taken {
  readonly disk: number;
  readonly log: number;
  readonly commits: number;
  readonly calls: number;
}

const WAVES = 200;
const AT_ONCE = 50;
const ALONE = 500;
const STEPS = 200;
const HELD = 10_000;
const RENEWALS = 100;

/** Sizes and counts, which depend little on how busy the machine is: autovacuum may come at another time. */
export async function bytes(url: string): Promise<Found[]> {
  const ended = await taken(url, WAVES * AT_ONCE, (runs) => repeat(WAVES, () => runs.chains(AT_ONCE, 3)));
  const alone = await taken(url, ALONE, (runs) => repeat(ALONE, () => runs.chains(1, 3)));
  const waiting = await taken(url, WAVES * AT_ONCE, (runs) => repeat(WAVES, () => runs.waiting(AT_ONCE)));
  // Of each run: a tick for its start, and one for each step.
  const tick = await taken(url, AT_ONCE * (STEPS + 1), (runs) => runs.chains(AT_ONCE, STEPS));
  const row = (name: string, unit: string, reached: number): Found => ({
    name,
    unit,
    reached,
    base: null,
    ratio: null,
  });
  const rowsOf = (name: string, { disk, log, commits, calls }: Taken): Found[] => [
    row(`${name}: tables and indexes`, "bytes", disk),
    row(`${name}: log`, "bytes", log),
    row(`${name}: commits`, "", commits),
    row(`${name}: calls of \`commit\``, "", calls),
  ];
  return [
    ...rowsOf(`run of 3 steps that has ended, ${AT_ONCE} at once`, ended),
    ...rowsOf("run of 3 steps that has ended, one after the other", alone),
    ...rowsOf(`run that waits, ${AT_ONCE} at once`, waiting),
    ...rowsOf(`tick of runs of ${STEPS} steps, ${AT_ONCE} at once`, tick),
    row(`renewal of ${HELD.toLocaleString("en")} runs: log`, "bytes", await logOfRenewal(url)),
  ];
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}

/** Of each of `count`, by the second `work` of two: the first makes the tables, and the pages that the log has whole. */
async function taken(url: string, count: number, work: (runs: Runs) => Promise<void>): Promise<Taken> {
  const ours = await filled(url);
  const store = ours.open();
  const asked = { commits: 0, calls: 0 };
  const commit = store.commit.bind(store);
  store.commit = (commits) => {
    asked.calls++;
    asked.commits += commits.length;
    return commit(commits);
  };
  const runtime = createRuntime({ workflows: { chain, ask }, store, idleReleaseMs: 0 });
  const runs: Runs = {
    async chains(number, steps) {
      const results = await Promise.all(Array.from({ length: number }, () => runtime.run("chain", { steps })));
      assertCount("runs that have ended", results.filter(({ left }) => left === 0).length, number);
    },
    async waiting(number) {
      await Promise.all(Array.from({ length: number }, () => runtime.run("ask", { text: "ready?" }).idle()));
    },
  };
  const read = async () => ({ disk: await diskOf(ours), log: await logAt(ours), ...asked });
  await work(runs);
  await whenNobodyHolds(ours);
  const before = await read();
  await work(runs);
  await whenNobodyHolds(ours);
  const now = await read();
  await runtime.stop();
  await ours.close();
  const each = (name: keyof Taken): number => (now[name] - before[name]) / count;
  return { disk: each("disk"), log: each("log"), commits: each("commits"), calls: each("calls") };
}

async function logOfRenewal(url: string): Promise<number> {
  const ours = await filled(url);
  await addRuns(ours, HELD, { owner });
  const before = await logAt(ours);
  await repeat(RENEWALS, async () => {
    const nowMs = Date.now();
    assertCount("renewed", (await ours.store.renew({ owner, nowMs, untilMs: nowMs + 30_000 })).length, HELD);
  });
  const now = await logAt(ours);
  await ours.close();
  return (now - before) / RENEWALS;
}

/** Runs that have left memory, or have ended, have given their lease back with their last commit. */
async function whenNobodyHolds({ bare }: Filled): Promise<void> {
  for (;;) {
    const { rows } = await bare.query("SELECT count(*)::int AS held FROM runs WHERE owner IS NOT NULL");
    if (rows[0].held === 0) return;
    await sleep(20);
  }
}

async function diskOf({ bare, schema }: Filled): Promise<number> {
  const { rows } = await bare.query(
    `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
      WHERE relnamespace = $1::regnamespace AND relkind = 'r'`,
    [schema],
  );
  return Number(rows[0].bytes);
}

/** Of the whole server: nobody else writes meanwhile. */
async function logAt({ bare }: Filled): Promise<number> {
  const { rows } = await bare.query("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS bytes");
  return Number(rows[0].bytes);
}
