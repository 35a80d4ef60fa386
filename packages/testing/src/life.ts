/**
 * One process's part of a run: from its start or from a snapshot, to its end or to a crash.
 *
 * @module
 */
import {
  Context,
  type ContextDict,
  type Middleware,
  type ResourceOverride,
  type RunContext,
  type Workflow,
  type WorkflowHandler,
} from "millrace";
import { compileWorkflow, type Log } from "millrace/engine";
import { type Attempts, Attempts as AttemptList, watching } from "./attempts.js";
import type { Recording } from "./recording.js";
import { type Guide, Scheduler } from "./seeded-scheduler.js";
import { setStage } from "./stage.js";
import type { VirtualClock } from "./virtual-clock.js";

export interface LifeSetup {
  readonly workflow: Workflow;
  readonly clock: VirtualClock;
  readonly recording: Recording;
  /** Null: work is done in the order in which the engine comes to it. */
  readonly seed: number | null;
  /** Work reports in this order, instead of that of the seed. */
  readonly guide?: Guide | null;
  /** Null: that of the workflow. */
  readonly log: Log | null;
  /** Put around every attempt. @default nothing */
  readonly around?: Middleware;
}

export type Beginning =
  | {
      readonly type: "input";
      readonly input: unknown;
      readonly context?: RunContext | undefined;
      readonly resources?: readonly ResourceOverride[] | undefined;
    }
  | {
      readonly type: "snapshot";
      readonly dict: ContextDict;
      readonly resources?: readonly ResourceOverride[] | undefined;
    };

export interface Life {
  readonly workflow: string;
  readonly handler: WorkflowHandler;
  readonly clock: VirtualClock;
  readonly recording: Recording;
  readonly attempts: Attempts;
  /** Work is held, and will be let go. */
  readonly isHolding: () => boolean;
  /** Lets nothing begin any more. */
  readonly stop: () => void;
}

/** The same in all tests: jitter and the ids of children follow from it. */
export const RUN_ID = "run";

export function begin(setup: LifeSetup, beginning: Beginning): Life {
  const { workflow, clock, recording, seed, guide = null, log, around } = setup;
  const { name } = compileWorkflow(workflow);
  const scheduler = seed === null ? null : new Scheduler(seed, name, guide);
  const attempts = scheduler?.attempts ?? new AttemptList();
  const ports = { clock, journal: recording, ids: { runId: () => RUN_ID }, ...(log !== null && { log }) };
  const inner = scheduler?.middleware ?? watching(attempts, name);
  setStage(workflow, { ports, middleware: around ? nest(around, inner) : inner });
  return {
    workflow: name,
    handler: start(workflow, beginning),
    ...{ clock, recording, attempts },
    isHolding: () => scheduler?.isBusy ?? false,
    stop: () => scheduler?.stop(),
  };
}

function nest(outer: Middleware, inner: Middleware): Middleware {
  return (call, next) => outer(call, () => inner(call, next));
}

type AnyRun = (input: unknown, options: object) => WorkflowHandler;

function start(workflow: Workflow, beginning: Beginning): WorkflowHandler {
  const { resources } = beginning;
  const options = resources === undefined ? {} : { resources };
  if (beginning.type === "snapshot") return workflow.resume(Context.fromDict(workflow, beginning.dict), options);
  const { input, context } = beginning;
  return (workflow.run as AnyRun)(input, context === undefined ? options : { ...options, context });
}
