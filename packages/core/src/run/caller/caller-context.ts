/**
 * The context of a run for its caller: before, during and after the run, in memory or from a snapshot.
 *
 * @module
 */

import type { ContextDict, RunContext, Store, ToDictOptions } from "../../authoring/store.types.js";
import type { CompiledWorkflow } from "../../compile/compile.js";
import type { Clock } from "../../engine/ports.js";
import type { RunState } from "../../engine/state.js";
import { OfThisCopy } from "../../errors/workflow-error.js";
import { applyChange } from "../../state/patches.js";
import type { Path } from "../../state/prepare-change.js";
import { StateStore } from "../../state/state-store.js";
import { inTurn } from "../../system/system.js";
import { logUnhandledCall } from "../attempt/forgotten-calls.js";
import { hostOf, type LiveRun } from "../live-run.js";
import { encodeRun, type RestoredRun } from "../snapshot-run.js";

export class CallerContext extends OfThisCopy implements RunContext {
  readonly #compiled: CompiledWorkflow;
  #run: RestoredRun;
  #runner: LiveRun | null;
  #store: CallerStore | null = null;

  /** @param runner The run in memory; `null` before it, and if it never ran here. */
  constructor(compiled: CompiledWorkflow, run: RestoredRun, runner: LiveRun | null = null) {
    super();
    this.#compiled = compiled;
    this.#run = run;
    this.#runner = runner;
  }

  get runId(): string {
    return this.#run.state.runId;
  }

  get store(): Store {
    this.#store ??= new CallerStore(() => this.#cell(), hostOf(this.#compiled).ports.clock);
    return this.#store as never;
  }

  toDict(options?: ToDictOptions): ContextDict {
    const { state, children } = this.run;
    return encodeRun(this.#compiled, { state: this.#runner?.begun() ?? state, children }, options);
  }

  /** @internal */
  get compiled(): CompiledWorkflow {
    return this.#compiled;
  }

  /** @internal */
  get run(): RestoredRun {
    return this.#runner === null ? this.#run : { state: this.#runner.state, children: this.#runner.descendants };
  }

  /** The run in memory that this context belongs to; `null` before the run, and if it never ran here. @internal */
  get runner(): LiveRun | null {
    return this.#runner;
  }

  /** Another run continues with this context. @internal */
  bind(runner: LiveRun): void {
    this.#runner = runner;
    this.#run = { state: runner.state, children: null };
  }

  /** `true` if a write from outside of a run is still changing the state. @internal */
  get isWritten(): boolean {
    return detached.get(this.run.state)?.isBusy === true;
  }

  #cell(): StateStore {
    return this.#runner?.live ? this.#runner.store() : detachedCell(this.#compiled, this.#run.state);
  }
}

/** The state of a run that is not in memory: it is changed in place, without notifications. */
function detachedCell(compiled: CompiledWorkflow, state: RunState): StateStore {
  const known = detached.get(state);
  if (known) return known;
  const { clock, log } = hostOf(compiled).ports;
  const cell = new StateStore({
    read: () => state.store,
    commit(change) {
      state.store = applyChange(state.store, change);
    },
    failed: (failure) => logUnhandledCall(log, `A write to the state of run "${state.runId}" has failed.`, failure),
    schema: compiled.state,
    types: compiled.values,
    isOwn: true,
    answer: (result) => inTurn(clock, result),
    lockTimeoutMs: compiled.options.lockTimeoutMs,
    clock,
  });
  detached.set(state, cell);
  return cell;
}
const detached = new WeakMap<RunState, StateStore>();

class CallerStore {
  readonly #cell: () => StateStore;

  readonly #clock: Clock;

  constructor(cell: () => StateStore, clock: Clock) {
    this.#cell = cell;
    this.#clock = clock;
  }

  async get(path?: Path, fallback?: unknown): Promise<unknown> {
    return inTurn(this.#clock, this.#cell().read(path, fallback));
  }

  getState(): Promise<unknown> {
    return this.get();
  }

  set(path: Path, value: unknown): Promise<void> {
    return this.#cell().write(path, value);
  }

  setState(state: unknown): Promise<void> {
    return this.#cell().replace(state);
  }

  clear(): Promise<void> {
    return this.#cell().clear();
  }

  editState<Result>(edit: (state: never) => Result | Promise<Result>): Promise<Result> {
    return this.#cell().edit(edit);
  }
}
