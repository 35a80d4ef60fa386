/**
 * The options of every call of the main entry: unknown options are refused. A text, because it is in every bundle.
 *
 * The one place with the names of all options. `test/types/known-options.test-d.ts` compares them with the types.
 *
 * @module
 */

import { isObject } from "./kind.js";
import { refuseUnknown } from "./options.js";

export const knownOptions = {
  step: "name on emits resources workers retry timeout subclasses waits streams limit skipChecks",
  // The engine passes `resources` to handlers, too; pipelines need it.
  catchError: "name timeout waits streams steps maxRecoveries emits resources",
  collect: "of take rest order settle",
  join: "by",
  Workflow:
    "name timeout maxConcurrentRuns limits types events verbose log skipChecks streamBuffer lockTimeout inboxSize forkState description groups stepNotes eventLabels",
  defineWorkflow: "index state events types children version migrate",
  limits: "concurrent perMinute",
  resource: "scope dispose resources",
  run: "signal timeout deadline resources context runId",
  resume: "signal timeout deadline resources",
  send: "step",
  streamEvents: "after signal",
  toDict: "codec",
  fromDict: "codec migrate",
  sendEvent: "step delay scope immediate key",
  waitForEvent: "prompt where key timeout signal",
  ask: "title schema details key promptId timeout signal",
  collectEvents: "buffer",
  runChild: "key store timeout signal",
  sleep: "key signal",
  "ctx.run": "retry timeout limit label",
  write: "key",
  retryPolicy: "when wait stop",
  exponential: "initial base min max",
  exponentialJitter: "initial base min max jitter",
  fullJitter: "initial base min max",
  incrementing: "start increment max",
} as const;

/** @throws {WorkflowError} `OPTION_INVALID` for options that are not an object, and naming every unknown one. */
export function checkOptionNames(call: keyof typeof knownOptions, given: unknown): void {
  // Most calls have none, and steps make thousands of them: then nothing is listed.
  if (isObject(given) && Object.keys(given).length === 0) return;
  refuseUnknown(`\`${call}\``, given, namesOf(call));
}

export function namesOf(call: keyof typeof knownOptions): readonly string[] {
  return knownOptions[call].split(" ");
}
