/**
 * The states of a run and its children, rebuilt from their ticks. Children begin with the tick that opens them.
 *
 * @module
 */
import {
  type Command,
  type CompiledWorkflow,
  compileChild,
  createRouting,
  createRunState,
  type Routing,
  type RunState,
  reduce,
  shareStore,
  type Tick,
  unshareStore,
} from "millrace/engine";

export interface RebuiltRun {
  readonly compiled: CompiledWorkflow;
  routing: Routing;
  readonly state: RunState;
  readonly sharesStore: boolean;
  /** The call that has opened it; `null` for the root. */
  readonly opened: { readonly parentId: string; readonly item: number; readonly call: string } | null;
}

export class RunsOfTicks {
  /** The run and its children, by run id; the run first. */
  readonly all: Map<string, RebuiltRun> = new Map();

  constructor(compiled: CompiledWorkflow, runId: string) {
    this.#add(compiled, runId, { owner: null, opened: null });
  }

  get(runId: string): RebuiltRun {
    return this.all.get(runId) as RebuiltRun;
  }

  apply(runId: string, tick: Tick): Command[] {
    const run = this.get(runId);
    if (tick.type === "definition.changed") run.routing = createRouting(tick.definition);
    const commands = reduce(run.routing, run.state, tick);
    for (const command of commands) {
      const gone = command.type === "child.cancel" ? this.all.get(command.runId) : undefined;
      if (gone?.sharesStore) unshareStore(gone.state);
    }
    if (tick.type === "child.opened") this.#open(runId, tick);
    return commands;
  }

  #open(parentId: string, { item, call, name }: Extract<Tick, { readonly type: "child.opened" }>): void {
    const parent = this.get(parentId);
    const record = parent.state.items.get(item)?.calls?.get(call);
    if (record?.kind !== "child") return;
    const owner = record.sharesStore ? parent.state : null;
    this.#add(compileChild(parent.compiled, name), record.runId, { owner, opened: { parentId, item, call } });
  }

  /** @param owner Run whose state the child shares; `null` if the child has its own state. */
  #add(
    compiled: CompiledWorkflow,
    runId: string,
    { owner, opened }: Pick<RebuiltRun, "opened"> & { readonly owner: RunState | null },
  ): void {
    const state = createRunState({ runId, workflow: compiled.name, store: compiled.state?.initial() ?? {} });
    if (owner !== null) shareStore(state, owner);
    const routing = createRouting(compiled.definition);
    this.all.set(runId, { compiled, routing, state, sharesStore: owner !== null, opened });
  }
}
