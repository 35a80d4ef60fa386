/**
 * The options of every call of a runtime and of its handles: unknown options are refused.
 *
 * `call-options.test-d.ts` checks that the lists are complete.
 *
 * @module
 */

import { invalidOption } from "../../errors/workflow-error.js";
import type { DoneBy } from "../../host.js";
import { hasFields, isForbiddenKey } from "../../value/kind.js";
import { refuseUnknown } from "../../value/options.js";

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

// ---- checks that ids, tenants, labels and keys can be stored by every store

/** Bytes of UTF-8 that a name may have: an index entry of a store holds several names. */
const LONGEST = 255;

/** Kinds of records that the runtime keeps for itself. */
export const ownKinds = "millrace:";

/** Names that a caller has given, by the names of their options. */
export interface Named {
  readonly runId?: string | undefined;
  readonly tenant?: string | undefined;
  readonly key?: string | undefined;
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
  /** Version of the program. */
  readonly version?: string | undefined;
  /** Name of a schedule. */
  readonly schedule?: string | undefined;
  /** Name of a queue. */
  readonly queue?: string | undefined;
  readonly labels?: { readonly [name: string]: string } | undefined;
}

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
  return text.includes("\0") || !isWellFormed(text) ? [`${what} contains characters that cannot be stored`] : [];
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

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDFFF]/u.test(text);
}
