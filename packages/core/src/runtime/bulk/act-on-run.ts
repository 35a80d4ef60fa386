/** Applies a job to one run: the checked request of the job, and what an answer of it has as JSON. */
import type { PendingPrompt, Receipt } from "../../authoring/handler.types.js";
import { invalidOption, WorkflowError } from "../../errors/workflow-error.js";
import {
  type Clock,
  type CompiledWorkflow,
  type DoneBy,
  eventJsonSchema,
  familyOf,
  type JsonSchema,
  mayHoldMoments,
  QuestionEvent,
  type RetryPolicy,
  withMoments,
} from "../../host.js";
import { formatValue, hasFields, isDate } from "../../value/kind.js";
import { wholeNumber } from "../../value/option-rules.js";
import { wrongOption } from "../../value/options.js";
import type { BulkAction, BulkOptions, BulkProblem, BulkSelection, BulkWhere } from "../api/run-filter.types.js";
import type {
  ResumeRunOptions,
  RunHandle,
  RunListing,
  RuntimeRunOptions,
  TenantOptions,
} from "../api/runtime.types.js";
import { storeQuery } from "../client/run-lists.js";
import { byOf, given, nameProblem } from "../options/call-options.js";
import type { RunKey, RunStore, StoredRun, StoredStatus } from "../store/run-store.types.js";
import { isEndedStatus, runUnknown, storedStatuses } from "../store/store-kit.js";
import { parseJson } from "../text/journal-text.js";
import { readReceipt, scopedKey } from "../worker/run/messages.js";

interface AnswerTo {
  readonly run: Pick<RunHandle, "prompts">;
  readonly promptId: string;
  /** The workflow of the run. */
  readonly compiled: CompiledWorkflow;
}

/** The fields with a `Date` in place of each text where the answer has one. The prompt is read only for fields that may have one. */
async function answerFields(fields: object, { run, promptId, compiled }: AnswerTo): Promise<object> {
  if (!mayHoldMoments(fields)) return fields;
  const prompt = (await run.prompts()).find((one) => one.promptId === promptId);
  const schema = prompt === undefined ? null : schemaOf(prompt, compiled);
  return schema === null ? fields : (withMoments(schema, fields) as object);
}

/** `null` where it is not known. */
function schemaOf({ event, answerType }: PendingPrompt, compiled: CompiledWorkflow): JsonSchema | null {
  if (answerType === null) return null;
  if (QuestionEvent.is(event)) return event.schema;
  const classes = [...familyOf(compiled)].flatMap(({ registry }) => registry.get(answerType) ?? []);
  return classes[0] === undefined ? null : eventJsonSchema(classes[0]);
}

const openStatuses = storedStatuses.filter((status) => !isEndedStatus(status));

/** Runs that each action fits. */
export const fitting: { readonly [Action in BulkAction]: readonly StoredStatus[] } = {
  retry: ["failed", "timedOut"],
  resume: ["cancelled"],
  cancel: openStatuses,
  answer: openStatuses,
  delete: storedStatuses,
};

/** The runs of a job, as JSON. */
export interface BulkSet {
  readonly action: BulkAction;
  /** Times in epoch milliseconds. `null` if the runs are listed. */
  readonly where: BulkWhere | null;
  readonly runIds: readonly string[] | null;
  /** Id of a job, whose cancelled runs are meant. */
  readonly cancelledBy?: string | null;
}

/** Input of a job, as JSON. */
export interface BulkRequest extends BulkSet {
  readonly perSecond: number;
  readonly reason: unknown;
  readonly fields: object;
  readonly prompt: string | null;
  readonly by: DoneBy | null;
}

const mostIds = 1_000;
const speed = wholeNumber(1, 1_000);

/** @throws {WorkflowError} `OPTION_INVALID` with all problems. */
export function bulkRequest(options: BulkOptions): BulkRequest {
  const { perSecond = 100, reason = null, fields = {}, prompt = null } = options;
  const set = bulkSet(options, [
    ...speed(perSecond, "perSecond"),
    ...onlyOf(options, "cancel", ["reason"]),
    ...onlyOf(options, "answer", ["fields", "prompt"]),
    ...(hasFields(fields) ? [] : [`\`fields\` is ${formatValue(fields)}, not an object`]),
    ...(prompt === null ? [] : nameProblem("`prompt`", prompt, true)),
  ]);
  return { ...set, perSecond, reason, fields, prompt, by: byOf(options).by ?? null };
}

/** @throws {WorkflowError} `OPTION_INVALID` with all problems. */
export function bulkSet(selection: BulkSelection, besides: readonly string[] = []): BulkSet {
  const { action, where, runIds, cancelledBy } = selection;
  const problems = [
    ...(Object.hasOwn(fitting, action) ? [] : [`\`action\` is ${formatValue(action)}, none of ${actions}`]),
    ...(cancelledBy === undefined ? chosenProblems(selection) : undoProblems(selection)),
    ...(runIds === undefined ? [] : idProblems(runIds)),
    ...besides,
  ];
  if (problems.length > 0)
    throw invalidOption(
      `The options of \`bulk\` are wrong: ${problems.join("; ")}.`,
      'Pass an action, and a condition such as `where: { status: "failed" }`, or ids.',
      { problems },
    );
  const set = { action, where: where === undefined ? null : plainWhere(where), runIds: runIds ?? null };
  return cancelledBy === undefined ? set : { ...set, cancelledBy };
}

function chosenProblems({ where, runIds }: BulkSelection): string[] {
  if ((where === undefined) === (runIds === undefined)) return ["exactly one of `where` and `runIds` is needed"];
  return where === undefined ? [] : whereProblems(where);
}

function undoProblems({ action, where = {}, runIds, cancelledBy }: BulkSelection): string[] {
  return [
    ...(action === "resume" ? [] : ["`cancelledBy` is only for `resume`"]),
    ...(runIds === undefined ? [] : ["`cancelledBy` excludes `runIds`"]),
    ...Object.keys(given(where)).flatMap((name) =>
      name === "workflows" ? [] : [`\`cancelledBy\` excludes \`where.${name}\``],
    ),
    ...nameProblem("`cancelledBy`", cancelledBy, true),
  ];
}

const actions = Object.keys(fitting).join(", ");

function onlyOf(options: BulkOptions, action: BulkAction, names: readonly (keyof BulkOptions)[]): string[] {
  if (options.action === action) return [];
  return names.filter((name) => options[name] !== undefined).map((name) => `\`${name}\` is only for \`${action}\``);
}

/** An empty condition would match every run; a caller who wants that passes a status or a time. */
function whereProblems(where: BulkWhere): string[] {
  if (!hasFields(where)) return [`\`where\` is ${formatValue(where)}, not an object`];
  const { workflows, ...filter } = given(where);
  const paged = ["tenant", "order", "limit", "cursor"].filter((name) => Object.hasOwn(filter, name));
  if (paged.length > 0) return paged.map((name) => `\`where\` has no condition \`${name}\``);
  if (workflows === undefined && !hasCondition(filter)) return ["`where` has no condition"];
  const problems = Array.isArray(workflows ?? []) ? [] : ["`where.workflows` is not a list of names"];
  try {
    storeQuery(filter);
  } catch (error) {
    problems.push((error as WorkflowError).message.replace(/\.$/, ""));
  }
  return problems;
}

function hasCondition({ labels = {}, search = "", ...filter }: Omit<BulkWhere, "workflows">): boolean {
  return Object.keys(labels).length > 0 || search.trim() !== "" || Object.keys(filter).length > 0;
}

function idProblems(runIds: readonly string[]): string[] {
  if (!Array.isArray(runIds)) return ["`runIds` is not a list"];
  if (runIds.length === 0 || runIds.length > mostIds)
    return [`\`runIds\` has ${runIds.length} ids; it must have 1 to ${mostIds}`];
  return runIds.flatMap((id) => nameProblem("an id in `runIds`", id, true)).slice(0, 1);
}

/** Returns the conditions with times as numbers, as JSON that is equal when the job is asked for again. */
function plainWhere(where: BulkWhere): BulkWhere {
  const plain = Object.entries(given(where)).map(([name, value]) => [name, isDate(value) ? value.getTime() : value]);
  return Object.fromEntries(plain) as BulkWhere;
}

/** Name of the workflow of the jobs that act on many runs. */
export const bulkName = "millrace.bulk";

export interface BulkSetup {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly workflows: { find(name: string): { readonly compiled: CompiledWorkflow } | undefined };
  readonly runtime: BulkRuntime;
  /** As `runtime.delete`. With `endedBeforeMs`, a run stays that has not ended before. */
  delete(
    key: RunKey,
    of: { readonly by: DoneBy | undefined; readonly endedBeforeMs: number | undefined },
  ): Promise<void>;
}

/** The part of a runtime that a job needs. */
interface BulkRuntime {
  run(workflow: string, input: unknown, options: RuntimeRunOptions): RunHandle;
  retry(runId: string, options: ResumeRunOptions): RunHandle;
  resume(runId: string, options: ResumeRunOptions): RunHandle;
  handle(runId: string, options: TenantOptions): RunHandle;
}

/** A run whose turn it is. */
export interface BulkItem {
  readonly runId: string;
  /** Workflow of the run; `null` if there is no such run. */
  readonly workflow: string | null;
  /** Open prompts when the run was found, for an answer. */
  readonly prompts: readonly string[];
}

export interface BulkTurn {
  readonly setup: BulkSetup;
  readonly request: BulkRequest;
  readonly tenant: string;
  /** Equal whenever this job comes to this run: what was done before does not happen again. */
  readonly key: string;
  /** For a deletion of runs that have ended: one that was retried since it was found stays. */
  readonly endedBeforeMs: number | undefined;
  /** `true` if a process may have done it, and died before that was stored. */
  readonly isRepeated: boolean;
}

/** Time in which a process that has the run answers, or its lease ends, in milliseconds. */
const waitMs = 60_000;

/** Applies the job to one run. Returns `null` if it is done. */
export async function actOnRun(turn: BulkTurn, item: BulkItem): Promise<BulkProblem | null> {
  try {
    const refusal = await within(turn.setup.clock, perform(turn, item));
    return refusal === null ? null : problemOf(item.runId, refusal);
  } catch (error) {
    if (isOfProcess(error)) throw error;
    return problemOf(item.runId, error);
  }
}

async function perform(turn: BulkTurn, { runId, workflow, prompts }: BulkItem): Promise<Refusal | null> {
  const { setup, request, tenant, key, endedBeforeMs, isRepeated } = turn;
  const { runtime, workflows } = setup;
  const { action, reason, fields } = request;
  if (workflow === null) throw runUnknown({ runId, tenant });
  if (action === "delete") {
    await setup.delete({ tenant, runId }, { by: request.by ?? undefined, endedBeforeMs }).catch((error: unknown) => {
      if (!isRepeated || !WorkflowError.is(error, "RUN_UNKNOWN")) throw error;
    });
    return null;
  }
  const by = request.by === null ? {} : { by: request.by };
  const compiled = workflows.find(workflow)?.compiled;
  if (compiled === undefined) throw unknownWorkflow(workflow);
  if (action === "retry" || action === "resume") {
    await runtime[action](runId, { tenant, key, ...by }).accepted;
    return null;
  }
  const run = runtime.handle(runId, { tenant });
  if (action === "cancel") return refusalOf(await run.cancel(reason ?? undefined, { key, ...by }));
  const [promptId] = prompts;
  if (promptId === undefined || prompts.length > 1) return notOnePrompt(prompts.length);
  const answer = await answerFields(fields, { run, promptId, compiled });
  return refusalOf(await run.answer(promptId, answer, { key: `${key} ${promptId}`, ...by }));
}

interface Refusal {
  readonly code: string;
  readonly message: string;
}

function refusalOf(receipt: Receipt): Refusal | null {
  return receipt.status === "accepted" ? null : { code: receipt.code, message: receipt.hint };
}

function notOnePrompt(count: number): Refusal {
  const message =
    count === 0
      ? "The run has no open prompt of that type."
      : `The run has ${count} open prompts: answer them one by one, or name a type with \`prompt\`.`;
  return { code: "PROMPT_CLOSED", message };
}

/** Codes of an action that no longer fits the run: another caller was first, or the run is at work. */
const passed = new Set(["RUN_FINISHED", "RUN_NOT_RETRYABLE", "RUN_UNKNOWN", "RUN_LIVE", "RUN_MOVED", "PROMPT_CLOSED"]);

function problemOf(runId: string, error: unknown): BulkProblem {
  const { code, message } = Object(error) as Partial<Refusal>;
  const known = typeof code === "string" ? code : "INTERNAL";
  const text = typeof message === "string" ? message : String(error);
  return { runId, outcome: passed.has(known) ? "skipped" : "failed", code: known, message: text.slice(0, 500) };
}

/** Errors that concern a process and its store, and not the run. */
const ofProcess = new Set([
  "RUNTIME_STOPPED",
  "STORE_UNREACHABLE",
  "STORE_BUSY",
  "STORE_CLOSED",
  "STORE_READ_ONLY",
  "STORE_FULL",
]);

function isOfProcess(error: unknown): boolean {
  return WorkflowError.is(error) && ofProcess.has(error.code);
}

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

/** A job waits for its store, however long that takes. */
export const untilStoreAnswers: RetryPolicy = {
  next: ({ error, failures }) =>
    isOfProcess(error) ? Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 10), longestRetryMs) : null,
};

async function within<Value>(clock: Clock, work: Promise<Value>): Promise<Value> {
  let callOff = (): void => {};
  const late = new Promise<never>((_, reject) => {
    callOff = clock.setTimer(clock.now() + waitMs, () => reject(unanswered()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    callOff();
  }
}

function unanswered(): WorkflowError {
  return new WorkflowError({
    code: "CALL_TIMEOUT",
    message: `The process that has the run has not answered for ${waitMs / 1_000} s.`,
    hint: "A cancellation or an answer is stored, and is still delivered. Ask again for the others.",
  });
}

function unknownWorkflow(workflow: string): WorkflowError {
  return new WorkflowError({
    code: "WORKFLOW_UNKNOWN",
    message: `The process of this job has no workflow "${workflow}".`,
    hint: "List the workflow in `createRuntime({ workflows })` of every process that executes.",
    details: { workflow },
  });
}

// ---- the runs that a job has cancelled: they have a receipt for its key, and were not resumed since

/** Clocks of processes differ, and a stopped job ends before the last of its runs. A run that ended later was cancelled by others. */
const lateMs = 60_000;

/** The key with which a job acts on each run. */
export function keyOfJob(jobId: string): string {
  return `bulk ${jobId}`;
}

export interface CancelJob {
  readonly row: StoredRun;
  readonly request: Pick<BulkRequest, "where" | "runIds">;
}

/** @throws {WorkflowError} `OPTION_INVALID` for what is no job that cancels. */
export async function cancelJob(store: Pick<RunStore, "run">, key: RunKey): Promise<CancelJob> {
  const row = await store.run(key);
  const request = row?.workflow === bulkName ? requestOf(row) : null;
  if (row === null || request?.action !== "cancel")
    throw wrongOption("cancelledBy", `is "${key.runId}", not a job of \`cancel\``, "Pass the id of such a job.");
  return { row, request };
}

function requestOf({ input, key }: StoredRun): BulkRequest {
  const start = parseJson(input, `run "${key.runId}"`) as {
    readonly event: { readonly data: { request: BulkRequest } };
  };
  return start.event.data.request;
}

/** The conditions of the job, but for what a cancellation changes. */
export function setOfJob<Set extends BulkSet>(set: Set, { request: { where, runIds } }: CancelJob): Set {
  if (where === null) return { ...set, cancelledBy: null, where: null, runIds };
  const { status: _status, version: _version, workflows: all, ...filter } = where;
  const { workflows } = set.where ?? {};
  const both = all === undefined ? workflows : all.filter((name) => workflows?.includes(name) ?? true);
  return {
    ...set,
    cancelledBy: null,
    runIds: null,
    where: { ...filter, ...(both !== undefined && { workflows: both }) },
  };
}

/** Returns those of the runs that the job has cancelled and that are of these workflows. */
export async function cancelledIn(
  store: Pick<RunStore, "receipt">,
  { row: job }: CancelJob,
  { runs, where }: { readonly runs: readonly RunListing[]; readonly where: BulkWhere | null },
): Promise<RunListing[]> {
  const untilMs = job.endedAtMs === null ? Number.POSITIVE_INFINITY : job.endedAtMs + lateMs;
  const { tenant } = job.key;
  const cancelKey = scopedKey("cancel", keyOfJob(job.key.runId)) as string;
  const own = await Promise.all(
    runs.map(async ({ runId, workflow, status, endedAtMs }) => {
      if (status !== "cancelled" || endedAtMs === null || endedAtMs > untilMs) return false;
      if (where?.workflows?.includes(workflow) === false) return false;
      const receipt = await store.receipt({ tenant, runId }, cancelKey);
      return receipt !== null && readReceipt(receipt).status === "accepted";
    }),
  );
  return runs.filter((_, index) => own[index]);
}
