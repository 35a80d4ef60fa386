/**
 * What one run adds to the statistics: the ends of its attempts with the ticks that say so, and its own end with its outcome.
 *
 * @module
 */
import {
  isCurrent,
  type LiveRun,
  type Outcome,
  type StepCompleted,
  type StepFailed,
  type Tick,
} from "../../../host.js";
import { durationRange } from "../../statistics/duration-range.js";
import { failedStepOf, failureKind, measuredFailure } from "../../statistics/failure-kind.js";
import type { RunStore } from "../../store/run-store.types.js";
import type { Measure } from "../../store/statistics.types.js";
import type { Commit } from "../commit/commit.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";

export interface MeasuringHost {
  readonly store: Pick<RunStore, "hash">;
  readonly keepsStatistics: boolean;
}

export class RunMeasures {
  readonly #host: MeasuringHost;
  readonly #workflow: RegisteredWorkflow;
  /** When the run has continued after its end; `null` if it has not, or was loaded since. */
  #continuedAtMs: number | null = null;

  constructor(host: MeasuringHost, workflow: RegisteredWorkflow) {
    this.#host = host;
    this.#workflow = workflow;
  }

  get #version(): string | null {
    return this.#workflow.code.version;
  }

  /** Adds the attempts that these ticks end. @param runner The run, or the child that the ticks belong to. */
  addAttempts(commit: Commit, runner: LiveRun, ticks: readonly Tick[]): void {
    if (!this.#host.keepsStatistics) return;
    for (const tick of ticks) {
      if (tick.type === "step.completed" || tick.type === "step.failed") this.#addAttempt(commit, runner, tick);
      else if (tick.type === "run.retried" || tick.type === "run.resumed") this.#continue(runner, tick);
    }
  }

  #continue({ state, parent }: LiveRun, { atMs }: Tick): void {
    if (parent === null && state.outcome !== null) this.#continuedAtMs = atMs;
  }

  #addAttempt(commit: Commit, { state, host }: LiveRun, tick: StepCompleted | StepFailed): void {
    const item = state.items.get(tick.item);
    // The engine ignores the tick of an attempt that no longer counts.
    if (item === undefined || state.status !== "running" || !isCurrent(item, tick.attempt)) return;
    add(commit, {
      workflow: host.compiled.name,
      step: item.step,
      version: this.#version,
      status: tick.type === "step.completed" ? "completed" : "failed",
      atMs: tick.atMs,
      range: durationRange(tick.elapsedMs ?? tick.atMs - item.firstStartedAtMs),
      failure: null,
    });
  }

  /** Adds the end of the run to a commit with its summary, and names the kind and the step of its failure there. */
  addEnd(commit: Commit, { state }: LiveRun, outcome: Outcome): void {
    const { summary } = commit;
    if (summary === null) return;
    const { atMs } = summary;
    const ended = { workflow: this.#workflow.name, version: this.#version, status: outcome.status, atMs };
    const kind = failureKind(outcome);
    const failure = kind && measuredFailure(this.#workflow.name, kind, (text) => this.#host.store.hash(text));
    const failedStep = failedStepOf(outcome);
    if (failure !== null)
      commit.summary = { ...summary, failure: failure.id, ...(failedStep !== null && { failedStep }) };
    if (!this.#host.keepsStatistics) return;
    const range = durationRange(atMs - (this.#continuedAtMs ?? state.startedAtMs));
    add(commit, { ...ended, step: null, range, failure: null });
    if (kind !== null) add(commit, { ...ended, step: kind.step, range: 0, failure });
  }
}

function add(commit: Commit, measure: Measure): void {
  commit.measures ??= [];
  commit.measures.push(measure);
}
