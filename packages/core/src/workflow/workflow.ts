/**
 * The class form: extend `Workflow` and decorate its steps.
 *
 * The function form. The compiler checks that every event has a step that emits it and one that accepts it: with a
 * fault in the graph, the type of `build` is a sentence instead of a function.
 *
 * @module
 */
import type { ContextClass, Context as StepFace } from "../authoring/context.types.js";
import type {
  InputOfStart,
  ResultOfStop,
  ResumeOptions,
  RunOptions,
  WorkflowHandler,
} from "../authoring/handler.types.js";
import type {
  AnyEmission,
  AnyStepOptions,
  CatchErrorOptions,
  Emission,
  EmittableClasses,
  GraphMarks,
  Step,
  StepFunction,
  StepOptions,
  SubclassOption,
} from "../authoring/step.types.js";
import type { FromDictOptions, RunContext } from "../authoring/store.types.js";
import type {
  AnyClasses,
  AnyTrigger,
  DefinedRun,
  Delivered,
  definedRun,
  EventIn,
  EventOf,
  EventsIn,
  EventsOf,
  Fitting,
  Yielded,
} from "../authoring/trigger.types.js";
import type {
  Workflow as AnyStateWorkflow,
  GatherFacts,
  GraphProblem,
  InputIndex,
  Middleware,
  PayloadFacts,
  StepFacts,
} from "../authoring/workflow.types.js";
import { compiledOf, compileWorkflow } from "../compile/compile.js";
import {
  type BuiltParts,
  type ChildSource,
  internalsOf,
  openInternals,
  setBuiltParts,
  stateSchemaKey,
  type WorkflowOptions,
} from "../compile/options.js";
import { type DeclaredStep, declareStep, freeStepOf, type Registration } from "../compile/registration.js";
import { optionalModules } from "../engine/optional-modules.js";
import { recover } from "../engine/reduce/items.js";
import { createRunState } from "../engine/state.js";
import { OfThisCopy, WorkflowError } from "../errors/workflow-error.js";
import type { StepFailedEvent } from "../event/built-in-events.js";
import type { EventClass } from "../event/event.js";
import type { ShownAmong, StartsAmong, StopsAmong, TypeHint } from "../event/event.types.js";
import type { FieldsIn, FieldsOut, ObjectSchema } from "../event/schema.js";
import { checkHandlers } from "../graph/validate.js";
import type { InspectionListener, InspectionName, Telemetry } from "../inspect/inspector.js";
import type { Resolved, ResourceMap } from "../resource/resource.js";
import { CallerContext } from "../run/caller/caller-context.js";
import { hostOf } from "../run/live-run.js";
import { initialStore, restoreRun } from "../run/snapshot-run.js";
import { resumeRun, retryRun, startRun } from "../run/start.js";
import { checkOptionNames } from "../value/options.js";
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

export interface DefineOptions<Schema extends ObjectSchema> {
  /** Schema of the state: one per field, or one of an object. Every field has a default. */
  readonly state?: Schema & InitialState<FieldsIn<Schema>>;
  /** Events that only occur inside of other events, results and state. Events that steps name are known anyway. */
  readonly events?: readonly EventClass[];
  /** Classes whose instances may be in events, results and state. */
  readonly types?: readonly ValueType[];
  /** Workflows for `ctx.runChild`, by name. */
  readonly children?: Readonly<Record<string, ChildSource>>;
  /** Version of the state: an integer. Increase it when stored states would no longer be valid. @default 1 */
  readonly version?: number;
  /**
   * Converts a state that an older version has stored. The schema checks the result and adds defaults of missing
   * fields.
   */
  readonly migrate?: (state: Record<string, unknown>, from: number) => object;
  /** Functions that compute the indexed values of an input, by name, like `static index` of a class. @default none */
  readonly index?: InputIndex;
}

/**
 * Starts the definition of a workflow made of functions.
 *
 * @example
 * const jokes = defineWorkflow("jokes")
 *   .step("write", { on: StartEvent, emits: Joke }, async (ev) => new Joke({ text: `a joke about ${ev.get("topic")}` }))
 *   .step("judge", { on: Joke, emits: StopEvent }, async (ev) => new StopEvent({ result: ev.text.length }))
 *   .build();
 */
export function defineWorkflow<Schema extends ObjectSchema = never>(
  name: string,
  options: DefineOptions<Schema> = {},
): WorkflowBuilder<DeclaredState<Schema>, never, never, never> {
  checkOptionNames("defineWorkflow", options);
  const { state, children = {}, events = [], types = [], version = 1, migrate = (old) => old, index = {} } = options;
  const plan: Plan = { name, steps: [], children, events, types, state: state ?? null, version, migrate, index };
  return createBuilder(plan) as unknown as WorkflowBuilder<DeclaredState<Schema>, never, never, never>;
}

export type DeclaredState<Schema> = [Schema] extends [never] ? unknown : FieldsOut<Schema>;

/** Result of `build()`: a workflow with known input and result. `Shown` lists the events in its stream. */
export interface DefinedWorkflow<out Input, out Result, State = unknown, out Shown = unknown> extends Workflow<State> {
  readonly [definedRun]: DefinedRun<Input, Result, Shown>;
}

/**
 * `Graph` is spelled out by templates, for hovers: they would show the alias `StepFacts` and its arguments.
 * `Shown` collects the events that readers of the stream see: prompts, `streams`, and stop events with their results.
 */
export interface WorkflowBuilder<State, Graph extends string, Input, Shown> {
  /** Adds a step. `event`, `ctx` and `resources` need no type annotations. */
  step<
    const Name extends string,
    const On extends AnyTrigger,
    const Emits extends AnyEmission = never,
    Needs extends ResourceMap = {},
    const Waits extends AnyClasses = never,
    const Subclasses extends boolean = false,
    const Streams extends AnyClasses = never,
    Return = unknown,
  >(
    name: NewName<Name, Graph>,
    options: StepOptions<On, Emits, Needs, Waits, Streams> & SubclassOption<Subclasses>,
    run: (
      event: Delivered<On>,
      ctx: Context<State>,
      resources: Resolved<Needs>,
    ) => Fitting<Return, Return, Emission<Emits>>,
  ): WorkflowBuilder<
    State,
    Graph | `${StepFacts<Name, EventsOf<On>, Emission<Emits>, EventIn<Waits>, Subclasses>}` | GatherFacts<On>,
    Input | InputOfStart<StartsAmong<Delivered<On>>>,
    Shown | ShownAmong<Yielded<Return>> | EventIn<Streams>
  >;
  /** Adds a step made with `step(options, fn)`. */
  step<const Name extends string, Payload, Emitted, Marked>(
    name: NewName<Name, Graph>,
    step: Step<Payload, Emitted, State> & Marked,
  ): WorkflowBuilder<
    State,
    | Graph
    | `${StepFacts<Name, EventsIn<Payload>, Emitted, MarksOf<Marked>["waited"], MarksOf<Marked>["subclasses"]>}`
    | PayloadFacts<Payload>,
    Input | InputOfStart<StartsAmong<Payload>>,
    Shown | ShownAmong<EventOf<Emitted>> | MarksOf<Marked>["streamed"]
  >;

  /** Adds a step that runs when another step has used up its retries. */
  catchError<
    const Name extends string,
    const Emits extends AnyEmission = never,
    const Waits extends AnyClasses = never,
    const Streams extends AnyClasses = never,
    Return = unknown,
  >(
    name: NewName<Name, Graph>,
    options: CatchErrorOptions<Emits, Waits, Streams> & { readonly steps?: readonly StepName<Graph>[] },
    run: (event: StepFailedEvent, ctx: Context<State>) => Fitting<Return, Return, Emission<Emits>>,
  ): WorkflowBuilder<
    State,
    Graph | `${StepFacts<Name, never, Emission<Emits>, EventIn<Waits>, false>}`,
    Input,
    Shown | ShownAmong<Yielded<Return>> | EventIn<Streams>
  >;

  /** Builds the workflow. In an editor, an invalid graph shows its problem here. */
  readonly build: [GraphProblem<Graph>] extends [never]
    ? BuildWorkflow<Input, Shown, State>
    : TypeHint<`${GraphProblem<Graph>}`>; // a template spells out the sentences; otherwise the name of the alias would be printed
}

export interface BuildWorkflow<Input, Shown, State> {
  /** @throws {WorkflowError} `WORKFLOW_INVALID` naming every problem. */
  (options?: Omit<WorkflowOptions, "name">): DefinedWorkflow<Input, ResultOfStop<StopsAmong<Shown>>, State, Shown>;
}

export type NewName<Name extends string, Graph> = `step ${Name}` extends Graph
  ? TypeHint<`There is already a step named ${Name}.`>
  : Name;
/** The options with which a free step was made. */
type MarksOf<Marked> =
  Marked extends GraphMarks<infer Waited, infer Subclasses, infer Streamed>
    ? { readonly waited: Waited; readonly subclasses: Subclasses; readonly streamed: Streamed }
    : { readonly waited: never; readonly subclasses: false; readonly streamed: never };
export type StepName<Graph> = Graph extends `step ${infer Name}` ? Name : never;

// ---- at runtime

interface Plan extends BuiltParts {
  readonly name: string;
}

/** Builders are immutable: several may continue from one. */
function createBuilder(plan: Plan): object {
  const add = (name: string, registration: Registration, run: StepFunction): object => {
    const added: DeclaredStep = { ...declareStep(name, registration, run), name };
    return createBuilder({ ...plan, steps: [...plan.steps, added] });
  };
  return {
    step(name: string, step: AnyStepOptions | Step, run?: StepFunction): object {
      if (run) return add(name, { kind: "step", options: step as AnyStepOptions }, run);
      const free = freeStepOf(step);
      if (!free) throw notAStep(name);
      return add(name, free.registration, free.run);
    },
    catchError: (name: string, options: CatchErrorOptions<EmittableClasses>, run: StepFunction): object => {
      optionalModules.handlers = checkHandlers;
      optionalModules.recovery = recover;
      return add(name, { kind: "failure", options }, run);
    },
    build: (options: Omit<WorkflowOptions, "name"> = {}): Workflow => build(plan, options),
  };
}

function build({ name, ...parts }: Plan, options: Omit<WorkflowOptions, "name">): Workflow {
  const workflow = new Workflow({ ...options, name });
  setBuiltParts(workflow, parts);
  compileWorkflow(workflow);
  return workflow;
}

function notAStep(name: string): WorkflowError {
  return new WorkflowError({
    code: "WORKFLOW_INVALID",
    message: `"${name}" is given something that is not a step.`,
    hint: "Pass options and a function, or the result of `step(options, fn)`.",
    details: { reason: "placement" },
  });
}
