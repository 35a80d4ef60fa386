/**
 * The output of a run as its end is stored: with short outputs, and without the fields that have their default value, the
 * content that is that of its last step, and the metrics and contents of executors that its outputs have.
 *
 * @module
 */
import { deepFreeze, type StoredForm } from "millrace/engine";
import { contentOfSteps } from "../data/deepest-content.js";
import type { ExecutorRun } from "../data/executor-run.types.js";
import { executionsByStep, executionsOf, runMetrics } from "../data/metrics.js";
import type { RunMetricsData, StepExecutionData, StepMetrics } from "../data/metrics.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import { fromStored, type StoredOutput, toStored } from "../data/stored-output.js";
import type { PipelineRunOutput } from "./run-output.types.js";

/** Any field of an output may be left out. */
interface StoredResult extends Partial<Omit<PipelineRunOutput, "stepResults" | "metrics" | "stepExecutorRuns">> {
  readonly steps: readonly StoredOutput[];
  /** Without a content: it is that of the output of their step. */
  readonly stepExecutorRuns?: readonly (Omit<ExecutorRun, "content"> & Partial<Pick<ExecutorRun, "content">>)[];
  /** `content` is that of the last step. */
  readonly hasContentOfSteps?: true;
  readonly metrics: StoredMetrics;
}

interface StoredMetrics {
  readonly duration: number;
  /** In their order; `null` for those that the outputs have as well. Left out where they have all of them. */
  readonly steps?: Readonly<Record<string, StepMetrics | null>>;
}

type Executions = readonly StepExecutionData[];

const none: readonly never[] = Object.freeze([]);
const noFields = Object.freeze({});
const defaults: Readonly<Record<string, unknown>> = {
  userId: null,
  status: "COMPLETED",
  hasFailures: false,
  error: null,
  cancelReason: null,
  metadata: noFields,
  sessionState: noFields,
  images: none,
  videos: none,
  audio: none,
  files: none,
  stepExecutorRuns: none,
  events: none,
  agentRun: null,
  requirements: none,
  answered: none,
};

/** Made by {@link markResult}, or read. A copy of one is plain data as any other. */
const results = new WeakMap<object, StoredResult | null>();

/** For the workflow of a pipeline. */
export const storedResult: StoredForm = {
  name: "pipeline.result",
  isStoredForm: true,
  is: results.has.bind(results) as StoredForm["is"], // asked for every record that is stored
  encode(output: PipelineRunOutput): object {
    const known = results.get(output);
    if (known) return known;
    const short = shortResult(output);
    results.set(output, short);
    return short;
  },
  decode: (short: StoredResult): PipelineRunOutput => markResult(wholeResult(short)),
};

/** Wherever this very object is stored, it is stored short. */
export function markResult(output: PipelineRunOutput): PipelineRunOutput {
  results.set(output, null);
  return output;
}

function shortResult(output: PipelineRunOutput): StoredResult {
  const { stepResults, metrics, ...fields } = output;
  const short: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const usual = defaults[name];
    const isUsual = value === usual || (typeof usual === "object" && usual !== null && isEmpty(value));
    if (!isUsual) short[name] = value;
  }
  if (output.content !== undefined && output.content === contentOfSteps(stepResults)) {
    delete short["content"];
    short["hasContentOfSteps"] = true;
  }
  if (output.stepExecutorRuns.length > 0) {
    const said = contentsOf(stepResults);
    const isSaid = ({ runId, content }: ExecutorRun): boolean => said.has(runId) && said.get(runId) === content;
    short["stepExecutorRuns"] = output.stepExecutorRuns.map((run) => (isSaid(run) ? withoutContent(run) : run));
  }
  return { ...short, steps: stepResults.map(toStored), metrics: shortMetrics(metrics, stepResults) };
}

/** By the run of the executor that has given it, at any depth. */
function contentsOf(outputs: readonly StepOutput[], found: Map<string, unknown> = new Map()): Map<string, unknown> {
  for (const { stepRunId, content, steps } of outputs) {
    if (stepRunId !== null && content !== undefined) found.set(stepRunId, content);
    contentsOf(steps, found);
  }
  return found;
}

function withoutContent({ content: _, ...run }: ExecutorRun): Omit<ExecutorRun, "content"> {
  return run;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function wholeResult(short: StoredResult): PipelineRunOutput {
  const { steps, hasContentOfSteps, metrics, stepExecutorRuns = [], ...fields } = short;
  const stepResults = steps.map(fromStored);
  const said = contentsOf(stepExecutorRuns.length > 0 ? stepResults : none);
  const whole = {
    ...defaults,
    ...fields,
    ...(hasContentOfSteps && { content: contentOfSteps(stepResults) }),
    stepResults,
    stepExecutorRuns: stepExecutorRuns.map((run) =>
      "content" in run ? run : { ...run, content: said.get(run.runId) },
    ),
    metrics: wholeMetrics(metrics, stepResults),
  };
  return deepFreeze(whole as unknown as PipelineRunOutput);
}

function shortMetrics({ duration, steps }: RunMetricsData, results: readonly StepOutput[]): StoredMetrics {
  const said = executionsByStep(executionsOf(results));
  const names = Object.keys(steps);
  const isSaid = (name: string): boolean => isSame(steps[name]?.executions, said.get(name));
  if (names.every(isSaid) && names.length === said.size) return { duration };
  return {
    duration,
    steps: Object.fromEntries(names.map((name) => [name, isSaid(name) ? null : steps[name]])) as never,
  };
}

/** The rest of them follows from the executions, which an output has once. */
function isSame(own: Executions = none, others: Executions | undefined): boolean {
  return own.length === others?.length && own.every((execution, index) => execution === others[index]);
}

function wholeMetrics({ duration, steps }: StoredMetrics, results: readonly StepOutput[]): RunMetricsData {
  const said = runMetrics(executionsOf(results), duration);
  if (steps === undefined) return said;
  const all = Object.entries(steps).map(([name, own]) => [name, own ?? said.steps[name]]);
  return { duration, steps: Object.fromEntries(all) };
}
