/**
 * The options of every call of a runtime and of its handles: unknown options are refused.
 *
 * `call-options.test-d.ts` checks that the lists are complete. Also the queues of a runtime, and where a run waits in one.
 *
 * @module
 */
import { invalidOption } from "../../errors/workflow-error.js";
import type { DoneBy } from "../../host.js";
import { toMs } from "../../value/duration.js";
import { hasFields, isForbiddenKey } from "../../value/kind.js";
import {
  didYouMean,
  flag,
  nested,
  type Rule,
  type Rules,
  required,
  valueRule,
  wholeNumber,
} from "../../value/option-rules.js";
import { optionsOf, refuseOptions, refuseUnknown } from "../../value/options.js";
import { shown } from "../../value/shape.js";
import type { QueueLimitChange, QueueLimitsShown } from "../api/operate.types.js";
import type { RuntimeRunOptions, TenantOptions } from "../api/runtime.types.js";
import type { QueueOptions } from "../api/runtime-options.types.js";
import type { QueueLimits, QueueTicket, RunKey } from "../store/run-store.types.js";

export const callOptions = {
  memoryStore: "maxEnded",
  run: "tenant runId startAt labels trace timeout deadline dedupe queue queueKey priority by",
  "run.dedupe": "key for failed",
  handle: "tenant",
  resume: "tenant key by",
  retry: "tenant key by",
  runs: "tenant workflow version status labels input queue failure failedStep createdAfter createdBefore search order limit cursor",
  counts: "tenant workflow labels",
  bulk: "tenant action where runIds cancelledBy runId perSecond reason fields prompt by",
  matching: "tenant action where runIds cancelledBy most",
  "statistics.histogram":
    "tenant workflow version status labels input queue failure failedStep createdAfter createdBefore periods",
  "statistics.figures": "tenant workflow workflows after before by",
  "statistics.failures": "tenant workflow workflows version after before limit",
  "statistics.delete": "tenant olderThan",
  delete: "tenant by",
  retain: "tenant olderThan status limit",
  check: "tenant",
  history: "tenant raw after",
  "history with details": "tenant details after before follow signal",
  attempts: "tenant after limit",
  at: "tenant childId item",
  children: "tenant",
  ticks: "tenant",
  stateAt: "tenant",
  fork: "tenant at edit event item override runId by",
  export: "tenant records",
  import: "tenant records",
  release: "tenant",
  stop: "drainMs",
  "audit.list": "tenant user door action runId workflows limit cursor",
  "audit.delete": "tenant olderThan",
  "budgets.run": "tenant",
  "budgets.tenant": "tenant day",
  "budgets.tenants": "day",
  "budgets.allow": "tenant key",
  "queues.pause": "by",
  "queues.resume": "by",
  "queues.limit": "by",
  "queues.reset": "by",
  "queues.position": "tenant",
  "records.list": "tenant kind prefix limit cursor",
  "records.read": "tenant",
  "records.update": "tenant kind id",
  "schedules.set": "tenant cron timezone workflow input overlap catchUp labels timeout queue queueKey priority by",
  "schedules.get": "tenant",
  "schedules.list": "tenant prefix limit cursor",
  "schedules.pause": "tenant by",
  "schedules.resume": "tenant by",
  "schedules.edit": "tenant by",
  "schedules.edit change": "cron timezone input",
  "schedules.reset": "tenant by",
  "schedules.start": "tenant by key",
  "schedules.delete": "tenant by",
  "schedules.next": "tenant",
  sendEvent: "key step by",
  answer: "key by",
  cancel: "key by",
  idle: "signal",
  snapshot: "raw",
} as const;

/** Returns only the options that were given: an undefined one counts as left out, and no store gets it. */
export function given<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every unknown option. */
export function checkCallOptions(call: keyof typeof callOptions, options: unknown): void {
  refuseUnknown(`\`${call}\``, options, callOptions[call].split(" "));
}

/** The key of the run that a call names. @throws {WorkflowError} `OPTION_INVALID` naming every unknown option. */
export function keyFor(call: keyof typeof callOptions, runId: string, options: TenantOptions): RunKey {
  checkCallOptions(call, options);
  return { tenant: options.tenant ?? "", runId };
}

// ---- checks that ids, tenants, labels and keys can be stored by every store

/** Bytes of UTF-8 that a name may have: an index entry of a store holds several names. */
const LONGEST = 255;

/** Kinds of records that the runtime keeps for itself. */
export const ownKinds = "millrace:";

/** Names that a caller has given, by the names of their options. */
export type Named = {
  readonly [Option in "runId" | "tenant" | "key" | "kind" | "id" | "version" | "schedule" | "queue"]?:
    | string
    | undefined;
} & { readonly labels?: { readonly [name: string]: string } | undefined };

/** @throws {WorkflowError} `OPTION_INVALID` naming everything that cannot be stored. */
export function checkNames({ labels = {}, ...names }: Named): void {
  const problems: string[] = [];
  for (const [option, text] of Object.entries(names))
    if (text !== undefined)
      problems.push(...nameProblem(`\`${option}\``, text, option !== "tenant"), ...ownProblem(option, text));
  if (!hasFields(labels)) problems.push("`labels` is not an object of texts");
  else
    for (const [name, value] of Object.entries(labels)) {
      problems.push(...nameProblem(`the name of the label ${JSON.stringify(name)}`, name, true));
      problems.push(...nameProblem(`the label "${name}"`, value, false));
      if (isForbiddenKey(name)) problems.push(`no label may have the name "${name}"`);
    }
  refuseProblems(problems);
}

/** The option `by`, if it was given. @throws {WorkflowError} `OPTION_INVALID` naming everything that cannot be stored. */
export function byOf({ by }: { readonly by?: DoneBy }): { readonly by?: DoneBy } {
  if (by === undefined) return {};
  checkDoneBy(by);
  return { by };
}

function checkDoneBy(by: DoneBy): void {
  if (!hasFields(by)) return refuseProblems(["`by` is not an object"]);
  const { door, user, ...others } = by;
  refuseProblems([
    ...nameProblem("`by.door`", door, true),
    ...(user === undefined ? [] : nameProblem("`by.user`", user, true)),
    ...Object.keys(others).map((name) => `\`by\` has no field "${name}"`),
  ]);
}

function refuseProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw invalidOption(
    `Invalid names: ${problems.join("; ")}.`,
    `Use text of at most ${LONGEST} bytes of UTF-8, without U+0000 and without half of a surrogate pair.`,
    { problems },
  );
}

/** The first problem, or none. */
export function nameProblem(what: string, text: unknown, isRequired: boolean): string[] {
  if (typeof text !== "string") return [`${what} is not a string`];
  const sizeBytes = sizeOf(text);
  if (sizeBytes > LONGEST) return [`${what} has ${sizeBytes} bytes; the limit is ${LONGEST}`];
  if (isRequired && text === "") return [`${what} is empty`];
  const isStorable = !text.includes("\0") && !/[\uD800-\uDFFF]/u.test(text);
  return isStorable ? [] : [`${what} contains characters that cannot be stored`];
}

function ownProblem(option: string, text: unknown): string[] {
  return option === "kind" && typeof text === "string" && text.startsWith(ownKinds)
    ? [`\`kind\` must not begin with "${ownKinds}", which is reserved for the runtime`]
    : [];
}

/** Bytes of a text as UTF-8; for half of a surrogate pair, any number. */
function sizeOf(text: string): number {
  let sizeBytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff)) sizeBytes += 2;
    else if (unit > 0x7f) sizeBytes++;
  }
  return sizeBytes;
}

export interface ResolvedQueue extends QueueLimits {
  readonly hasPriorities: boolean;
}

const lowest = -(2 ** 31);
const highest = 2 ** 31 - 1;

type Rate = NonNullable<QueueOptions["rate"]>;

const size = wholeNumber(1);
const window = valueRule((per) => perMsOf(per as Rate["per"]) !== null, "a duration of at least 1 ms");

const rules: Rules<QueueOptions> = {
  concurrency: size,
  perKey: nested<NonNullable<QueueOptions["perKey"]>>({ concurrency: required(size) }),
  rate: nested<Rate>({ limit: required(size), per: required(window) }),
  priority: flag,
};
const queue = required(nested(rules));

const { priority: _, ...limitRules } = rules;
const orNull =
  (rule: Rule): Rule =>
  (value, option) =>
    value === null ? [] : rule(value, option);
/** Rules like {@link rules}; `null` removes a limit. */
export const changeRules = Object.fromEntries(
  Object.entries(limitRules).map(([name, rule]) => [name, orNull(rule)]),
) as unknown as Rules<QueueLimitChange>;

export const noLimits: QueueLimitsShown = { concurrency: null, perKey: null, rate: null };

/** The limits that a change without problems names. */
export function limitsOfChange({ concurrency, perKey, rate }: QueueLimitChange): Partial<QueueLimitsShown> {
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(perKey !== undefined && { perKey: perKey?.concurrency ?? null }),
    ...(rate !== undefined && { rate: rate && { limit: rate.limit, perMs: perMsOf(rate.per) as number } }),
  };
}

/** One text for each problem. */
export function queueProblems(queues: Readonly<Record<string, QueueOptions>>): string[] {
  if (!hasFields(queues)) return ["`queues` is not an object"];
  return Object.entries(queues).flatMap(([name, part]) => [
    ...nameProblem(`the name of the queue ${JSON.stringify(name)}`, name, true),
    ...queue(part, `queues.${name}`),
  ]);
}

/** Whole milliseconds; `null` for what is not a duration, or not one for a window. */
function perMsOf(per: Rate["per"]): number | null {
  try {
    const ms = Math.ceil(toMs(per, "per"));
    return ms >= 1 && Number.isSafeInteger(ms) ? ms : null;
  } catch {
    return null; // listed with the other problems
  }
}

export function resolveQueues(queues: Readonly<Record<string, QueueOptions>>): ReadonlyMap<string, ResolvedQueue> {
  return new Map(
    Object.entries(queues).map(([name, { priority, ...limits }]) => [
      name,
      { name, ...noLimits, ...limitsOfChange(limits), hasPriorities: priority === true },
    ]),
  );
}

export type TicketOptions = Pick<RuntimeRunOptions, "queue" | "queueKey" | "priority">;

/**
 * Returns where the run waits; `null` without a queue.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming all problems.
 */
export function ticketOf(queues: ReadonlyMap<string, ResolvedQueue>, options: TicketOptions): QueueTicket | null {
  const problems = ticketProblems(queues, options);
  refuseOptions(optionsOf("`run`"), problems);
  return toTicket(options);
}

/** Converts options without problems. */
export function toTicket({ queue, queueKey = "", priority = 0 }: TicketOptions): QueueTicket | null {
  return queue === undefined ? null : { name: queue, key: queueKey, priority };
}

/** One text for each problem. */
export function ticketProblems(
  queues: ReadonlyMap<string, ResolvedQueue>,
  { queue, queueKey, priority }: TicketOptions,
): string[] {
  const known = queue === undefined ? undefined : queues.get(queue);
  return [
    ...(queue !== undefined && known === undefined ? [unknownQueue(queue, [...queues.keys()])] : []),
    ...(queue === undefined && queueKey !== undefined ? ["`queueKey` is for a run with `queue`"] : []),
    ...(queue === undefined && priority !== undefined ? ["`priority` is for a run with `queue`"] : []),
    ...(queueKey === undefined ? [] : nameProblem("`queueKey`", queueKey, false)),
    ...priorityRule(priority, "priority"),
    ...(known?.hasPriorities === false && priority !== undefined
      ? [`\`priority\` is for queues with \`priority: true\`, which "${known.name}" is not`]
      : []),
  ];
}

export function isPriority(priority: unknown): boolean {
  return Number.isInteger(priority) && (priority as number) >= lowest && (priority as number) <= highest;
}

const priorityRule = valueRule(isPriority, `a whole number from ${lowest} to ${highest}`);

function unknownQueue(name: unknown, names: readonly string[]): string {
  return `\`queue\` is ${shown(name)}, which is not one of \`createRuntime({ queues })\`${didYouMean(name, names, '"')}`;
}
