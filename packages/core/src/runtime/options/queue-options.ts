/** The queues of a runtime, and where a run waits in one: checked at the door. */

import { toMs } from "../../value/duration.js";
import { formatValue } from "../../value/format-value.js";
import { nearest } from "../../value/nearest.js";
import { unknownNames } from "../../value/unknown-names.js";
import { optionsInvalid } from "../../value/unknown-options.js";
import type { RuntimeRunOptions } from "../api/runtime.types.js";
import type { QueueOptions } from "../api/runtime-options.types.js";
import type { QueueLimits, QueueTicket } from "../store/run-store.types.js";
import { callOptions } from "./call-options.js";
import { nameProblem } from "./check-names.js";

export interface ResolvedQueue extends QueueLimits {
  readonly hasPriorities: boolean;
}

type Rate = NonNullable<QueueOptions["rate"]>;

const lowest = -(2 ** 31);
const highest = 2 ** 31 - 1;

/** One text for each problem. */
export function queueProblems(queues: Readonly<Record<string, QueueOptions>>): string[] {
  if (!isObject(queues)) return ["`queues` is not an object"];
  return Object.entries(queues).flatMap(([name, part]) => {
    const path = `queues.${name}`;
    return [
      ...nameProblem(`the name of the queue ${JSON.stringify(name)}`, name, true),
      ...partProblems({ path, part, call: "queues" }, ({ concurrency, perKey, rate, priority = false }) => [
        ...(concurrency === undefined ? [] : countProblem(`${path}.concurrency`, concurrency)),
        ...(typeof priority === "boolean" ? [] : [`\`${path}.priority\` is ${said(priority)}, not true or false`]),
        ...partProblems({ path: `${path}.perKey`, part: perKey, call: "queues.perKey" }, (ofKey) =>
          countProblem(`${path}.perKey.concurrency`, ofKey.concurrency),
        ),
        ...partProblems({ path: `${path}.rate`, part: rate, call: "queues.rate" }, ({ limit, per }) => [
          ...countProblem(`${path}.rate.limit`, limit),
          ...(perMsOf(per) === null ? [`\`${path}.rate.per\` is ${said(per)}, not a duration of at least 1 ms`] : []),
        ]),
      ]),
    ];
  });
}

interface OptionsPart<Part> {
  readonly path: string;
  /** Undefined: it was left out. */
  readonly part: Part | undefined;
  readonly call: keyof typeof callOptions;
}

function partProblems<Part extends object>(
  { path, part, call }: OptionsPart<Part>,
  problems: (part: Part) => string[],
): string[] {
  if (part === undefined) return [];
  if (!isObject(part)) return [`\`${path}\` is not an object`];
  const unknown = unknownNames(part, callOptions[call].split(" ")).map((problem) => `${problem} of \`${path}\``);
  return [...unknown, ...problems(part)];
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
    Object.entries(queues).map(([name, { concurrency, perKey, rate, priority }]) => [
      name,
      {
        name,
        concurrency: concurrency ?? null,
        perKey: perKey?.concurrency ?? null,
        rate: rate === undefined ? null : { limit: rate.limit, perMs: perMsOf(rate.per) as number },
        hasPriorities: priority === true,
      },
    ]),
  );
}

export type TicketOptions = Pick<RuntimeRunOptions, "queue" | "queueKey" | "priority">;

/**
 * Where the run waits. Null: in no queue.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming all that is wrong.
 */
export function ticketOf(queues: ReadonlyMap<string, ResolvedQueue>, options: TicketOptions): QueueTicket | null {
  const problems = ticketProblems(queues, options);
  if (problems.length > 0) throw optionsInvalid("`run`", problems);
  return toTicket(options);
}

/** Of options without problems. */
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
    ...priorityProblems(priority),
    ...(known?.hasPriorities === false && priority !== undefined
      ? [`\`priority\` is for queues with \`priority: true\`, which "${known.name}" is not`]
      : []),
  ];
}

export function isPriority(priority: unknown): boolean {
  return Number.isInteger(priority) && (priority as number) >= lowest && (priority as number) <= highest;
}

function priorityProblems(priority: unknown): string[] {
  if (priority === undefined) return [];
  return isPriority(priority)
    ? []
    : [`\`priority\` is ${said(priority)}, not a whole number from ${lowest} to ${highest}`];
}

function unknownQueue(name: unknown, names: readonly string[]): string {
  const near = typeof name === "string" ? nearest(name, names) : null;
  const rest = near === null ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
  return `\`queue\` is ${said(name)}, which is not one of \`createRuntime({ queues })\`${rest}`;
}

function countProblem(name: string, value: unknown): string[] {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return [];
  return [`\`${name}\` is ${said(value)}, not a whole number from 1`];
}

function said(value: unknown): string {
  return value === undefined ? "missing" : formatValue(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
