/**
 * The part of a run that one process executes: from its start or a snapshot, to its end or a crash.
 *
 * @module
 */
import {
  Context,
  type ContextDict,
  type Middleware,
  type ResourceOverride,
  type RunContext,
  type Telemetry,
  type Workflow,
  type WorkflowHandler,
} from "millrace";
import { compileWorkflow, type Log } from "millrace/engine";
import { Attempts as AttemptList, type Attempts, watching } from "./attempts.js";
import { installHarness } from "./harness.js";
import type { Recording } from "./recording.js";
import { type Guide, Scheduler } from "./seeded-scheduler.js";
import type { VirtualClock } from "./virtual-clock.js";

export interface SegmentSetup {
  readonly workflow: Workflow;
  readonly clock: VirtualClock;
  readonly recording: Recording;
  /** Seed that permutes concurrent work; `null` for the order of the engine. */
  readonly seed: number | null;
  /** Order in which work reports, instead of the order of the seed. */
  readonly guide?: Guide | null;
  /** Log of the workflow when `null`. */
  readonly log: Log | null;
  /** Middleware around every attempt. @default none */
  readonly around?: Middleware;
  readonly telemetry?: Telemetry;
  /** @default one for all runs, because jitter and the ids of children are derived from it */
  readonly runId?: string;
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

export interface RunSegment {
  readonly workflow: string;
  readonly handler: WorkflowHandler;
  readonly clock: VirtualClock;
  readonly recording: Recording;
  readonly attempts: Attempts;
  /** Returns whether a scheduler holds work that it will release. */
  readonly isHolding: () => boolean;
  /** A call is made that takes real time: its step is not late. @default never */
  readonly isCalling?: () => boolean;
  /** Keeps further work from starting. */
  readonly stop: () => void;
}

export const RUN_ID = "run";

export function begin(setup: SegmentSetup, beginning: Beginning): RunSegment {
  const { workflow, clock, recording, seed, guide = null, log, around, telemetry, runId = RUN_ID } = setup;
  const { name } = compileWorkflow(workflow);
  const scheduler = seed === null ? null : new Scheduler(seed, name, guide);
  const attempts = scheduler?.attempts ?? new AttemptList();
  const ports = { clock, journal: recording, ids: { runId: () => runId }, ...(log !== null && { log }) };
  const inner = scheduler?.middleware ?? watching(attempts, name);
  installHarness(workflow, { ports, middleware: around ? nest(around, inner) : inner, telemetry });
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
