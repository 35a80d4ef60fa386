/**
 * Imports an exported run: it is read as a load would read it, and then stored in one transaction, without an owner.
 *
 * @module
 */

import { invariant, WorkflowError } from "../../errors/workflow-error.js";
import { encodeOutcome, type RunTree } from "../../host.js";
import { oneOf } from "../../value/option-rules.js";
import { optionsOf, refuseOptions } from "../../value/options.js";
import type { ImportedRun, ImportOptions } from "../api/history.types.js";
import { historyOf } from "../history/history.js";
import { indexedLater } from "../options/input-index.js";
import { moveKey } from "../store/run-key.js";
import type {
  CommitResult,
  PostedMessage,
  ReceivedMessage,
  RecordWrite,
  RunCommit,
  RunKey,
  RunStore,
  RunSummary,
  StoredRun,
} from "../store/run-store.types.js";
import { runIdConflict } from "../store/store-kit.js";
import { isOutcome, readPrompts, readShown, shownText } from "../text/journal-text.js";
import { isNotBegun, nameOf, readStart, recordConflict, recordValue } from "../text/record-text.js";
import { type LoadedTree, type LoadFrom, loadTree, readsFrom, type StoredRunJson, steps } from "../worker/load/load.js";
import { isUrgent } from "../worker/run/messages.js";
import type { RegisteredWorkflow, RuntimeParts } from "../worker/workflows/registered-workflows.js";
import {
  type Exported,
  type ExportedParts,
  noted,
  readParts,
  refuseExport,
  type StagedRun,
  stageRun,
  wholeTime,
} from "./exported-parts.js";

const recordsRule = oneOf("refuse", "keep");

export interface ImportSetup extends RuntimeParts {
  /** Names of the queues of this runtime. */
  readonly queues: ReadonlyMap<string, unknown>;
}

/**
 * @throws {WorkflowError} `EXPORT_INVALID` with all problems, `WORKFLOW_UNKNOWN`, `RUN_TOO_LARGE`; `RUN_ID_CONFLICT` when there is
 * another run of that id; `RECORD_CONFLICT`.
 */
export async function importRun(
  setup: ImportSetup,
  parts: ExportedParts,
  { tenant = "", records = "refuse" }: ImportOptions,
): Promise<ImportedRun> {
  refuseOptions(optionsOf("`import`"), recordsRule(records, "records"));
  const given = await readParts(parts, tenant);
  const { runId, move } = given.head;
  const key = { tenant, runId };
  if (await isTaken(setup.store, key, move)) return { ...key, isNew: false };
  const commits = await commitsOf(setup, given);
  return { ...key, isNew: await store(setup, { key, move, commits, records }) };
}

/** Returns whether the run of this move is here, or was. */
async function isTaken(from: RunStore, key: RunKey, move: string): Promise<boolean> {
  return (await from.receipt(key, moveKey(move))) !== null;
}

async function commitsOf(setup: ImportSetup, parts: Exported): Promise<RunCommit[]> {
  const { store: to, clock, workflows, queues } = setup;
  const { head } = parts;
  const workflow = workflows.get(head.workflow);
  const own = { type: "code", name: "", text: workflow.code.text } as const;
  const given = head.code === "" ? { ...parts, code: [...parts.code, own] } : parts;
  const problems: string[] = [];
  if (head.queue !== null && !queues.has(head.queue.name))
    problems.push(`this runtime has no queue "${head.queue.name}"`);
  const staged = await noted(problems, () => stageRun(given, (text) => to.hash(text), problems));
  const loaded = staged === null ? null : await load(staged, workflow, problems);
  const last = staged && loaded && (await noted(problems, () => newest(staged, loaded, workflow)));
  await checkRest(given, workflow, problems);
  const ended = head.status === null ? loaded?.tree.root.state.outcome?.status : undefined;
  const run = staged && { ...staged.run, ...(ended !== undefined && { status: ended }) };
  const summary = run && (await noted(problems, () => summaryOf(run, { loaded, workflow, nowMs: clock.now() })));
  refuseExport(problems);
  return commitList({ given, staged: staged as StagedRun, loaded, last, workflow, summary: summary as RunSummary });
}

/** Loads the exported run; `null` if the run has not begun, or has a problem. */
async function load(staged: StagedRun, workflow: RegisteredWorkflow, problems: string[]): Promise<LoadedTree | null> {
  const { run, view, firstTick } = staged;
  const from = { store: view, run, workflow };
  if (isNotBegun(run)) {
    await noted(problems, async () => {
      readStart(run, workflow);
      await loadOwn(from, 0);
    });
    return null;
  }
  return noted(problems, async () => {
    readStart(run, workflow);
    // The ticks of a fork alone lead to no state.
    if (run.forkedFrom !== null && (await view.snapshot(run.key, firstTick - 1)) === null)
      throw invalid(`it is a fork, and has no snapshot before its tick ${firstTick}`);
    await readHistory(from, firstTick);
    for (const { row } of staged.snapshots) if (row.tick >= firstTick) await loadOwn(from, row.tick - 1);
    const loaded = await loadOwn(from);
    if (loaded.ticks !== run.ticks) problems.push(`it has ${run.ticks} ticks, and ${loaded.ticks} came`);
    const { streamed } = loaded.tree.root.state;
    if (run.lastEvent >= streamed) problems.push(`it has shown ${streamed} events, and event ${run.lastEvent} came`);
    loaded.tree.upgradeTicks(workflow.code);
    return loaded;
  });
}

/** Reads every tick as the readers of the run will: alone, and with the state that it leads to. */
async function readHistory(from: LoadFrom, firstTick: number): Promise<void> {
  for await (const { number, atMs } of historyOf(from, undefined))
    if (wholeTime(atMs) !== null) throw invalid(`its tick ${number} has the time ${atMs}, which is not a valid date`);
  const { tree } = await loadOwn(from, firstTick - 1);
  for await (const _ of steps(from, { tree, ticks: firstTick - 1 })) tree.forgetOutcomes();
}

async function loadOwn(from: LoadFrom, upTo?: number): Promise<LoadedTree> {
  const loaded = await loadTree(from, upTo);
  const { runId } = loaded.tree.root.state;
  if (runId !== from.run.key.runId) throw invalid(`its snapshot of tick ${loaded.snapshotAt} is of run "${runId}"`);
  return loaded;
}

async function checkRest(
  { head, event: events, record: records }: Exported,
  workflow: RegisteredWorkflow,
  problems: string[],
): Promise<void> {
  let last = -1;
  for (const { sequence, shown } of events) {
    if (sequence <= last) problems.push(`event ${sequence} comes after event ${last}`);
    last = sequence;
    await noted(problems, () => readShown(JSON.stringify(shown), workflow.compiled, `event ${sequence}`));
  }
  const waiting = head.waiting === null ? null : JSON.stringify(head.waiting);
  await noted(problems, () => readPrompts(waiting, workflow.compiled, "the prompts"));
  for (const { kind, id, value } of records)
    await noted(problems, () => recordValue({ kind, id }, { version: 1, text: JSON.stringify(value) }));
}

interface Standing {
  /** `null` if the run has not begun. */
  readonly loaded: LoadedTree | null;
  readonly workflow: RegisteredWorkflow;
  readonly nowMs: number;
}

/** The status that follows from its ticks. A run that was at work is due at once. */
function summaryOf(run: StoredRun, { loaded, workflow, nowMs }: Standing): RunSummary {
  const { status, updatedAtMs: atMs, waiting } = run;
  const summary = { atMs, outcome: null, waiting: null };
  const due = run.queue === null ? "running" : "queued";
  if (loaded === null) return { ...summary, status: status === "scheduled" ? status : due, wakeAtMs: run.startAtMs };
  const { outcome } = loaded.tree.root.state;
  if (status === "waiting" && outcome === null)
    return { ...summary, status, wakeAtMs: loaded.tree.wakeAt(), waiting: waitingText(loaded.tree, { run, workflow }) };
  if (status === "queued" || status === "running" || status === "waiting")
    return { ...summary, status: due, wakeAtMs: nowMs };
  if (outcome?.status !== status)
    throw invalid(`its status is ${status}, but its ticks end as ${outcome?.status ?? "not ended"}`);
  const text = JSON.stringify(encodeOutcome(outcome, workflow.compiled));
  return { status, atMs: loaded.tree.root.state.atMs, wakeAtMs: null, outcome: text, waiting };
}

function waitingText(
  tree: RunTree,
  { run, workflow }: { run: StoredRun; workflow: RegisteredWorkflow },
): string | null {
  const named = readPrompts(run.waiting, workflow.compiled, "the prompts").map(({ promptId }) => promptId);
  const open = tree.prompts().map(({ promptId }) => promptId);
  if (named.toSorted().join() === open.toSorted().join()) return run.waiting;
  throw invalid(`it lists ${named.length} prompts, but its ticks have ${open.length}, or other ones`);
}

function invalid(problem: string): WorkflowError {
  return new WorkflowError({ code: "EXPORT_INVALID", message: problem, hint: "", details: {} });
}

type StagedSnapshot = StagedRun["snapshots"][number];

interface Made extends Pick<Standing, "loaded" | "workflow"> {
  readonly given: Exported;
  readonly staged: StagedRun;
  /** `null` if the run has not begun. */
  readonly last: StagedSnapshot | null;
  readonly summary: RunSummary;
}

/** The commits of one transaction: the run is created under a lease, which the last commit releases. */
function commitList({ given, staged, loaded, last, workflow, summary }: Made): RunCommit[] {
  const { head } = given;
  const { run, firstTick } = staged;
  const { key, input, code, version, createdAtMs, startAtMs, labels, forkedFrom, queue } = run;
  const { log } = workflow.host.ports;
  const index = indexedLater(workflow.index, () => readStart(run, workflow).event, { runId: key.runId, log });
  const held = { key, owner: moveKey(head.move), epoch: 1 };
  const lease = { owner: held.owner, untilMs: createdAtMs };
  // A store numbers ticks from 1: those that were pruned before are, again, at the end.
  const pruned = firstTick - 1;
  const filler = pruned === 0 ? {} : { ticks: { first: 1, last: pruned, atMs: createdAtMs, text: "[]" } };
  const snapshots = last === null ? staged.snapshots : [...staged.snapshots, last];
  const messages = messagesOf(given.post, loaded);
  const records = given.record.map(
    ({ kind, id, value }): RecordWrite => ({ tenant: key.tenant, kind, id, expected: 0, text: JSON.stringify(value) }),
  );
  return [
    {
      ...held,
      create: {
        workflow: run.workflow,
        input,
        code,
        version,
        createdAtMs,
        startAtMs,
        labels,
        index,
        forkedFrom,
        queue,
        lease,
      },
      ...filler,
      received: [
        ...given.received.map((one) => ({ idempotencyKey: one.key, receipt: JSON.stringify(one.receipt) })),
        ...messages.received,
        { idempotencyKey: moveKey(head.move), receipt: '{"status":"accepted","sequence":0}' },
      ],
      posts: messages.posts,
      records,
      blobs: staged.codeBlobs([code]),
    },
    ...staged.ticks.map(({ row, blobs }) => ({ ...held, ticks: row, blobs })),
    ...new Map(snapshots.map(({ row, blobs }) => [row.tick, { ...held, snapshot: row, blobs }])).values(),
    ...[...staged.events, ...missingEvents(staged, loaded, workflow)].map(({ row, blobs }) => ({
      ...held,
      events: [row],
      blobs,
    })),
    {
      ...held,
      summary,
      ...(pruned > 0 && { prune: { ticks: pruned, snapshots: 0 } }),
      release: true,
    },
  ];
}

/**
 * A snapshot after the last tick: a load reads no tick from before the move, because those have positions of posts of the other
 * store. It is read before it is stored: ticks can lead to a state that no snapshot may hold.
 */
async function newest(
  staged: StagedRun,
  { tree, ticks }: LoadedTree,
  workflow: RegisteredWorkflow,
): Promise<StagedSnapshot> {
  const { code } = workflow;
  const { hash: codeHash } = tree.code;
  const snapshot: StoredRunJson = { code: codeHash, run: tree.toDict({ isStored: true }) };
  const { row, blobs } = staged.snapshotOf(
    { tick: ticks, atMs: tree.root.state.atMs, text: JSON.stringify(snapshot) },
    codeHash,
  );
  const texts = new Map(blobs.map(({ hash, text: json }) => [hash, json]));
  const blob = async (hash: string): Promise<string | null> => texts.get(hash) ?? staged.view.blob(hash);
  await loadTree({ store: readsFrom({ snapshots: [row], ticks: [] }, blob), run: staged.run, workflow });
  return { row, blobs: codeHash === code.hash ? [...blobs, code] : blobs };
}

/** Stream events of the last ticks that were not stored with them. */
function missingEvents(
  staged: StagedRun,
  loaded: LoadedTree | null,
  { compiled }: RegisteredWorkflow,
): StagedRun["events"] {
  const missing = (loaded?.tree.streamed ?? []).filter(({ sequence }) => sequence > staged.run.lastEvent);
  return missing
    .filter(({ event }) => !isOutcome(event))
    .map(({ sequence, atMs, ...item }) => staged.eventOf({ sequence, atMs, text: shownText(item, compiled) }));
}

/** Messages that the last ticks have taken, and the others. */
function messagesOf(
  posts: Exported["post"],
  loaded: LoadedTree | null,
): Required<Pick<RunCommit, "posts" | "received">> {
  const open: PostedMessage[] = [];
  const received: ReceivedMessage[] = [];
  for (const { position, key: idempotencyKey, atMs, message } of posts) {
    const receipt = loaded?.tree.receipts.get(position);
    const { kind } = message as { readonly kind: string };
    const urgent = isUrgent(kind);
    if (receipt?.status !== "accepted") open.push({ idempotencyKey, atMs, text: JSON.stringify(message), urgent });
    else if (idempotencyKey !== null) received.push({ idempotencyKey, receipt: JSON.stringify(receipt) });
  }
  return { posts: open, received };
}

interface Storing {
  readonly key: RunKey;
  readonly move: string;
  readonly commits: readonly RunCommit[];
  readonly records: "refuse" | "keep";
}

/** Stores the run. Returns `false` if another process has imported it meanwhile. */
async function store({ store: to }: ImportSetup, { key, move, commits, records }: Storing): Promise<boolean> {
  let [first, ...rest] = commits as [RunCommit, ...RunCommit[]];
  for (;;) {
    const results = await to.commit([first, ...rest]);
    const [result] = results as [CommitResult];
    if (result.status === "stored") {
      invariant(
        results.every(({ status }) => status === "stored"),
        "a part of a run is not stored with the rest",
      );
      return true;
    }
    if (result.status === "conflict") {
      const there = new Set(result.records.map(nameOf));
      const writes = first.records ?? [];
      const taken = writes.filter((one) => there.has(nameOf(one)));
      if (records === "refuse") await assertSame(to, taken);
      first = { ...first, records: writes.filter((one) => !taken.includes(one)) };
      continue;
    }
    if (await isTaken(to, key, move)) return false;
    throw runIdConflict(key, result.status === "exists" ? result.run.workflow : "", { asked: null });
  }
}

/** @throws {WorkflowError} `RECORD_CONFLICT` for records that are stored with another value. */
async function assertSame(from: RunStore, writes: readonly RecordWrite[]): Promise<void> {
  const others: RecordWrite[] = [];
  for (const write of writes) {
    const stored = await from.record(write);
    if (stored !== null && stored.text !== write.text) others.push(write);
  }
  if (others.length > 0)
    throw recordConflict(
      others,
      "another one is stored here than the one that comes with the run",
      'Import with `{ records: "keep" }` to keep the one that is here.',
    );
}
