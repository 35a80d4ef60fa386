/**
 * Steps that contain steps.
 *
 * @module
 */

import type { StepInput } from "../data/step-input.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { CoreWorkflow, Executor, RunContext, StepFunction } from "./executor.types.js";
import type { PipelineLike } from "./pipeline-like.types.js";
import { type ErrorPolicy, invalidOptions, type Step } from "./step.js";

export type StepLike =
  | Step
  | Steps
  | Loop
  | Parallel
  | Condition
  | Router
  | StepFunction
  | Executor
  | PipelineLike
  | CoreWorkflow;

interface ContainerOptions {
  /** @default the kind */
  readonly name?: string;
  readonly description?: string;
  /** What becomes of an error that no step inside has taken. @default "fail": it goes on to the container around */
  readonly onError?: ErrorPolicy;
}

export interface StepsOptions extends ContainerOptions {
  readonly steps: readonly StepLike[];
}

/** One after the other. */
export class Steps {
  readonly kind = "steps";
  readonly options: StepsOptions;

  constructor(options: StepsOptions) {
    checkSteps("Steps", options.steps);
    this.options = options;
  }
}

/** Truthy: enough. Of the outputs of this iteration, and its number, from 1. */
export type EndCondition = (
  outputs: readonly StepOutput[],
  context: RunContext & { readonly iteration: number },
) => unknown;

export interface LoopOptions extends ContainerOptions {
  readonly steps: readonly StepLike[];
  /** From 1. @default 3 */
  readonly maxIterations?: number;
  readonly endCondition?: EndCondition;
  /** Begin each iteration where the one before has ended. @default false: each begins with what the loop began with */
  readonly forwardIterationOutput?: boolean;
}

/** Again and again. */
export class Loop {
  readonly kind = "loop";
  readonly options: LoopOptions;

  constructor(options: LoopOptions) {
    checkSteps("Loop", options.steps);
    const { maxIterations = 3 } = options;
    if (!Number.isInteger(maxIterations) || maxIterations < 1)
      throw invalidOptions("The loop", [`\`maxIterations\` is ${String(maxIterations)}, not a whole number from 1`]);
    this.options = options;
  }
}

export interface ParallelOptions extends ContainerOptions {
  readonly steps: readonly StepLike[];
}

/** All at once, each with the same input. */
export class Parallel {
  readonly kind = "parallel";
  readonly options: ParallelOptions;

  /** `new Parallel({ name, steps })`, or `new Parallel("name", one, two)`, or `new Parallel(one, two)`. */
  constructor(options: ParallelOptions);
  constructor(...stepsOrName: readonly (string | StepLike)[]);
  constructor(...given: readonly unknown[]) {
    const [first] = given;
    if (given.length === 1 && isOptions(first)) this.options = first;
    else if (typeof first === "string") this.options = { name: first, steps: given.slice(1) as StepLike[] };
    else this.options = { steps: given as StepLike[] };
    checkSteps("Parallel", this.options.steps);
  }
}

function isOptions(value: unknown): value is ParallelOptions {
  return typeof value === "object" && value !== null && "steps" in value && !("kind" in value) && !("run" in value);
}

export type Evaluator = boolean | ((input: StepInput, context: RunContext) => boolean | Promise<boolean>);

export interface ConditionOptions extends ContainerOptions {
  /** @default true */
  readonly evaluator?: Evaluator;
  readonly steps: readonly StepLike[];
  readonly elseSteps?: readonly StepLike[];
}

/** One branch or the other. */
export class Condition {
  readonly kind = "condition";
  readonly options: ConditionOptions;

  constructor(options: ConditionOptions) {
    checkSteps("Condition", options.steps);
    if (options.elseSteps !== undefined) checkSteps("Condition", options.elseSteps);
    this.options = options;
  }
}

/** Names of choices, or choices themselves; nothing: none. */
export type Selection = string | StepLike | readonly (string | StepLike)[] | null | undefined;

export type Selector = (
  input: StepInput,
  context: RunContext,
  choices: readonly string[],
) => Selection | Promise<Selection>;

export interface RouterOptions extends ContainerOptions {
  /** A list among them is one choice: its steps, one after the other. */
  readonly choices: readonly (StepLike | readonly StepLike[])[];
  readonly selector: Selector;
}

/** Those that a selector names. */
export class Router {
  readonly kind = "router";
  readonly options: RouterOptions;

  constructor(options: RouterOptions) {
    checkSteps("Router", options.choices);
    if (typeof options.selector !== "function") throw invalidOptions("The router", ["`selector` is no function"]);
    this.options = options;
  }
}

function checkSteps(kind: string, steps: unknown): void {
  if (!Array.isArray(steps)) throw invalidOptions(`The ${kind}`, ["its steps are no list"]);
}
