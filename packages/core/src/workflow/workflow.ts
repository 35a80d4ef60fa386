/**
 * The class form: extend `Workflow` and decorate its steps.
 *
 * @module
 */

import type { ContextClass, Context as StepFace } from "../authoring/context.types.js";
import type { ResumeOptions, RunOptions, WorkflowHandler } from "../authoring/handler.types.js";
import type { FromDictOptions, RunContext } from "../authoring/store.types.js";
import type { Workflow as AnyStateWorkflow, InputIndex, Middleware } from "../authoring/workflow.types.js";
import { compiledOf, compileWorkflow } from "../compile/compile.js";
import { internalsOf, openInternals, stateSchemaKey, type WorkflowOptions } from "../compile/options.js";
import { createRunState } from "../engine/state.js";
import { OfThisCopy } from "../errors/workflow-error.js";
import type { EventClass } from "../event/event.js";
import type { TypeHint } from "../event/event.types.js";
import type { FieldsIn, FieldsOut, ObjectSchema } from "../event/schema.js";
import type { InspectionName, Telemetry } from "../inspect/inspection-events.js";
import type { InspectionListener } from "../inspect/inspector.js";
import { CallerContext } from "../run/caller/caller-context.js";
import { initialStore, restoreRun } from "../run/snapshot-run.js";
import { resumeRun, retryRun, startRun } from "../run/start.js";
import { hostOf } from "../run/workflow-host.js";
import type { ValueType } from "../value/storable.js";

/** The class from which workflows are made. */
export interface WorkflowClass<State> {
  /**
   * @throws {WorkflowError} `OPTION_INVALID` for an option, `WORKFLOW_INVALID` for a decorated
   * step.
   */
  new (options?: WorkflowOptions): Workflow<State>;
  /**
   * Events that only occur inside of other events, results and state. Events that steps name are known anyway.
   *
   * @example
   * static override readonly events = [Line];
   */
  readonly events?: readonly EventClass[];
  /**
   * Functions of the input whose values find its runs in `runtime.runs({ input })` and in the query bar, by name: a text, a
   * number, a boolean, null, or a list of texts. A start whose index throws or returns another kind is refused with
   * `EVENT_INVALID`.
   *
   * @example static override readonly index = { order: (input: Refund) => input.order };
   */
  readonly index?: InputIndex;
  /** Classes whose instances may be in events, results and state. */
  readonly types?: readonly ValueType[];
  /** Version of the state: an integer. Increase it when stored states would no longer be valid. @default 1 */
  readonly version: number;
  /**
   * Converts a state that an older version has stored. The schema checks the result and adds defaults of missing
   * fields.
   *
   * @example
   * class Counter extends Workflow.withState({ total: z.number().default(0) }) {
   *   static override readonly version = 2;
   *   static override migrate({ count, ...rest }: Record<string, unknown>, from: number) {
   *     return { ...rest, total: count };
   *   }
   * }
   */
  migrate(state: Record<string, unknown>, from: number): object;
}

export interface WorkflowStatics extends WorkflowClass<unknown> {
  /**
   * Makes a base class whose runs have a typed state, checked at every commit.
   *
   * @example
   * class Counter extends Workflow.withState({ count: z.number().default(0) }) { … }
   */
  withState<Schema extends ObjectSchema>(
    schema: Schema & InitialState<FieldsIn<Schema>>,
  ): WorkflowClass<FieldsOut<Schema>>;
}

/** A run starts with the state that the schema makes of `{}`. */
export type InitialState<Input> = {} extends Input
  ? unknown
  : TypeHint<"Every state field needs a default: a run starts from `{}`.">;

type AnyContext = RunContext<unknown>;

class WorkflowBase extends OfThisCopy {
  static readonly version: number = 1;

  static migrate(state: Record<string, unknown>): object {
    return state;
  }

  /** The class name is only a fallback: minifiers change it. */
  static override get name(): string {
    return "Workflow";
  }

  static withState(schema: ObjectSchema): unknown {
    return class extends Workflow {
      static readonly [stateSchemaKey] = schema;
    };
  }

  constructor(options: WorkflowOptions = {}) {
    super();
    openInternals(this, new.target, options);
  }

  run(input?: unknown, options: RunOptions = {}): WorkflowHandler {
    return startRun(compileWorkflow(this), input, options);
  }

  resume(context: AnyContext, options: ResumeOptions = {}): WorkflowHandler {
    return resumeRun(compileWorkflow(this), context, options);
  }

  retry(context: AnyContext, options: ResumeOptions = {}): WorkflowHandler {
    return retryRun(compileWorkflow(this), context, options);
  }

  on<Name extends InspectionName>(name: Name, listener: InspectionListener<Name>): () => void {
    return internalsOf(this).inspector.on(name, listener);
  }

  use(added: Middleware | Telemetry): this {
    const { middleware, inspector } = internalsOf(this);
    if (typeof added === "function") middleware.push(added);
    else inspector.telemetry = added;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const compiled = compiledOf(this);
    if (compiled) await hostOf(compiled).dispose();
  }
}

/** An instance of a class of workflows. */
export type Workflow<State = unknown> = AnyStateWorkflow<State>;

export const Workflow: WorkflowStatics = WorkflowBase as unknown as WorkflowStatics;

// ---- the value `Context`: creates contexts for new runs, or from snapshots

// A call that bundlers may drop: only programs that restore snapshots bundle the reader.
export const Context: ContextClass = /* @__PURE__ */ createContextClass();

function createContextClass(): ContextClass {
  function Context(workflow: object): unknown {
    const compiled = compileWorkflow(workflow);
    const runId = hostOf(compiled).ports.ids.runId();
    const state = createRunState({ runId, workflow: compiled.name, store: initialStore(compiled) });
    return new CallerContext(compiled, { state, children: null });
  }
  Context.fromDict = (workflow: object, dict: unknown, options?: FromDictOptions): unknown => {
    const compiled = compileWorkflow(workflow);
    return new CallerContext(compiled, restoreRun(compiled, dict, options));
  };
  return Context as unknown as ContextClass;
}
export type Context<State = unknown> = StepFace<State>;
