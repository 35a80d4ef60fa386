/** Checked requests of jobs. */

import { invalidOption, type WorkflowError } from "../../errors/workflow-error.js";
import type { DoneBy } from "../../host.js";
import { formatValue, hasFields, isDate } from "../../value/kind.js";
import type { BulkAction, BulkOptions, BulkSelection, BulkWhere } from "../api/run-filter.types.js";
import { storeQuery } from "../client/run-lists.js";
import { byOf, given, nameProblem } from "../options/call-options.js";
import type { StoredStatus } from "../store/run-store.types.js";
import { isEndedStatus, storedStatuses } from "../store/store-kit.js";

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
const fastest = 1_000;

/** @throws {WorkflowError} `OPTION_INVALID` with all problems. */
export function bulkRequest(options: BulkOptions): BulkRequest {
  const { perSecond = 100, reason = null, fields = {}, prompt = null } = options;
  const set = bulkSet(options, [
    ...(Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= fastest
      ? []
      : [`\`perSecond\` is ${formatValue(perSecond)}; it must be an integer from 1 to ${fastest}`]),
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
