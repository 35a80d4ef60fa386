/**
 * The workflow of a job: it takes one page of runs after the other.
 *
 * Which runs are on a page is recorded before the first of them is touched, and every run gets the key of the job. So a page that a dead
 * process has begun is done again without doing anything twice.
 *
 * @module
 */

import type { Context } from "../../authoring/context.types.js";
import type { Workflow } from "../../authoring/workflow.types.js";
import { defineWorkflow, event, type StandardSchema, StartEvent, StopEvent } from "../../host.js";
import { unlessAborted } from "../../system/unless-aborted.js";
import type { BulkCounts, BulkProblem, BulkResult } from "../api/bulk.types.js";
import type { RunStore } from "../store/run-store.types.js";
import { actOnRun, type BulkHost, type BulkItem, untilStoreAnswers } from "./act-on-run.js";
import { bulkName } from "./bulk-name.js";
import type { BulkRequest } from "./bulk-request.js";
import { keyOfJob } from "./cancelled-by.js";
import { countMatching, type MatchRequest, matchingPage } from "./matching-runs.js";

/** Runs on a page: as many may be done, and not counted yet, when a job is stopped. */
const pageLength = 50;
/** How many runs of a page are acted on at once. */
const atOnce = 10;
/** Above this number, it is not counted how many there are. */
export const mostCounted = 100_000;
const mostProblems = 1_000;

const patient = { retry: untilStoreAnswers };

/** Internal events: nobody else makes them. */
function anything<Value>(): StandardSchema<Value> {
  return { "~standard": { version: 1, vendor: "millrace", validate: (value) => ({ value: value as Value }) } };
}

class NextPage extends event("millrace.bulk.page", {
  cursor: anything<string | null>(),
  number: anything<number>(),
  /** Before this page, so that no more runs are acted on per second than allowed. */
  pauseMs: anything<number>(),
}) {}

/** How far a job is, after each page. */
class BulkProgress extends event("millrace.bulk.progress", {
  matched: anything<number | null>(),
  done: anything<number>(),
  skipped: anything<number>(),
  failed: anything<number>(),
}) {}

interface JobState extends BulkCounts {
  readonly request: BulkRequest;
  readonly beforeMs: number;
  readonly codes: { readonly [code: string]: number };
  readonly problems: readonly BulkProblem[];
}

export interface BulkSetup {
  readonly store: RunStore;
  readonly host: BulkHost;
}

/** @param setup `null`: it is only looked at. */
export function bulkWorkflow(given: BulkSetup | null): Workflow {
  const setup = given as BulkSetup;
  return defineWorkflow(bulkName)
    .step("begin", { on: StartEvent, emits: NextPage, streams: BulkProgress }, (ev, ctx) => begin(setup, ev, ctx))
    .step("act", { on: NextPage, emits: [NextPage, StopEvent], streams: BulkProgress }, (ev, ctx) =>
      act(setup, ev, ctx),
    )
    .build() as unknown as Workflow;
}

async function begin({ store, host }: BulkSetup, ev: StartEvent, ctx: Context): Promise<NextPage> {
  const request = ev.get("request") as BulkRequest;
  const beforeMs = await ctx.run("time", () => host.clock.now() + 1);
  const set: MatchRequest = { ...request, tenant: ctx.tenant, beforeMs };
  const { count, isAll } = await ctx.run("count", () => countMatching(store, set, mostCounted), patient);
  const counts: BulkCounts = { matched: isAll ? count : null, done: 0, skipped: 0, failed: 0 };
  await ctx.store.setState({ request, beforeMs, ...counts, codes: {}, problems: [] });
  ctx.writeEventToStream(new BulkProgress(counts));
  return new NextPage({ cursor: null, number: 1, pauseMs: 0 });
}

interface Page {
  readonly items: readonly BulkItem[];
  readonly cursor: string | null;
}

async function act(
  setup: BulkSetup,
  { cursor, number, pauseMs }: NextPage,
  ctx: Context,
): Promise<NextPage | StopEvent> {
  const { request, beforeMs } = (await ctx.store.get()) as unknown as JobState;
  const set: MatchRequest = { ...request, tenant: ctx.tenant, beforeMs };
  const { clock } = setup.host;
  const page = await ctx.run(
    "find",
    async ({ signal }) => {
      await pause(setup, pauseMs, signal);
      return found(setup, set, { request, cursor });
    },
    patient,
  );
  const tookMs = await ctx.run(
    "act",
    async (call) => {
      const startedAtMs = clock.now();
      const turn = { ...setup, request, tenant: ctx.tenant, key: keyOfJob(ctx.runId), isRepeated: call.attempt > 1 };
      const problems: BulkProblem[] = [];
      await forEachOf(page.items, call.signal, async (item) => {
        const problem = await actOnRun(turn, item);
        if (problem !== null) problems.push(problem);
      });
      return call.finish((state) => {
        add(state as unknown as Mutable, page.items.length, problems);
        return clock.now() - startedAtMs;
      });
    },
    patient,
  );
  const state = (await ctx.store.get()) as unknown as JobState;
  ctx.writeEventToStream(new BulkProgress(countsOf(state)));
  if (page.cursor === null) return new StopEvent({ result: resultOf(state) });
  const dueMs = (page.items.length * 1_000) / request.perSecond - tookMs;
  return new NextPage({ cursor: page.cursor, number: number + 1, pauseMs: Math.max(0, Math.ceil(dueMs)) });
}

async function found(
  { store, host }: BulkSetup,
  set: MatchRequest,
  { request, cursor }: { readonly request: BulkRequest; readonly cursor: string | null },
): Promise<Page> {
  const limit = Math.min(pageLength, request.perSecond);
  const page = await matchingPage(store, set, { cursor, limit });
  const { action, prompt } = request;
  const items = page.runs.map(async ({ runId, workflow }): Promise<BulkItem> => {
    const asks = action === "answer" && host.knows(workflow);
    return { runId, workflow, prompts: asks ? await promptsOf(host, { runId, tenant: set.tenant }, prompt) : [] };
  });
  const missing = page.missing.map((runId): BulkItem => ({ runId, workflow: null, prompts: [] }));
  return { items: [...(await Promise.all(items)), ...missing], cursor: page.cursor };
}

async function promptsOf(
  host: BulkHost,
  { runId, tenant }: { readonly runId: string; readonly tenant: string },
  type: string | null,
): Promise<readonly string[]> {
  // A run that cannot be read has none: the answer then says so.
  const open = await host
    .handle(runId, { tenant })
    .prompts()
    .catch(() => []);
  return open.filter(({ event: asked }) => type === null || asked.type === type).map(({ promptId }) => promptId);
}

/** Several at once. Begins no further one when the job is stopped. */
async function forEachOf<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) {
      signal.throwIfAborted();
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

async function pause({ host: { clock } }: BulkSetup, ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await unlessAborted<void>(signal, (done) => clock.setTimer(clock.now() + ms, done));
}

type Mutable = { -readonly [Field in keyof JobState]: JobState[Field] };

function add(state: Mutable, all: number, problems: readonly BulkProblem[]): void {
  const skipped = problems.filter(({ outcome }) => outcome === "skipped").length;
  state.done += all - problems.length;
  state.skipped += skipped;
  state.failed += problems.length - skipped;
  const codes: Record<string, number> = { ...state.codes };
  for (const { code } of problems) codes[code] = (codes[code] ?? 0) + 1;
  state.codes = codes;
  state.problems = [...state.problems, ...problems].slice(0, mostProblems);
}

function countsOf({ matched, done, skipped, failed }: JobState): BulkCounts {
  return { matched, done, skipped, failed };
}

function resultOf(state: JobState): BulkResult {
  const { request, codes, problems } = state;
  return { action: request.action, ...countsOf(state), codes, problems };
}
