/**
 * Outputs as they are stored, in the state of a run and in its events: without the fields that have their default value.
 *
 * @module
 */

import { emptyMetrics, type StepMetricsData } from "@millrace/executor";
import { contentOfSteps } from "./deepest-content.js";
import { joinParallel } from "./join-parallel.js";
import { createOutput } from "./step-output.js";
import type { StepOutput, StepType } from "./step-output.types.js";

/** No such property at runtime. */
declare const stored: unique symbol;

/**
 * To be read with {@link fromStored}: any field may be left out. `function` is the name of a step that is a function, and of that
 * function; `duration` are metrics with nothing else. The content of a Parallel or a nested pipeline that follows from its steps is
 * `inside`, and `turns` are the lengths of a loop's iterations: no output and no text is in it twice.
 */
export interface StoredOutput {
  readonly [stored]: true;
}

const defaults: Partial<Readonly<Record<string, unknown>>> = {
  stepName: "",
  stepId: "",
  stepType: "Step",
  executorType: null,
  executorName: null,
  stepRunId: null,
  error: null,
  stop: false,
  breakLoop: false,
  skipped: false,
};
interface ShortFields extends Partial<StepOutput> {
  readonly function?: string;
  readonly duration?: number;
  readonly inside?: true;
  readonly turns?: readonly number[];
}
const executorFields: ReadonlySet<string> = new Set(["stepName", "executorType", "executorName"]);
const usual = Object.keys(defaults) as (keyof StepOutput)[];
/** What `function` does not say already. */
const usualOfFunctions = usual.filter((name) => !executorFields.has(name));
const lists = ["images", "videos", "audio", "files"] as const;

/** An output is made shorter, and whole again, once in a process. */
const wholes = new WeakMap<object, StepOutput>();
const shorts = new WeakMap<StepOutput, StoredOutput>();

export function toStored(output: StepOutput): StoredOutput {
  const known = shorts.get(output);
  if (known !== undefined) return known;
  const isFunction = output.executorType === "function" && output.executorName === output.stepName;
  const fields: Record<string, unknown> = isFunction ? { function: output.stepName } : {};
  for (const name of isFunction ? usualOfFunctions : usual)
    if (output[name] !== defaults[name]) fields[name] = output[name];
  if (isInside(output)) fields["inside"] = true;
  else if ("content" in output) fields["content"] = output.content;
  if (output.success !== (output.error === null)) fields["success"] = output.success;
  if (output.endedAtMs !== undefined) fields["endedAtMs"] = output.endedAtMs;
  for (const name of lists) if (output[name].length > 0) fields[name] = output[name];
  if (output.metrics !== null) Object.assign(fields, shortMetrics(output.metrics));
  if (output.executions !== undefined) fields["executions"] = output.executions;
  if (output.steps.length > 0) fields["steps"] = output.steps.map(toStored);
  if (output.iterations !== null) fields["turns"] = output.iterations.map(({ length }) => length);
  const short = Object.freeze(fields) as unknown as StoredOutput;
  shorts.set(output, short);
  wholes.set(short, output);
  return short;
}

export function fromStored(short: StoredOutput): StepOutput {
  const known = wholes.get(short);
  if (known !== undefined) return known;
  const { metrics, steps: shortSteps = [], turns, inside, function: name, duration, ...fields } = shortFields(short);
  const taken = duration === undefined ? metrics : { duration };
  const steps = shortSteps.map((step) => fromStored(step as never));
  const output = createOutput({
    ...fields,
    ...(name !== undefined && { stepName: name, executorType: "function", executorName: name }),
    metrics: taken ? { ...emptyMetrics, ...taken } : null,
    ...(inside === true && { content: contentInside(fields.stepType, steps) }),
    steps,
    iterations: turns === undefined ? null : turnsOf(steps, turns),
  });
  wholes.set(short, output);
  return output;
}

function shortFields(short: StoredOutput): ShortFields {
  return short as unknown as ShortFields;
}

function isInside({ stepType, content, steps }: StepOutput): boolean {
  const follows = (stepType === "Parallel" || stepType === "Workflow") && steps.length > 0 && content !== undefined;
  return follows && content === contentInside(stepType, steps);
}

function contentInside(stepType: StepType | undefined, steps: readonly StepOutput[]): unknown {
  return stepType === "Parallel" ? joinParallel(steps) : contentOfSteps(steps);
}

function turnsOf(steps: readonly StepOutput[], lengths: readonly number[]): StepOutput[][] {
  let end = 0;
  return lengths.map((length) => steps.slice(end, (end += length)));
}

/** The duration always stays: two runs that differ in nothing but time are stored with the same fields. */
function shortMetrics(metrics: StepMetricsData): Pick<ShortFields, "metrics" | "duration"> {
  if (isOnlyTime(metrics)) return { duration: metrics.duration };
  const isLeftOut = (name: string, value: unknown): boolean =>
    value === 0 && name in emptyMetrics && name !== "duration";
  const fields = Object.entries(metrics).filter(([name, value]) => !isLeftOut(name, value));
  return { metrics: Object.fromEntries(fields) as unknown as StepMetricsData };
}

/** Those of nearly every function. */
function isOnlyTime(metrics: StepMetricsData): boolean {
  for (const name of Object.keys(metrics) as (keyof StepMetricsData)[])
    if (name !== "duration" && (metrics[name] !== 0 || !(name in emptyMetrics))) return false;
  return typeof metrics.duration === "number";
}
