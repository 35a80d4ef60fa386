/**
 * The workflow of a job: it takes one page of runs after the other.
 *
 * Which runs are on a page is recorded before the first of them is touched, and every run gets the key of the job. So a page that a dead
 * process has begun is done again without doing anything twice.
 *
 * Starts jobs that act on many runs, and makes their workflow.
 *
 * @module
 */
import type { Context } from "../../authoring/context.types.js";
import type { Workflow } from "../../authoring/workflow.types.js";
import { anyValue, defineWorkflow, event, StartEvent, StopEvent } from "../../host.js";
import { unlessAborted } from "../../system/deferred.js";
import { nextTurn } from "../../system/system.js";
import { positiveInteger, wrongOption } from "../../value/options.js";
import type {
  BulkCounts,
  BulkOptions,
  BulkProblem,
  BulkResult,
  BulkWhere,
  MatchOptions,
  RunMatches,
} from "../api/run-filter.types.js";
import type { RunHandle, RunListing, RuntimeRunOptions } from "../api/runtime.types.js";
import { storeQuery, toListing } from "../client/run-lists.js";
import { checkCallOptions, given } from "../options/call-options.js";
import type { RunStore, StoredStatus } from "../store/run-store.types.js";
import { isEndedStatus } from "../store/store-kit.js";
import {
  actOnRun,
  type BulkItem,
  type BulkRequest,
  type BulkSet,
  type BulkSetup,
  bulkName,
  bulkRequest,
  bulkSet,
  cancelJob,
  cancelledIn,
  fitting,
  keyOfJob,
  setOfJob,
  untilStoreAnswers,
} from "./act-on-run.js";

/** Runs on a page: as many may be done, and not counted yet, when a job is stopped. */
const pageLength = 50;
/** How many runs of a page are acted on at once. */
const atOnce = 10;
/** Above this number, it is not counted how many there are. */
const mostCounted = 100_000;
const mostProblems = 1_000;

const patient = { retry: untilStoreAnswers };

class NextPage extends event("millrace.bulk.page", {
  cursor: anyValue<string | null>(),
  number: anyValue<number>(),
  /** Pause before this page, so that no more runs are acted on per second than allowed. */
  pauseMs: anyValue<number>(),
}) {}

/** How far a job is, after each page. */
class BulkProgress extends event("millrace.bulk.progress", {
  matched: anyValue<number | null>(),
  done: anyValue<number>(),
  skipped: anyValue<number>(),
  failed: anyValue<number>(),
}) {}

interface JobState extends BulkCounts {
  readonly request: BulkRequest;
  readonly beforeMs: number;
  readonly codes: { readonly [code: string]: number };
  readonly problems: readonly BulkProblem[];
}

/** @param setup `null` for a workflow that is only described. */
export function bulkWorkflow(given: BulkSetup | null): Workflow {
  const setup = given as BulkSetup;
  return defineWorkflow(bulkName)
    .step("begin", { on: StartEvent, emits: NextPage, streams: BulkProgress }, (ev, ctx) => begin(setup, ev, ctx))
    .step("act", { on: NextPage, emits: [NextPage, StopEvent], streams: BulkProgress }, (ev, ctx) =>
      act(setup, ev, ctx),
    )
    .build() as unknown as Workflow;
}

async function begin({ store, clock }: BulkSetup, ev: StartEvent, ctx: Context): Promise<NextPage> {
  const request = ev.get("request") as BulkRequest;
  const beforeMs = await ctx.run("time", () => clock.now() + 1);
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
  const { clock } = setup;
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
      const endedBeforeMs = isOfEnded(request) ? beforeMs : undefined;
      const [key, isRepeated] = [keyOfJob(ctx.runId), call.attempt > 1];
      const turn = { setup, request, tenant: ctx.tenant, key, endedBeforeMs, isRepeated };
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
  setup: BulkSetup,
  set: MatchRequest,
  { request, cursor }: { readonly request: BulkRequest; readonly cursor: string | null },
): Promise<Page> {
  const limit = Math.min(pageLength, request.perSecond);
  const page = await matchingPage(setup.store, set, { cursor, limit });
  const { action, prompt } = request;
  const items = page.runs.map(async ({ runId, workflow }): Promise<BulkItem> => {
    const asks = action === "answer" && setup.workflows.find(workflow) !== undefined;
    return { runId, workflow, prompts: asks ? await promptsOf(setup, { runId, tenant: set.tenant }, prompt) : [] };
  });
  const missing = page.missing.map((runId): BulkItem => ({ runId, workflow: null, prompts: [] }));
  return { items: [...(await Promise.all(items)), ...missing], cursor: page.cursor };
}

async function promptsOf(
  { runtime }: BulkSetup,
  { runId, tenant }: { readonly runId: string; readonly tenant: string },
  type: string | null,
): Promise<readonly string[]> {
  // A run that cannot be read has no prompts here: the answer reports the error.
  const open = await runtime
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

async function pause({ clock }: BulkSetup, ms: number, signal: AbortSignal): Promise<void> {
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

/**
 * A workflow of the runtimes themselves, whose runs are beside those of the given workflows: `millrace.bulk`. To be looked at; it runs
 * in a runtime only. `null` for any other name.
 */
export function ownWorkflow(name: string): Workflow | null {
  return name === bulkName ? bulkWorkflow(null) : null;
}

// ---- the runs of a job, in pages

interface MatchRequest extends BulkSet {
  readonly tenant: string;
  /** Runs that were created, or have ended, at this time or later are not meant. */
  readonly beforeMs: number;
}

interface MatchingPage {
  readonly runs: readonly RunListing[];
  /** Ids that were asked for, without a run. */
  readonly missing: readonly string[];
  /** Cursor of the next page; `null` after the last one. */
  readonly cursor: string | null;
}

interface PlaceInMatches {
  readonly cursor: string | null;
  readonly limit: number;
}

/**
 * The oldest come first. A page may be short, or empty, before the last one.
 *
 * The cursor is a place in the order of creation, which never changes: a run that is acted on meanwhile moves no other run to a page
 * that was read before.
 */
async function matchingPage(store: RunStore, set: MatchRequest, at: PlaceInMatches): Promise<MatchingPage> {
  if (set.cancelledBy != null) return pageOfJob(store, set, at);
  if (set.runIds !== null) return pageOfIds(store, set, { ids: set.runIds, at });
  const { where, tenant, beforeMs } = set;
  const { workflows, workflow, status: _, createdBefore, ...filter } = where as BulkWhere;
  const wanted = wantedOf(set);
  const names = workflow === undefined ? workflows : [workflow].filter((name) => workflows?.includes(name) ?? true);
  if (wanted.length === 0 || names?.length === 0) return { runs: [], missing: [], cursor: null };
  const page = await store.list(
    storeQuery({
      ...filter,
      ...(names?.length === 1 && { workflow: names[0] as string }),
      ...(wanted.length < fitting.delete.length && { status: wanted }),
      createdBefore: Math.min(Number(createdBefore ?? beforeMs), beforeMs),
      tenant,
      order: "oldest",
      limit: at.limit,
      ...(at.cursor !== null && { cursor: at.cursor }),
    }),
  );
  const isMeant = (run: RunListing): boolean =>
    (names === undefined ? run.workflow !== bulkName : names.includes(run.workflow)) && !isLater(run, set);
  return { runs: page.runs.map(toListing).filter(isMeant), missing: [], cursor: page.cursor };
}

/** Statuses of the runs that are meant. */
function wantedOf({ where, action }: BulkSet): readonly StoredStatus[] {
  const status = where?.status;
  return fitting[action].filter((one) => status === undefined || [status].flat().includes(one));
}

/** Whether all runs that are meant have ended. Runs that are listed are meant whatever their status. */
function isOfEnded(set: BulkSet): boolean {
  return set.runIds === null && (set.where?.failure !== undefined || wantedOf(set).every(isEndedStatus));
}

async function pageOfJob(store: RunStore, set: MatchRequest, at: PlaceInMatches): Promise<MatchingPage> {
  const job = await cancelJob(store, { tenant: set.tenant, runId: set.cancelledBy as string });
  const page = await matchingPage(store, setOfJob(set, job), at);
  return { ...page, missing: [], runs: await cancelledIn(store, job, { runs: page.runs, where: set.where }) };
}

/** A run that has ended since had not matched by its status. */
function isLater({ endedAtMs }: RunListing, set: MatchRequest): boolean {
  return isOfEnded(set) && endedAtMs !== null && endedAtMs >= set.beforeMs;
}

async function pageOfIds(
  store: RunStore,
  { tenant }: MatchRequest,
  { ids, at: { cursor, limit } }: { readonly ids: readonly string[]; readonly at: PlaceInMatches },
): Promise<MatchingPage> {
  const from = Number(cursor ?? 0);
  const wanted = ids.slice(from, from + limit);
  const rows = await Promise.all(wanted.map((runId) => store.run({ tenant, runId })));
  const runs = rows.flatMap((row) => (row === null ? [] : [toListing(row)]));
  const missing = wanted.filter((_, index) => rows[index] === null);
  return { runs, missing, cursor: from + limit < ids.length ? String(from + limit) : null };
}

const countedAtOnce = 1_000;

/** Counts page by page, with a turn of the host in between. Named runs count, whether they are there or not. */
async function countMatching(store: RunStore, set: MatchRequest, most: number): Promise<RunMatches> {
  if (set.runIds !== null) return { count: Math.min(set.runIds.length, most), isAll: set.runIds.length <= most };
  let count = 0;
  for (let cursor: string | null = null; ; ) {
    const page = await matchingPage(store, set, { cursor, limit: countedAtOnce });
    count += page.runs.length;
    cursor = page.cursor;
    if (cursor === null || count > most) break;
    await new Promise<void>(nextTurn);
  }
  return count > most ? { count: most, isAll: false } : { count, isAll: true };
}

export function startBulk({ runtime, store }: BulkSetup, options: BulkOptions): RunHandle {
  checkCallOptions("bulk", options);
  if (store.runsElsewhere === true)
    throw wrongOption(
      "store",
      "has its runs in processes that have no jobs",
      "Retry, cancel or delete the runs one by one: `runtime.runs` lists them.",
    );
  const { runId, tenant, by } = options;
  const request = bulkRequest(options);
  const labels = { action: request.action }; // lists show what the job does
  return runtime.run(bulkName, { request }, given({ runId, tenant, by, labels }) as RuntimeRunOptions);
}

export async function countBulk({ store, clock }: BulkSetup, options: MatchOptions): Promise<RunMatches> {
  checkCallOptions("matching", options);
  const { tenant = "", most = mostCounted } = options;
  const set = { ...bulkSet(options), tenant, beforeMs: clock.now() + 1 };
  return countMatching(store, set, positiveInteger(most, "most"));
}
