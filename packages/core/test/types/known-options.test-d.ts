import { expectTypeOf } from "vitest";
import type { AnyStepOptions, EmittableClasses } from "../../src/authoring/step.types.js";
import type {
  CatchErrorOptions,
  ChildOptions,
  CollectEventsOptions,
  CollectOptions,
  DefineOptions,
  EffectOptions,
  ExponentialOptions,
  FromDictOptions,
  HandlerSendOptions,
  IncrementingOptions,
  JitterOptions,
  JoinOptions,
  LimitOptions,
  Question,
  ResourceMap,
  ResourceOptions,
  ResumeOptions,
  RetryOptions,
  RunOptions,
  SendOptions,
  SleepOptions,
  StreamOptions,
  ToDictOptions,
  WaitOptions,
  WorkflowEvent,
  WorkflowOptions,
  WriteOptions,
} from "../../src/index.js";
import type { knownOptions } from "../../src/value/known-options.js";
import type { Words } from "../../src/value/unknown-options.js";

interface Interfaces {
  readonly step: AnyStepOptions;
  readonly catchError: CatchErrorOptions<EmittableClasses> & Pick<AnyStepOptions, "resources">;
  readonly collect: CollectOptions;
  readonly join: JoinOptions<WorkflowEvent>;
  readonly Workflow: WorkflowOptions;
  readonly defineWorkflow: DefineOptions<never>;
  readonly limits: LimitOptions;
  readonly resource: ResourceOptions<unknown, ResourceMap>;
  readonly run: RunOptions;
  readonly resume: ResumeOptions;
  readonly send: HandlerSendOptions;
  readonly streamEvents: StreamOptions;
  readonly toDict: ToDictOptions;
  readonly fromDict: FromDictOptions;
  readonly sendEvent: SendOptions;
  readonly waitForEvent: WaitOptions<WorkflowEvent>;
  readonly ask: Question;
  readonly collectEvents: CollectEventsOptions;
  readonly runChild: ChildOptions;
  readonly sleep: SleepOptions;
  readonly "ctx.run": EffectOptions;
  readonly write: WriteOptions;
  readonly retryPolicy: RetryOptions;
  readonly exponential: ExponentialOptions;
  readonly exponentialJitter: JitterOptions;
  readonly fullJitter: ExponentialOptions;
  readonly incrementing: IncrementingOptions;
}

/** Every option of every call is in the list of names, and no other. */
expectTypeOf<{ [Call in keyof typeof knownOptions]: Words<(typeof knownOptions)[Call]> }>().toEqualTypeOf<{
  readonly [Call in keyof Interfaces]: keyof Interfaces[Call];
}>();
