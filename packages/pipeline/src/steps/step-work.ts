/** What one attempt at a step takes, and how far it has come: what is left to say of it where it has no result. */

import {
  emptyMetrics,
  givenMetrics,
  metricsSince,
  plainCopy,
  type StepMetricsData,
  sumMetrics,
} from "@millrace/executor";
import type { OpenWork } from "../attempts/open-attempt.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import { toStored } from "../data/stored-output.js";
import type { StepNode } from "../nodes/node.types.js";
import type { Execution } from "./execution.types.js";

export class StepWork implements OpenWork {
  /** Usage that its executor has reported. */
  metrics: StepMetricsData | null = null;
  /** Executions inside a nested pipeline. */
  steps: readonly StepExecutionData[] = [];
  /** Outputs inside a nested pipeline that has failed. */
  outputs: readonly StepOutput[] = [];
  /** Text written so far. */
  text = "";
  /** `true`: the attempt has recalled a call of an earlier one, so what the executor has used includes that one. */
  hasRecalled = false;
  readonly #execution: Execution;
  /** Used until the last question, and counted by it. */
  #paused: StepMetricsData | null;
  #waits = 0;
  #waitingSinceMs = 0;
  #waitedMs = 0;
  readonly #startedAtMs: number = Date.now();
  #report: unknown = null;
  #isCounted = false;

  constructor(execution: Execution) {
    this.#execution = execution;
    this.#paused = execution.review.paused?.metrics ?? null;
    // Of a function nothing more is ever known.
    const { attempt, node } = execution;
    if (node.executorType === "function") attempt.onEnd(() => attempt.isClosed || this.count());
  }

  get answersSignal(): boolean {
    const { executorType } = this.#execution.node;
    return executorType === "agent" || executorType === "team";
  }

  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  /** Without the time in which people were asked. */
  get time(): StepMetricsData {
    const waitedMs = this.#waitedMs + (this.#waits > 0 ? Date.now() - this.#waitingSinceMs : 0);
    return { ...emptyMetrics, duration: (Date.now() - this.#startedAtMs - waitedMs) / 1000 };
  }

  /** @param given By an executor or a function. */
  measured(given: unknown): StepMetricsData {
    const { time } = this;
    const metrics = givenMetrics(given, time);
    const hasWaited = this.#waitedMs > 0 || this.#waits > 0;
    const duration = hasWaited ? Math.min(metrics.duration, time.duration) : metrics.duration;
    return { ...this.#sinceFailures(metrics), duration };
  }

  /** All that it has used so far. */
  get used(): StepMetricsData {
    return this.metrics ?? this.measured(this.#report);
  }

  /** The step waits for a person. Returns what ends the wait. */
  beginWait(): () => void {
    if (this.#waits++ === 0) this.#waitingSinceMs = Date.now();
    return () => {
      if (--this.#waits === 0) this.#waitedMs += Date.now() - this.#waitingSinceMs;
    };
  }

  /** A question counts this. */
  pausedNow(execution: StepExecutionData): StepExecutionData {
    this.#paused = execution.metrics;
    return execution;
  }

  /** What failed attempts have used is counted by themselves. */
  #sinceFailures(metrics: StepMetricsData): StepMetricsData {
    if (!this.hasRecalled) return metrics;
    const { state, visit } = this.#execution;
    const failed = sumMetrics(state.discarded.filter((one) => one.visit === visit).map((one) => one.metrics));
    return failed === null ? metrics : metricsSince(failed, metrics);
  }

  /** @param used What the executor has used until now. */
  reported(used: unknown): void {
    this.#report = plainCopy(used);
  }

  cutOff(): void {
    // All is known of a nested pipeline by its own run.
    if (!("isPipeline" in this.#execution.node.executor)) this.count();
  }

  /** Whether its usage is stored without a result. */
  count(): void {
    const { node, notes, visit } = this.#execution;
    if (this.#isCounted) return;
    this.#isCounted = true;
    const given = this.metrics ?? this.#report;
    const all = this.metrics ?? this.measured(given);
    // What was before the pause is known by itself, for all attempts at going on.
    const metrics = given === null || this.#paused === null ? all : metricsSince(this.#paused, all);
    const { steps: _, ...execution } = executionBy(node, metrics);
    notes.discarded.push({
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
