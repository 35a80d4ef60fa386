/**
 * Adds up metrics so that every execution counts exactly once.
 *
 * An execution is one attempt of one step. The executions of a nested pipeline are kept inside of the execution of its
 * step, which has their sum: adding up one level never counts an execution twice.
 *
 * @module
 */

import { addMetrics, emptyMetrics, type StepMetricsData, sumMetrics } from "@millrace/executor";
import { isGroup } from "./deepest-content.js";
import type { RunMetricsData, SessionMetricsData, StepExecutionData, StepMetrics } from "./metrics.types.js";
import type { StepOutput } from "./step-output.types.js";

/** Execution of each output, cached per process. */
const executions = new WeakMap<StepOutput, StepExecutionData>();

/** The execution that made an output; its `metrics` are of this attempt alone. */
export function executionOf(output: StepOutput): StepExecutionData {
  const known = executions.get(output);
  if (known !== undefined) return known;
  const steps = output.executions ?? executionsOf(output.steps);
  const execution: StepExecutionData = {
    stepName: output.stepName,
    executorType: output.executorType ?? "function",
    executorName: output.executorName,
    metrics: output.metrics ?? sumMetrics(steps.map(({ metrics }) => metrics)) ?? emptyMetrics,
    success: output.success,
    ...(output.endedAtMs !== undefined && { endedAtMs: output.endedAtMs }),
    steps,
  };
  executions.set(output, execution);
  return execution;
}

/** What the agent of a conversational pipeline did. */
export function agentExecution(name: string, metrics: StepMetricsData): StepExecutionData {
  return { stepName: name, executorType: "agent", executorName: name, metrics, success: true, steps: [] };
}

/**
 * The executions that made the outputs, at any depth, in order. Skipped outputs have none. An output without a result
 * does not know its metrics: its attempts are counted separately.
 */
export function executionsOf(outputs: readonly StepOutput[]): readonly StepExecutionData[] {
  return outputs.flatMap((output) => {
    if (isGroup(output)) return executionsOf(output.steps);
    return (output.skipped || !output.success) && output.metrics === null ? [] : [executionOf(output)];
  });
}

/**
 * Metrics of a run: executions of steps with equal names are summed and listed.
 *
 * @param durationSeconds Duration of the whole run.
 */
export function runMetrics(executions: readonly StepExecutionData[], durationSeconds: number): RunMetricsData {
  return { duration: durationSeconds, steps: byStep(executions) };
}

function byStep(executions: readonly StepExecutionData[]): Readonly<Record<string, StepMetrics>> {
  const steps = [...executionsByStep(executions)].map(([name, same]) => [name, stepMetrics(name, same)]);
  return Object.fromEntries(steps);
}

/** Executions by the name of their step, each list in the order of its ends. */
export function executionsByStep(
  executions: readonly StepExecutionData[],
): ReadonlyMap<string, readonly StepExecutionData[]> {
  const names = new Map<string, StepExecutionData[]>();
  for (const execution of executions) {
    const same = names.get(execution.stepName);
    if (same) same.push(execution);
    else names.set(execution.stepName, [execution]);
  }
  for (const same of names.values()) if (same.length > 1) same.sort(byEnd);
  return names;
}

/** Orders by end. Within one millisecond, failed attempts come before the successful one. */
function byEnd(one: StepExecutionData, other: StepExecutionData): number {
  return (one.endedAtMs ?? 0) - (other.endedAtMs ?? 0) || Number(one.success) - Number(other.success);
}

function stepMetrics(stepName: string, executions: readonly StepExecutionData[]): StepMetrics {
  const last = executions.at(-1) as StepExecutionData;
  const inside = executions.flatMap(({ steps }) => steps);
  return {
    stepName,
    executorType: last.executorType,
    executorName: last.executorName,
    metrics: executions.map(({ metrics }) => metrics).reduce(addMetrics),
    executions,
    ...(inside.length > 0 ? { steps: byStep(inside) } : {}),
  };
}

/**
 * What a run adds to the metrics of its session. Tokens and cost cover every step; the duration covers agents and teams at
 * any depth, but neither functions nor pipelines.
 */
export function usageOfRun({ steps }: RunMetricsData): SessionMetricsData {
  let sum: SessionMetricsData = emptyMetrics;
  for (const { executions } of Object.values(steps))
    for (const execution of executions) sum = addMetrics(sum, usage(execution));
  return sum;
}

function usage({ executorType, metrics, steps }: StepExecutionData): StepMetricsData {
  if (executorType === "agent" || executorType === "team") return metrics;
  const duration = steps.map(usage).reduce((sum, inside) => sum + inside.duration, 0);
  return { ...metrics, duration };
}
