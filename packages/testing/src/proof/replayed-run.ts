/**
 * Rebuilds the state of a run from its stored ticks: each passes through JSON and is reduced, as after a crash.
 *
 * @module
 */
import type { ContextDict } from "millrace";
import { type CompiledWorkflow, decodeTick, encodeSnapshot, encodeTick, type Tick } from "millrace/engine";
import type { RecordedTick, RunRecording } from "../harness/run-recording.types.js";
import { RunsOfTicks } from "../harness/runs-of-ticks.js";

export class ReplayedRun {
  readonly #runs: RunsOfTicks;
  readonly #rootId: string;
  readonly #ticks: RecordedTick[] = [];

  constructor(compiled: CompiledWorkflow, runId: string) {
    this.#runs = new RunsOfTicks(compiled, runId);
    this.#rootId = runId;
  }

  /** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for a tick that cannot be stored. */
  store(runId: string, live: Tick): void {
    const { compiled } = this.#runs.get(runId);
    const tick = JSON.parse(JSON.stringify(encodeTick(live, compiled)));
    this.#ticks.push({ runId, tick });
    this.#runs.apply(runId, decodeTick(tick, compiled));
  }

  get recording(): RunRecording {
    const { name } = this.#runs.get(this.#rootId).compiled;
    return { format: 1, workflow: name, runId: this.#rootId, ticks: this.#ticks };
  }

  stepOf(runId: string, tick: Tick): string | null {
    const item =
      "item" in tick && tick.item !== null ? this.#runs.all.get(runId)?.state.items.get(tick.item) : undefined;
    return item?.step ?? null;
  }

  workflowOf(runId: string): string {
    return this.#runs.get(runId).compiled.name;
  }

  /** A child without a tick is left out, as it would be in a store. */
  snapshot(): ContextDict {
    const begun = [...this.#runs.all].filter(([, { state }]) => state.ticks > 0);
    const states = new Map(begun.map(([runId, { state }]) => [runId, state]));
    const { compiled, state } = this.#runs.get(this.#rootId);
    return encodeSnapshot(compiled, state, states);
  }
}
