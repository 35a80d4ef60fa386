/**
 * The class form: extend `Workflow`, decorate its steps.
 *
 * @module
 */

import type { RunContext } from "../context/context.types.js";
import { OfThisCopy } from "../errors/second-copy.js";
import type { EventClass } from "../event/event.js";
import type { FieldsIn, FieldsOut, ObjectSchema } from "../event/schema.js";
import type { TypeHint } from "../event/type-hint.js";
import type { InspectionName } from "../inspect/inspection-events.js";
import type { InspectionListener } from "../inspect/inspector.js";
import type { ResumeOptions, RunOptions, WorkflowHandler } from "../run/handler.types.js";
import { resumeRun, retryRun, startRun } from "../run/start.js";
import { hostOf } from "../run/workflow-host.js";
import type { ValueType } from "../value/plain.js";
import { compiledOf, compileWorkflow } from "./compile.js";
import { internalsOf, openInternals, stateSchemaKey } from "./internals.js";
import type { Middleware } from "./middleware.types.js";
import type { WorkflowOptions } from "./options.js";
import type { ResultOf, RunArguments, Runnable, StateOf } from "./run.types.js";

/** No such properties at runtime. @internal */
export declare const workflowState: unique symbol;
/** @internal */
export declare const definedRun: unique symbol;
export interface DefinedRun<out Input, out Result, out Shown> {
  readonly input: Input;
  readonly result: Result;
  readonly shown: Shown;
}

/**
 * A workflow: extend it and decorate its steps.
 *
 * The graph is checked when an instance is first run, described, validated or given a context: fields made with
 * `step(options, fn)` are not there before its constructor has ended. What is wrong with a decorated step by itself
 * is an error of the constructor.
 *
 * An interface and a constant instead of a class: `extends Workflow<{ count: number }>` then does not compile, so a state type
 * always has a schema behind it (`withState`). Its members are names that no step may have.
 */
export interface Workflow<State = unknown> {
  readonly [workflowState]: State;

  /**
   * Starts a run, at once and synchronously. `input` is the fields of the start event, or the event.
   *
   * @throws {WorkflowError} `WORKFLOW_INVALID` with all that is wrong with the graph, `EVENT_INVALID` when the input does not
   * fit the start event, `START_AMBIGUOUS` when it fits none of several, or more than one.
   */
  run<Self extends Workflow>(
    this: Self & Runnable<Self>,
    input: undefined,
    options: RunOptions<StateOf<Self>> & { readonly context: RunContext<StateOf<Self>> },
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>>;
  run<Self extends Workflow>(
    this: Self & Runnable<Self>,
    ...args: RunArguments<Self, RunOptions<StateOf<Self>>>
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>>;

  /** Continues a run that was running, waiting or cancelled. */
  resume<Self extends Workflow>(
    this: Self & Runnable<Self>,
    context: RunContext<StateOf<Self>>,
    options?: ResumeOptions,
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>>;

  /** Runs the failed and leftover work of a failed or timed-out run again, with fresh counters. */
  retry<Self extends Workflow>(
    this: Self & Runnable<Self>,
    context: RunContext<StateOf<Self>>,
    options?: ResumeOptions,
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>>;

  /** Calls `listener` for what happens in any run of this instance. Gives the way to stop. */
  on<Name extends InspectionName>(name: Name, listener: InspectionListener<Name>): () => void;

  /** Wraps every attempt of every step. The first one added is the outermost. */
  use(middleware: Middleware): this;

  /** Disposes the resources of the scope `workflow`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a class of workflows is made from. */
export interface WorkflowClass<State> {
  /** @throws {WorkflowError} `OPTION_INVALID` or `DURATION_INVALID` for an option, `WORKFLOW_INVALID` for a decorated step. */
  new (options?: WorkflowOptions): Workflow<State>;
  /**
   * Events that only occur inside other events, results and state; those that steps name are known.
   *
   * @example
   * static override readonly events = [Line];
   */
  readonly events?: readonly EventClass[];
  /** Classes whose instances may be in events, results and state. */
  readonly types?: readonly ValueType[];
  /** Which shape of the state this is: an integer. Write one more whenever stored states would no longer fit. @default 1 */
  readonly version: number;
  /**
   * The state that an older version has stored, as this version holds it. The schema checks it, and gives what is missing.
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
   * A base class whose runs have a typed state, checked at every commit.
   *
   * @example
   * class Counter extends Workflow.withState({ count: z.number().default(0) }) { … }
   */
  withState<Schema extends ObjectSchema>(
    schema: Schema & InitialState<FieldsIn<Schema>>,
  ): WorkflowClass<FieldsOut<Schema>>;
}

/** A run begins with the state `{}` parsed by the schema. */
export type InitialState<Input> = {} extends Input
  ? unknown
  : TypeHint<"Every state field needs a default: a run starts from `{}`.">;

type AnyContext = RunContext<unknown>;

class WorkflowBase extends OfThisCopy {
  static readonly version: number = 1;

  static migrate(state: Record<string, unknown>): object {
    return state;
  }

  /** Minifiers rename classes. */
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

  use(middleware: Middleware): this {
    internalsOf(this).middleware.push(middleware);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const compiled = compiledOf(this);
    if (compiled) await hostOf(compiled).resources.dispose();
  }
}

export const Workflow: WorkflowStatics = WorkflowBase as unknown as WorkflowStatics;
