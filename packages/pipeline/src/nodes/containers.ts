/**
 * Steps that contain steps.
 *
 * @module
 */

import type { Executor, RunContext, SessionState } from "@millrace/executor";
import {
  callable,
  checkOptions,
  flag,
  type OptionChecks,
  oneOf,
  type Rule,
  type Rules,
  text,
  unchecked,
  wholeNumber,
} from "millrace/engine";
import type { AnyStepFunction, CoreWorkflow, PipelineLike, StepFunction } from "../data/step-function.types.js";
import type { StepInput } from "../data/step-input.js";
import type { StepOutput } from "../data/step-output.types.js";
import { type ReviewedKind, reviewOf } from "../human/check-review.js";
import type { HumanReview } from "../human/human-review.types.js";
import { assertOptions, errorPolicy, flagOrFunction, nameIn, stepName } from "../human/option-rules.js";
import type { ContentsOf, HasContents, NamedContent } from "./contents.types.js";
import type { ErrorPolicy, Step } from "./step.js";

export type StepLike = StepObject | AnyStepFunction;

/** Every step that is not a function. */
export type StepObject = Step | Steps | Loop | Parallel | Condition | Router | Executor | PipelineLike | CoreWorkflow;

/** A list of steps, whose functions need no annotations. */
type Listed<Inside extends readonly object[]> = { readonly [At in keyof Inside]: Inside[At] | StepFunction };

interface GroupOptions<Name extends string = string> {
  /** @default the kind of the group */
  readonly name?: Name;
  readonly description?: string;
  /** Handling of an error that no step inside has handled. @default "fail": the enclosing group handles it */
  readonly onError?: ErrorPolicy;
  /** Questions to people about the group. */
  readonly humanReview?: HumanReview;
}

export interface StepsOptions<Inside extends readonly object[] = AnySteps, Name extends string = string>
  extends GroupOptions<Name> {
  readonly steps: Listed<Inside>;
}

type AnySteps = readonly StepLike[];
type None = readonly never[];

/** Contents of a group of steps, and of those inside. */
type GroupContents<Inside extends readonly object[], Name extends string, Content = unknown> = ContentsOf<Inside> &
  NamedContent<Name, Content>;

/** Runs steps one after the other. */
export class Steps<const Inside extends readonly object[] = None, const Name extends string = never>
  implements HasContents<GroupContents<Inside, Name>>
{
  declare readonly "~contents"?: GroupContents<Inside, Name>;
  readonly kind = "steps";
  readonly options: StepsOptions;

  constructor(options: StepsOptions<Inside, Name>) {
    assertOptions("The steps", options);
    checkGroup("steps", options as StepsOptions, { rules: stepsRules });
    this.options = options as StepsOptions;
  }
}

/** Returns whether the loop ends. Gets the outputs of this iteration; `context.iteration` is its number, from 0. */
export type EndCondition<Context = RunContext> = (
  outputs: readonly StepOutput[],
  context: Context & { readonly iteration: number },
) => unknown;

export interface LoopOptions<Inside extends readonly object[] = AnySteps, Name extends string = string, Context = never>
  extends GroupOptions<Name> {
  readonly steps: Listed<Inside>;
  /** Maximum number of iterations, at least 1. @default 3 */
  readonly maxIterations?: number;
  /** Ends the loop when it returns a true value after an iteration. @default never */
  readonly endCondition?: EndCondition<Context>;
  /**
   * `true`: each iteration starts with the result of the one before.
   * @default false: each starts with the input of the loop
   */
  readonly forwardIterationOutput?: boolean;
}

/** Repeats its steps. */
export class Loop<
  const Inside extends readonly object[] = None,
  const Name extends string = never,
  Context = RunContext,
> implements HasContents<GroupContents<Inside, Name>>
{
  declare readonly "~contents"?: GroupContents<Inside, Name>;
  readonly kind = "loop";
  readonly options: LoopOptions;

  constructor(options: LoopOptions<Inside, Name, Context>) {
    assertOptions("The loop", options);
    checkGroup("loop", options as LoopOptions, { rules: loopRules });
    this.options = options as LoopOptions;
  }
}

/** Merges the session states of a Parallel's branches, given in the order of declaration. */
export type MergeStates = (
  base: SessionState,
  branches: readonly SessionState[],
) => SessionState | Promise<SessionState>;

export interface ParallelOptions<Inside extends readonly object[] = AnySteps, Name extends string = string>
  extends GroupOptions<Name> {
  readonly steps: Listed<Inside>;
  /**
   * `"isolated"`: each branch works on its own copy of the session state. When all branches are done, the copies are
   * merged like those of concurrent runs of one session. `editState` is exclusive within a branch.
   *
   * @default "shared": branches see each other's changes at once
   */
  readonly state?: "shared" | "isolated";
  /** For isolated branches: returns the new state, instead of merging the copies one after the other. */
  readonly merge?: MergeStates;
}

type Texts = Readonly<Record<string, string>>;

/** Runs all branches at once, each with the same input. */
export class Parallel<const Inside extends readonly object[] = None, const Name extends string = never>
  implements HasContents<GroupContents<Inside, Name, Texts>>
{
  declare readonly "~contents"?: GroupContents<Inside, Name, Texts>;
  readonly kind = "parallel";
  readonly options: ParallelOptions;

  /** Creates a group: `new Parallel({ name, steps })`, or `new Parallel("name", one, two)`, or `new Parallel(one, two)`. */
  constructor(options: ParallelOptions<Inside, Name>);
  constructor(name: Name, ...steps: Listed<Inside>);
  constructor(...steps: Listed<Inside>);
  constructor(...given: readonly unknown[]) {
    const [first] = given;
    if (given.length === 1 && isOptions(first)) this.options = first;
    else if (typeof first === "string") this.options = { name: first, steps: given.slice(1) as StepLike[] };
    else this.options = { steps: given as StepLike[] };
    const { state, merge } = this.options;
    const besides = merge !== undefined && state !== "isolated" ? ['`merge` needs `state: "isolated"`'] : [];
    checkGroup("parallel", this.options, { rules: parallelRules, besides });
  }
}

function isOptions(value: unknown): value is ParallelOptions {
  return typeof value === "object" && value !== null && "steps" in value && !("kind" in value) && !("run" in value);
}

export type Evaluator<Context = RunContext, Input = StepInput> =
  | boolean
  | ((input: Input, context: Context) => boolean | Promise<boolean>);

export interface ConditionOptions<
  Inside extends readonly object[] = AnySteps,
  Else extends readonly object[] = AnySteps,
  Decides = Evaluator<never, never>,
> extends GroupOptions {
  /** @default true */
  readonly evaluator?: Decides;
  readonly steps: Listed<Inside>;
  readonly elseSteps?: Listed<Else>;
}

/** Runs one of two branches. */
export class Condition<
  const Inside extends readonly object[] = None,
  const Else extends readonly object[] = None,
  Context = RunContext,
  Input = StepInput,
> implements HasContents<ContentsOf<Inside> & ContentsOf<Else>>
{
  declare readonly "~contents"?: ContentsOf<Inside> & ContentsOf<Else>;
  readonly kind = "condition";
  readonly options: ConditionOptions;

  constructor(options: ConditionOptions<Inside, Else, Evaluator<Context, Input>>) {
    assertOptions("The condition", options);
    checkGroup("condition", options as ConditionOptions, { rules: conditionRules });
    this.options = options as ConditionOptions;
  }
}

/** A choice of a router. A list of steps is one choice, and its steps run one after the other. */
export type Choice = StepLike | readonly StepLike[];

/** Selected choices: by name, or as they were listed. No value selects none. */
export type Selection = string | Choice | readonly (string | Choice)[] | null | undefined;

export type Selector<Context = RunContext, Input = StepInput> = (
  input: Input,
  context: Context,
  choices: readonly string[],
) => Selection | Promise<Selection>;

export interface RouterOptions<Inside extends readonly object[] = readonly Choice[], Selects = Selector<never, never>>
  extends GroupOptions {
  /** The choices, with distinct names. A list among them is one choice: its steps run one after the other. */
  readonly choices: Listed<Inside>;
  /** Selects the choices. Omit it when people select: `humanReview: { requiresUserInput: true }`. */
  readonly selector?: Selects;
}

/** Runs the choices that its selector names. */
export class Router<const Inside extends readonly object[] = None, Context = RunContext, Input = StepInput>
  implements HasContents<ContentsOf<Inside>>
{
  declare readonly "~contents"?: ContentsOf<Inside>;
  readonly kind = "router";
  readonly options: RouterOptions;

  constructor(options: RouterOptions<Inside, Selector<Context, Input>>) {
    assertOptions("The router", options);
    const isPicked = options.humanReview?.requiresUserInput === true;
    const isChosen = typeof options.selector === "function" || (isPicked && options.selector === undefined);
    const besides = isChosen ? [] : ["`selector` is not a function, and `humanReview.requiresUserInput` is not set"];
    checkGroup("router", options as RouterOptions, { rules: routerRules, besides });
    this.options = options as RouterOptions;
  }
}

const steps: Rule = (value, option) => (Array.isArray(value) ? [] : [`\`${option}\` is not a list of steps`]);

function groupRules(kind: ReviewedKind): Rules<GroupOptions> {
  return { name: stepName, description: text, onError: errorPolicy, humanReview: reviewOf(kind) };
}

const stepsRules: Rules<StepsOptions> = { steps, ...groupRules("steps") };
const loopRules: Rules<LoopOptions> = {
  steps,
  maxIterations: wholeNumber(1),
  endCondition: callable,
  forwardIterationOutput: flag,
  ...groupRules("loop"),
};
const parallelRules: Rules<ParallelOptions> = {
  steps,
  state: oneOf("shared", "isolated"),
  merge: callable,
  ...groupRules("parallel"),
};
const conditionRules: Rules<ConditionOptions> = {
  steps,
  elseSteps: (given = [], option) => steps(given, option),
  evaluator: flagOrFunction,
  ...groupRules("condition"),
};
const routerRules: Rules<RouterOptions> = { choices: steps, ...groupRules("router"), ...unchecked("selector") };

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
function checkGroup<Options extends GroupOptions>(
  kind: ReviewedKind,
  options: Options,
  checks: OptionChecks<Options>,
): void {
  checkOptions(`The ${kind} "${nameIn(options)}" cannot be made`, options, checks);
}
