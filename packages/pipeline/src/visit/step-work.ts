/** What one attempt at a step takes, and how far it has come: what is left to say of it where it has no result. */
import { emptyMetrics, givenMetrics, metricsSince } from "../data/metrics.js";
import type { StepExecutionData, StepMetricsData } from "../data/metrics.types.js";
import { plainCopy } from "../data/plain-copy.js";
import type { StepOutput } from "../data/step-output.types.js";
import { toStored } from "../data/stored-output.js";
import type { OpenWork } from "../live/open-attempt.js";
import type { StepNode } from "../nodes/node.types.js";
import type { Execution } from "./execution.types.js";

export class StepWork implements OpenWork {
  /** What its executor says that it took. */
  metrics: StepMetricsData | null = null;
  /** Executions inside a nested pipeline. */
  steps: readonly StepExecutionData[] = [];
  /** Outputs inside a nested pipeline that has failed. */
  outputs: readonly StepOutput[] = [];
  /** What has been said so far. */
  text = "";
  readonly #execution: Execution;
  readonly #startedAtMs: number = Date.now();
  #report: unknown = null;
  #isCounted = false;

  constructor(execution: Execution) {
    this.#execution = execution;
    // Of a function nothing more is ever known.
    const { attempt, node } = execution;
    if (node.executorType === "function") attempt.onEnd(() => attempt.isClosed || this.count());
  }

  get answersSignal(): boolean {
    const { executorType } = this.#execution.node;
    return executorType === "agent" || executorType === "team";
  }

  get time(): StepMetricsData {
    return { ...emptyMetrics, duration: (Date.now() - this.#startedAtMs) / 1000 };
  }

  /** @param given By an executor or a function. */
  measured(given: unknown): StepMetricsData {
    return givenMetrics(given, this.time);
  }

  /** @param used What the executor has used until now. */
  reported(used: unknown): void {
    this.#report = plainCopy(used);
  }

  cutOff(): void {
    // All is known of a nested pipeline by its own run.
    if (!("isPipeline" in this.#execution.node.executor)) this.count();
  }

  /** What it took is stored, though it has no result. */
  count(): void {
    const { node, notes, visit } = this.#execution;
    const { paused } = this.#execution.talk;
    if (this.#isCounted) return;
    this.#isCounted = true;
    const given = this.metrics ?? this.#report;
    const all = this.metrics ?? this.measured(given);
    // What was before the pause is known by itself, for all attempts at going on.
    const metrics = given === null || paused === null ? all : metricsSince(paused.metrics, all);
    const { steps: _, ...execution } = executionBy(node, metrics);
    notes.spent.push({
      ...execution,
      success: false,
      endedAtMs: Date.now(),
      steps: this.steps,
      visit,
      ...(this.outputs.length > 0 && { outputs: this.outputs.map(toStored) }),
    });
  }
}

export function executionBy(node: StepNode, metrics: StepMetricsData): StepExecutionData {
  const { name: stepName, executorType, executorName } = node;
  return { stepName, executorType, executorName, metrics, success: true, steps: [] };
}
