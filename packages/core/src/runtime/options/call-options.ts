/**
 * The options of every call of a runtime and of its handles: unknown options are refused.
 *
 * `call-options.test-d.ts` checks that the lists are complete.
 *
 * @module
 */
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
  due: "limit",
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

/** Only the options that were given: an undefined one counts as left out, and no store gets it. */
export function given<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every unknown option. */
export function checkCallOptions(call: keyof typeof callOptions, options: unknown): void {
  refuseUnknown(`\`${call}\``, options, callOptions[call].split(" "));
}
