/**
 * Refuses options: all problems in one error, unknown names among them, because most of those are typing errors.
 *
 * The one place with the names of all options of the main entry: texts, because they are in every bundle.
 * `test/types/known-options.test-d.ts` compares them with the types.
 *
 * @module
 */
import { invalidOption, type WorkflowError } from "../errors/workflow-error.js";
import { formatValue, isDate, isObject } from "./kind.js";
import { isIntegerIn, optionProblems, type Rules, rangeText, unknownNames } from "./option-rules.js";
import { isTime } from "./shape.js";

export interface OptionChecks<Options> {
  readonly rules: Rules<Options>;
  /** Problems of several options together. @default none */
  readonly besides?: readonly string[];
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem of the options, and those besides. */
export function checkOptions<Options extends object>(
  what: string,
  given: Options,
  { rules, besides = [] }: OptionChecks<Options>,
): void {
  if (!isObject(given)) refuseOptions(what, ["they are not an object"]);
  refuseOptions(what, optionProblems(given, rules), besides);
}

/** @throws {WorkflowError} `OPTION_INVALID` for options that are not an object, and naming every unknown one. */
export function refuseUnknown(owner: string, given: unknown, names: readonly string[]): void {
  refuseOptions(optionsOf(owner), isObject(given) ? unknownNames(given, names) : ["they are not an object"]);
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem; nothing without problems. */
export function refuseOptions(what: string, ...found: readonly (readonly string[])[]): void {
  const problems = found.flat();
  if (problems.length === 0) return;
  throw invalidOption(`${what}: ${problems.join("; ")}.`, "Correct the options that are named, or leave them out.", {
    problems,
  });
}

/** The beginning of the message. @param owner A call or an object, such as "`run`". */
export function optionsOf(owner: string): string {
  return `The options of ${owner} are wrong`;
}

// ---- the values of single options

/** @param what To be read after the name of the option: "is 0; it must be …". */
export function wrongOption(option: string, what: string, hint: string): WorkflowError {
  return invalidOption(`\`${option}\` ${what}.`, hint, { option });
}

/** @throws {WorkflowError} `OPTION_INVALID` unless the value is right. @param what As in "a list". */
export function assertOption(isRight: unknown, option: string, what: string): asserts isRight {
  if (!isRight) throw wrongOption(option, `is not ${what}`, `Pass ${what}.`);
}

/** @throws {WorkflowError} `OPTION_INVALID` unless it is a function. */
export function assertFunction(value: unknown, option: string): void {
  assertOption(typeof value === "function", option, "a function");
}

/** @throws {WorkflowError} `OPTION_INVALID` unless it is a signal or left out. */
export function assertSignal(signal: AbortSignal | null | undefined): void {
  assertOption(!signal || signal.addEventListener, "signal", "an `AbortSignal`");
}

interface Range {
  readonly least: number;
  /** @default any */
  readonly most?: number;
  /** What to do instead. @default to pass a number in the range */
  readonly hint?: string;
}

/** Returns the value. @throws {WorkflowError} `OPTION_INVALID` unless it is a whole number in the range. */
export function integerIn(value: number, option: string, { least, most, hint }: Range): number {
  if (isIntegerIn(value, least, most)) return value;
  const expected = rangeText(least, most);
  throw wrongOption(option, `is ${formatValue(value)}; it must be ${expected}`, hint ?? `Pass ${expected}.`);
}

/** Returns the value. @throws {WorkflowError} `OPTION_INVALID` unless it is a whole number from 1. */
export function positiveInteger(value: number, option: string): number {
  return integerIn(value, option, { least: 1 });
}

/** Returns the size of a page. @throws {WorkflowError} `OPTION_INVALID` */
export function pageSize(limit: number): number {
  return integerIn(limit, "limit", {
    least: 1,
    most: 1_000,
    hint: "Ask for smaller pages, and continue with `cursor`.",
  });
}

/** @throws {WorkflowError} `OPTION_INVALID` */
export function assertObjects(value: unknown, option: string): void {
  assertOption(Array.isArray(value) && value.every(isObject), option, "a list of objects");
}

/** Returns a point in time in whole epoch milliseconds, that a `Date` can say. @throws {WorkflowError} `OPTION_INVALID` */
export function timeOf(time: Date | number, option: string): number {
  const atMs: unknown = isDate(time) ? time.getTime() : time;
  if (isTime(atMs)) return Math.ceil(atMs);
  throw wrongOption(
    option,
    `is ${formatValue(atMs)}, which is no point in time`,
    "Pass a Date, or epoch milliseconds.",
  );
}

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
