/**
 * The history of a run, the run at any tick, its stored texts and its children, and whether the present code can continue it.
 *
 * @module
 */
import type { ContextDict } from "../../authoring/store.types.js";
import { invalidOption, WorkflowError } from "../../errors/workflow-error.js";
import {
  type AppliedTick,
  decodeTick,
  inputEvents,
  type Member,
  pendingDeliveries,
  type RunStatus,
  type RunTree,
  type Tick,
  type WorkflowEvent,
  type WorkItem,
  workflowAt,
} from "../../host.js";
import { formatValue } from "../../value/kind.js";
import { integerIn } from "../../value/options.js";
import type {
  CheckProblem,
  CheckReport,
  ChildRun,
  HistoryEntry,
  ItemInput,
  MomentOptions,
  RawHistoryEntry,
  RawSnapshot,
  RunForked,
  RunMoment,
  StepMoment,
} from "../api/history.types.js";
import type { StoredRun } from "../store/run-store.types.js";
import { allPages } from "../store/store-kit.js";
import { readBatch } from "../text/journal-text.js";
import { isNotBegun, readStart, starterOf } from "../text/record-text.js";
import {
  batches,
  entries,
  type From,
  keptTicks,
  type LoadFrom,
  loadTree,
  type NumberedTick,
  readText,
  readTick,
  steps,
  where,
} from "../worker/load/load.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";

/** Ticks from the oldest one that is kept, or after a given one. */
export async function* historyOf(from: LoadFrom, after: number | undefined): AsyncGenerator<HistoryEntry, void> {
  assertAfter(after);
  const { runId } = from.run.key;
  if (after === undefined) yield* originOf(from);
  for await (const { number, entry, tick } of ticksOf(from, after ?? 0)) {
    yield { number, atMs: tick.atMs, runId: entry.child?.runId ?? runId, tick };
  }
}

/** @throws {WorkflowError} `OPTION_INVALID` */
export function assertAfter(after: number | undefined): void {
  const hint = "Pass the number of the last entry that you have read.";
  if (after !== undefined) integerIn(after, "after", { least: 0, hint });
}

/** Yields nothing for a run that is not a fork, or whose beginning is no longer kept. */
export async function* originOf(from: LoadFrom): AsyncGenerator<HistoryEntry & { readonly tick: RunForked }, void> {
  const { key, forkedFrom, createdAtMs: atMs } = from.run;
  if (forkedFrom === null || (await from.store.snapshot(key, 0)) === null) return;
  const { tree } = await loadTree(from, 0);
  const by = starterOf(from.run);
  const state = tree.root.state.store;
  const tick = { type: "run.forked", atMs, from: forkedFrom, state, ...(by !== undefined && { by }) } as const;
  yield { number: 0, atMs, runId: key.runId, tick };
}

/**
 * Reads from the oldest tick that is kept. Where the owner deletes ticks meanwhile, it begins again, unless it has given a part.
 *
 * @throws {WorkflowError} `HISTORY_TRIMMED` where it has.
 */
export async function* sinceKept<Part>(
  from: LoadFrom,
  read: (first: number) => AsyncIterable<Part>,
): AsyncGenerator<Part, void> {
  for (let isGiven = false; ; ) {
    const first = await firstKept(from);
    try {
      for await (const part of read(first)) {
        isGiven = true;
        yield part;
      }
      return;
    } catch (cause) {
      if (!WorkflowError.is(cause, "JOURNAL_CORRUPT")) throw cause;
      const now = await firstKept(from);
      if (now <= first) throw cause;
      if (isGiven) throw trimmed(from, now - 1, { why: "it was deleted while the run was read.", cause });
    }
  }
}

/** Number of the oldest stored tick. The run may have more ticks than its row says, and may have stored none of them. */
export async function firstKept(from: LoadFrom): Promise<number> {
  const { first, last } = await keptTicks(from);
  if (first <= last) return first;
  const snapshot = await from.store.snapshot(from.run.key);
  return Math.max(first, (snapshot?.tick ?? 0) + 1);
}

interface TickOf extends Pick<NumberedTick, "number" | "entry"> {
  readonly tick: Tick;
}

export function ticksOf(from: LoadFrom, after: number): AsyncGenerator<TickOf, void> {
  return sinceKept(from, async function* (first) {
    for await (const { number, entry } of entries(from, Math.max(after, first - 1)))
      yield { number, entry, tick: readTick(from, number, () => decodeEntry(from, entry)) };
  });
}

function decodeEntry({ workflow }: LoadFrom, { child, json }: NumberedTick["entry"]): Tick {
  if (child === null) return decodeTick(json, workflow.compiled);
  return decodeTick(json, workflowAt(workflow.compiled, child.path, `Run "${child.runId}"`));
}

/** @throws {WorkflowError} `OPTION_INVALID` for a tick that never existed, `HISTORY_TRIMMED` for one that is no longer kept. */
export async function treeAt(from: LoadFrom, tick: number): Promise<RunTree> {
  const { run } = from;
  assertTick(from, tick);
  // The ticks of a fork alone produce no state.
  if (run.forkedFrom !== null && (await from.store.snapshot(run.key, tick)) === null)
    throw trimmed(from, tick, { why: "no snapshot before it is kept." });
  const loaded = await loadTree(from, tick).catch((error: unknown) => {
    if (WorkflowError.is(error, "JOURNAL_CORRUPT")) throw trimmed(from, tick, { why: error.message, cause: error });
    throw error;
  });
  return loaded.tree;
}

/** @throws {WorkflowError} `OPTION_INVALID` for a tick that never existed. */
export function assertTick({ run }: LoadFrom, tick: number): void {
  const first = run.forkedFrom === null ? 1 : 0;
  if (!Number.isInteger(tick) || tick < first || tick > run.ticks) {
    throw invalidOption(
      `Run "${run.key.runId}" has no tick ${formatValue(tick)}: it has ${run.ticks}.`,
      "Use a tick number from `runtime.history(runId)`.",
      { runId: run.key.runId, tick, ticks: run.ticks },
    );
  }
}

function trimmed(
  { run }: LoadFrom,
  tick: number,
  { why, cause }: { readonly why: string; readonly cause?: WorkflowError },
): WorkflowError {
  return new WorkflowError({
    code: "HISTORY_TRIMMED",
    message: `Tick ${tick} of run "${run.key.runId}" cannot be rebuilt: ${why}`,
    hint: "Keep more with `history: { keep }`, or all of it.",
    details: { runId: run.key.runId, tick },
    ...(cause !== undefined && { cause }),
  });
}

export function contextOf(tree: RunTree): ContextDict {
  return { ...tree.toDict(), workflow: tree.root.compiled.name } as unknown as ContextDict;
}

/** Ids of children are the id of their parent, a slash and a number. */
export function isWithin(runId: string, parent: string): boolean {
  return runId === parent || runId.startsWith(`${parent}/`);
}

/** Number of runs that are listed at once. */
const PAGE = 200;

/** Loads every run that has not ended, without its lease and without running it. */
export async function checkRuns(parts: RuntimeParts, tenants: readonly string[]): Promise<CheckReport> {
  const problems: CheckProblem[] = [];
  let runs = 0;
  for (const tenant of tenants) {
    const query = { tenant, status: ["scheduled", "queued", "running", "waiting"], limit: PAGE } as const;
    for await (const page of allPages((from) => parts.store.list({ ...query, ...from })))
      for (const run of page.runs) {
        runs++;
        const problem = await tryLoad(parts, run);
        if (problem !== null) problems.push(problem);
      }
  }
  return { runs, problems };
}

async function tryLoad({ store, workflows }: RuntimeParts, run: StoredRun): Promise<CheckProblem | null> {
  const { key, workflow: name } = run;
  try {
    const workflow = workflows.get(name);
    if (isNotBegun(run)) readStart(run, workflow);
    else (await loadTree({ store, run, workflow })).tree.upgradeTicks(workflow.code);
    return null;
  } catch (error) {
    if (!WorkflowError.is(error)) throw error;
    return { runId: key.runId, tenant: key.tenant, workflow: name, code: error.code, message: error.message };
  }
}

// ---- a run in the past
// Its ticks are reduced again one by one by the same `reduce` that ran them. History with details, attempts, children and
// moments are views of it.

/** A tick with what it did: the run and the work item that it is about, the state before it, and its commands. */
export interface PastTick {
  readonly number: number;
  readonly applied: AppliedTick;
}

/** The run and its children as they were after the last tick that was read, and the number of that tick. */
export interface Timeline {
  readonly tree: RunTree;
  ticks: number;
}

/** The ticks that follow, without those of a child that its parent no longer waited for. They change nothing. */
export async function* ticksThrough(from: LoadFrom, timeline: Timeline, upTo?: number): AsyncGenerator<PastTick, void> {
  for await (const { number, applied } of steps(from, timeline, upTo)) {
    timeline.tree.forgetOutcomes();
    timeline.ticks = number;
    if (applied !== null) yield { number, applied };
  }
}

/** Reads a part of a run once. Where the owner deletes ticks meanwhile, it is read again. */
export async function readKept<Result>(from: LoadFrom, read: (firstKept: number) => Promise<Result>): Promise<Result> {
  const { value } = await sinceKept(from, async function* (first) {
    yield await read(first);
  }).next();
  return value as Result;
}

// ---- a run as it is stored, as plain JSON, for runs that cannot be loaded

/** Ticks after `after`, from the oldest one that is kept. */
export async function* rawHistoryOf(from: From, after: number = 0): AsyncGenerator<RawHistoryEntry, void> {
  const { runId } = from.run.key;
  for await (const batch of batches(from, after, Number.MAX_SAFE_INTEGER)) {
    const place = `${where(from)}, ticks ${batch.first} to ${batch.last},`;
    let number = batch.first;
    for (const entry of readBatch(await readText(from, batch.text, place), place)) {
      if (entry.kind === "code") continue;
      const at = number++;
      if (at <= after) continue;
      yield { number: at, atMs: entry.json.atMs, runId: entry.child?.runId ?? runId, tick: entry.json };
    }
  }
}

export async function rawSnapshotOf(from: From): Promise<RawSnapshot | null> {
  const stored = await from.store.snapshot(from.run.key);
  if (stored === null) return null;
  const json = (await readText(from, stored.text, where(from))) as { readonly run?: RawSnapshot["dict"] } | null;
  return { tick: stored.tick, atMs: stored.atMs, dict: json?.run ?? {} };
}

// ---- the children of a run, computed from its ticks

/** Children at any depth, in the order in which they were started, since the oldest tick that is kept. */
export function childrenOf(from: LoadFrom): Promise<ChildRun[]> {
  return readKept(from, async (first) => {
    const timeline = await loadTree(from, first - 1);
    const children = new Map<string, ChildRun>();
    for await (const { applied } of ticksThrough(from, timeline)) follow(children, timeline.tree, applied);
    return ended(timeline.tree.root, [...children.values()]);
  });
}

/** A child that was running when its parent ended has ended with it, without its own tick. Parents come first. */
function ended({ state: root }: Member, children: readonly ChildRun[]): ChildRun[] {
  const statuses = new Map<string, RunStatus>();
  return children.map((child) => {
    const isLeft = (statuses.get(child.parentId) ?? root.status) !== "running";
    const status = isLeft && child.status === "running" ? "cancelled" : child.status;
    statuses.set(child.runId, status);
    return { ...child, status };
  });
}

function follow(
  children: Map<string, ChildRun>,
  tree: RunTree,
  { tick, member, isRefused, commands }: AppliedTick,
): void {
  const { state } = member;
  const set = (runId: string, status: RunStatus): void => {
    const known = children.get(runId);
    if (known !== undefined) children.set(runId, { ...known, status });
  };
  if ((tick.type === "run.resumed" || tick.type === "run.retried") && !isRefused) set(state.runId, "running");
  for (const command of commands) {
    if (command.type === "run.finish") set(state.runId, command.outcome.status);
    else if (command.type === "child.cancel") set(command.runId, "cancelled");
    else if (command.type === "child.start") {
      const item = state.items.get(command.item);
      const record = item?.calls?.get(command.call);
      if (item === undefined || record?.kind !== "child" || children.has(record.runId)) continue;
      children.set(record.runId, {
        runId: record.runId,
        parentId: state.runId,
        workflow: tree.members.get(record.runId)?.compiled.name ?? record.name,
        step: item.step,
        item: item.id,
        status: "running",
        startedAtMs: state.atMs,
      });
    }
  }
}

/**
 * @param options `childId`: the run itself when omitted.
 * @throws {WorkflowError} `OPTION_INVALID` for a tick or child that never existed, `HISTORY_TRIMMED` for a tick that is no longer
 * kept.
 */
export function momentOf(
  from: LoadFrom,
  tick: number,
  { childId: runId = from.run.key.runId, item }: Pick<MomentOptions, "childId" | "item">,
): Promise<RunMoment> {
  assertTick(from, tick);
  return readKept(from, async (first) => {
    if (tick < first - 1) throw trimmed(from, tick, { why: "it is older than the oldest snapshot that is kept." });
    return momentFrom(from, await loadTree(from, first - 1), { tick, runId, item });
  });
}

/** @param timeline At the oldest tick that is kept. */
async function momentFrom(
  from: LoadFrom,
  timeline: Timeline,
  { tick, runId, item }: { readonly tick: number; readonly runId: string; readonly item: number | undefined },
): Promise<RunMoment> {
  const { tree } = timeline;
  const ended: Ended = new Map([[tree.root.state.runId, new Map()]]);
  // An ended child has left the tree: its last state is kept here.
  const find = (): Member | undefined => tree.members.get(runId);
  let shown = find();
  for await (const { applied } of ticksThrough(from, timeline, tick)) {
    count(ended, applied);
    shown = find() ?? shown;
  }
  if (shown === undefined) throw childUnknown(from, tick, runId);
  const { state } = shown;
  const isLeft = find() === undefined || tree.root.state.status !== "running";
  const isCutOff = state.status === "running" && isLeft;
  const isInside = (of: { readonly runId: string }): boolean => isWithin(of.runId, runId);
  return {
    number: tick,
    atMs: tree.root.state.atMs,
    status: isCutOff ? "cancelled" : state.status,
    isWaiting: state.status === "running" && state.active === 0 && !isCutOff,
    state: state.store,
    steps: stepsOf(tree, ended, shown).filter(isInside),
    prompts: tree.prompts().filter(isInside),
    next: shown === tree.root ? pendingDeliveries(state) : [],
    input: inputOf(item === undefined ? undefined : state.items.get(item)),
  };
}

function inputOf(item: WorkItem | undefined): ItemInput | null {
  if (item === undefined) return null;
  const { step, input } = item;
  return {
    step,
    events: inputEvents(item) as readonly WorkflowEvent[],
    slots: input.kind === "set" ? Object.keys(input.slots) : null,
  };
}

function childUnknown({ run }: LoadFrom, tick: number, childId: string): WorkflowError {
  return invalidOption(
    `Run "${run.key.runId}" had no child ${JSON.stringify(childId)} at tick ${tick}.`,
    "Use an id from `runtime.children(runId)`, and a tick after the child was started.",
    { runId: run.key.runId, childId, tick },
  );
}

/** Completed and caught items by run and step. */
type Ended = Map<string, Map<string, { done: number; caught: number }>>;

function count(ended: Ended, { tick, member: { state }, item, isOfAttempt }: AppliedTick): void {
  if (item === null || !isOfAttempt) return;
  const isDone = tick.type === "step.completed";
  const isCaught = tick.type === "step.failed" && tick.retryAtMs === null && !state.items.has(item.id);
  if (!isDone && !isCaught) return;
  const ofRun = ended.get(state.runId) ?? new Map<string, { done: number; caught: number }>();
  ended.set(state.runId, ofRun);
  const counts = ofRun.get(item.step) ?? { done: 0, caught: 0 };
  ofRun.set(item.step, counts);
  if (isDone) counts.done++;
  else counts.caught++;
}

const places: Readonly<Record<WorkItem["status"], "queued" | "running" | "waiting" | "retrying" | "failed">> = {
  ready: "queued",
  resuming: "queued",
  running: "running",
  suspended: "waiting",
  delayed: "retrying",
  failed: "failed",
};

/** @param shown A member that may have ended: all of its steps are listed. */
function stepsOf(tree: RunTree, ended: Ended, shown: Member): StepMoment[] {
  const runIds = new Set([...ended.keys(), ...tree.members.keys(), shown.state.runId]);
  return [...runIds].flatMap((runId) => {
    // Other runs that have ended have left the tree.
    const member = tree.members.get(runId) ?? (runId === shown.state.runId ? shown : undefined);
    const items = [...(member?.state.items.values() ?? [])];
    const ofRun = ended.get(runId);
    const names = new Set([
      ...(member?.routing.definition.steps.map(({ name }) => name) ?? []),
      ...(ofRun?.keys() ?? []),
      ...items.map(({ step }) => step),
    ]);
    const all = new Map(
      [...names].map((step) => {
        const { done, caught } = ofRun?.get(step) ?? { done: 0, caught: 0 };
        return [step, { runId, step, queued: 0, running: 0, waiting: 0, retrying: 0, done, failed: 0, caught }];
      }),
    );
    for (const { step, status } of items) {
      const counts = all.get(step);
      if (counts !== undefined) counts[places[status]]++;
    }
    return [...all.values()];
  });
}
