/** The queues of a runtime, and where a run waits in one: checked at the door. */

import { toMs } from "../../value/duration.js";
import { hasFields } from "../../value/kind.js";
import { didYouMean, flag, nested, type Rule, type Rules, required, valueRule } from "../../value/option-rules.js";
import { optionsOf, refuseOptions } from "../../value/options.js";
import { shown } from "../../value/shape.js";
import type { RuntimeRunOptions } from "../api/runtime.types.js";
import type { QueueOptions } from "../api/runtime-options.types.js";
import type { QueueLimitChange, QueueLimitsShown } from "../api/worker.types.js";
import type { QueueLimits, QueueTicket } from "../store/run-store.types.js";
import { nameProblem } from "./call-options.js";

export interface ResolvedQueue extends QueueLimits {
  readonly hasPriorities: boolean;
}

const lowest = -(2 ** 31);
const highest = 2 ** 31 - 1;

type Rate = NonNullable<QueueOptions["rate"]>;

const size = valueRule((value) => Number.isSafeInteger(value) && (value as number) >= 1, "a whole number from 1");
const window = valueRule((per) => perMsOf(per as Rate["per"]) !== null, "a duration of at least 1 ms");

const rules: Rules<QueueOptions> = {
  concurrency: size,
  perKey: nested<NonNullable<QueueOptions["perKey"]>>({ concurrency: required(size) }),
  rate: nested<Rate>({ limit: required(size), per: required(window) }),
  priority: flag,
};
const queue = required(nested(rules));

const { priority: _, ...limitRules } = rules;
/** Rules like {@link rules}; `null` removes a limit. */
export const changeRules: Rules<QueueLimitChange> = mapped(limitRules, (rule): Rule => {
  return (value, option) => (value === null ? [] : rule(value, option));
});

function mapped<Name extends string>(rules: Readonly<Record<Name, Rule>>, of: (rule: Rule) => Rule) {
  return Object.fromEntries(Object.entries<Rule>(rules).map(([name, rule]) => [name, of(rule)])) as Record<Name, Rule>;
}

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
