/**
 * Rebuilds the state of a run from its stored ticks: each passes through JSON and is reduced, as after a crash.
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
  shareStore,
  type Tick,
  unshareStore,
} from "millrace/engine";

interface ShadowRun {
  readonly compiled: CompiledWorkflow;
  readonly routing: Routing;
  readonly state: RunState;
  readonly sharesStore: boolean;
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
    for (const command of reduce(run.routing, run.state, tick)) {
      const gone = command.type === "child.cancel" ? this.#runs.get(command.runId) : undefined;
      if (gone?.sharesStore) unshareStore(gone.state);
    }
    if (tick.type !== "child.opened") return;
    const record = run.state.items.get(tick.item)?.memory?.get(tick.call);
    if (record?.kind === "child")
      this.#add(compileChild(run.compiled, tick.name), record.runId, record.sharesStore ? run.state : null);
  }

  stepOf(runId: string, tick: Tick): string | null {
    const item = "item" in tick && tick.item !== null ? this.#runs.get(runId)?.state.items.get(tick.item) : undefined;
    return item?.step ?? null;
  }

  workflowOf(runId: string): string {
    return (this.#runs.get(runId) as ShadowRun).compiled.name;
  }

  /** A child without a tick is left out, as it would be in a store. */
  snapshot(): ContextDict {
    const begun = [...this.#runs].filter(([, { state }]) => state.ticks > 0);
    const states = new Map(begun.map(([runId, { state }]) => [runId, state]));
    return encodeSnapshot(this.#root.compiled, this.#root.state, states);
  }

  /** @param owner Run whose state the child shares; `null` if the child has its own state. */
  #add(compiled: CompiledWorkflow, runId: string, owner: RunState | null = null): ShadowRun {
    const state = createRunState({ runId, workflow: compiled.name, store: compiled.state?.initial() ?? {} });
    if (owner !== null) shareStore(state, owner);
    const routing = createRouting(compiled.definition);
    const run: ShadowRun = { compiled, routing, state, sharesStore: owner !== null };
    this.#runs.set(runId, run);
    return run;
  }
}
