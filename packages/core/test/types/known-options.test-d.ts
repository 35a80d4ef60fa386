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
import type { Words } from "../../src/value/option-rules.js";
import type { knownOptions } from "../../src/value/options.js";

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

type Calls = keyof typeof knownOptions;
type Named<Call extends Calls> = Words<(typeof knownOptions)[Call]>;
type Typed<Call extends Calls> = Extract<keyof Interfaces[Call], string>;

/** Options such as `step.retry` that have a type and are not in the list of names: add each of them to `knownOptions`. */
type MissingInList = { [Call in Calls]: `${Call}.${Exclude<Typed<Call>, Named<Call>>}` }[Calls];
expectTypeOf<MissingInList>().toBeNever();

/** Names in the list that are not options of the type. */
type MissingInType = { [Call in Calls]: `${Call}.${Exclude<Named<Call>, Typed<Call>>}` }[Calls];
expectTypeOf<MissingInType>().toBeNever();
