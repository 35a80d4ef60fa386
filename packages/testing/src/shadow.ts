/**
 * The state of a run as its stored ticks give it: each goes through JSON and is reduced, as after a crash.
 *
 * @module
 */
import type { ContextDict } from "millrace";
import {
  type CompiledWorkflow,
  compileChild,
  createRouting,
  createRunState,
  decodeTick,
  encodeSnapshot,
  encodeTick,
  type Routing,
  type RunState,
  reduce,
  type Tick,
} from "millrace/engine";

interface ShadowRun {
  readonly compiled: CompiledWorkflow;
  readonly routing: Routing;
  readonly state: RunState;
}

export class Shadow {
  readonly #root: ShadowRun;
  /** The run and its children, by run id. */
  readonly #runs: Map<string, ShadowRun> = new Map();

  constructor(compiled: CompiledWorkflow, runId: string) {
    this.#root = this.#add(compiled, runId);
  }

  /** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for a tick that cannot be stored. */
  store(runId: string, live: Tick): void {
    const run = this.#runs.get(runId) as ShadowRun;
    const tick = decodeTick(JSON.parse(JSON.stringify(encodeTick(live, run.compiled))), run.compiled);
    reduce(run.routing, run.state, tick);
    if (tick.type !== "child.opened") return;
    const record = run.state.items.get(tick.item)?.memory?.get(tick.call);
    if (record?.kind === "child") this.#add(compileChild(run.compiled, tick.name), record.runId);
  }

  stepOf(runId: string, tick: Tick): string | null {
    const item = "item" in tick && tick.item !== null ? this.#runs.get(runId)?.state.items.get(tick.item) : undefined;
    return item?.step ?? null;
  }

  workflowOf(runId: string): string {
    return (this.#runs.get(runId) as ShadowRun).compiled.name;
  }

  /** A child that has not had its first tick is not in it, as it would be in no store. */
  snapshot(): ContextDict {
    const begun = [...this.#runs].filter(([, { state }]) => state.ticks > 0);
    const states = new Map(begun.map(([runId, { state }]) => [runId, state]));
    return encodeSnapshot(this.#root.compiled, this.#root.state, states);
  }

  #add(compiled: CompiledWorkflow, runId: string): ShadowRun {
    const state = createRunState({ runId, workflow: compiled.name, store: compiled.state?.initial() ?? {} });
    const run: ShadowRun = { compiled, routing: createRouting(compiled.definition), state };
    this.#runs.set(runId, run);
    return run;
  }
}
