/**
 * A member of a team that is an object of a user's own. It is one recorded call. One that reads `ctx` from its request works in the
 * step instead, as in a pipeline: each of its calls is recorded, and a call has no calls in it.
 *
 * @module
 */
import { contextWith, emptyMetrics, isObject, refuseFinish } from "@millrace/executor";
import { type Context, type EffectCall, type EffectOptions, WorkflowError } from "millrace";
import type { Executor, ExecutorRequest, ExecutorResult, MemberRequest } from "../settings/executor.types.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import { mediaSet } from "../settings/media-part.js";
import { asJson } from "../settings/plain.js";
import type { RunContext } from "../settings/run-context.types.js";
import type { LoopRun } from "./loop-run.types.js";

export interface MemberTask {
  readonly call: ModelToolCall;
  readonly ctx: Context;
  readonly task: string;
}

export interface MemberEnd {
  readonly result: ExecutorResult;
  /** `false`: all of it was recalled. */
  readonly isNew: boolean;
}

type Stored = Omit<ExecutorResult, "error"> & { readonly error: ReturnType<WorkflowError["toJSON"]> | null };

/** The record of a member that has read `ctx`. */
interface InStep {
  readonly idempotencyKey: string;
}

export async function callForeign(run: LoopRun, given: MemberTask, executor: Executor): Promise<MemberEnd> {
  let isNew = false;
  const first = await given.ctx.run("call", (call) => {
    run.events.toolStarted(given.call);
    isNew = true;
    return inCall(run, given, { executor, call });
  });
  if ("status" in first) return { result: resultOf(first), isNew };
  return inStep(run, given, { executor, ...first });
}

interface Calling {
  readonly executor: Executor;
  readonly call: EffectCall;
}

async function inCall(run: LoopRun, given: MemberTask, { executor, call }: Calling) {
  const { signal } = call;
  const idempotencyKey = run.keyOf(run, call, given.call);
  let isInStep = false;
  const refuse = (): never => {
    isInStep = true;
    throw new TypeError("It is called again in the step, with a context.");
  };
  const work = async (runContext: RunContext): Promise<Stored> => {
    const result = await executor.execute({
      ...requestOf(run, given, { runContext, signal, idempotencyKey }),
      get ctx() {
        return refuse();
      },
      get callContext() {
        return refuse();
      },
    });
    return isInStep ? refuse() : stored(result); // it may have caught the refusal
  };
  try {
    return await run.session.use({ ctx: given.ctx, call }, work);
  } catch (error) {
    if (isInStep) return { idempotencyKey } satisfies InStep;
    throw error;
  }
}

async function inStep(
  run: LoopRun,
  given: MemberTask,
  { executor, idempotencyKey }: InStep & Pick<Calling, "executor">,
): Promise<MemberEnd> {
  const ctx = given.ctx.scope("member");
  const { context: runContext, keep } = await run.session.between(ctx);
  const contexts = new WeakMap<AbortSignal, RunContext>();
  const request: MemberRequest = {
    ...requestOf(run, given, { runContext, signal: ctx.signal, idempotencyKey }),
    ctx: memberContext(run, given, { ctx, name: executor.name, contexts }),
    callContext: ({ signal }) => contexts.get(signal) ?? refuseEnded(executor.name),
  };
  const made = stored(await executor.execute(request));
  let isNew = false;
  const result = await given.ctx.run("end", (call) => {
    isNew = true;
    return keep(call, made);
  });
  return { result: resultOf(result), isNew };
}

interface Facts {
  readonly runContext: RunContext;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
}

function requestOf(
  run: LoopRun,
  { task, call: { toolCallId } }: MemberTask,
  { runContext, signal, idempotencyKey }: Facts,
): ExecutorRequest {
  const { sessionId, userId, sessionState, runId } = runContext;
  return {
    input: task,
    ...mediaSet(run.media),
    ...{ sessionId, userId, sessionState, runContext, signal, parentRunId: runId, idempotencyKey },
    ...(run.events.emit !== undefined && { stream: run.events.emit }),
    report: (metrics) => {
      run.ledger.reported.set(toolCallId, metrics);
      run.onUsage?.();
    },
  };
}

interface MemberFacts {
  readonly ctx: Context;
  readonly name: string;
  /** Of open calls, by their signals. */
  readonly contexts: WeakMap<AbortSignal, RunContext>;
}

type Question = Parameters<Context["ask"]>[0];

/** Its calls end with what they have changed in the session state, and its questions say who asks. */
function memberContext(run: LoopRun, given: MemberTask, facts: MemberFacts): Context {
  const { ctx, name, contexts } = facts;
  return contextWith(ctx, {
    run: (key: string, effect: (call: EffectCall) => unknown, options?: EffectOptions) =>
      ctx.run(
        key,
        (call) =>
          run.session.use({ ctx, call }, async (context) => {
            const signal = AbortSignal.any([call.signal]); // tells this call from others
            contexts.set(signal, context);
            try {
              return await effect({ ...call, signal, finish: refuseFinish });
            } finally {
              contexts.delete(signal);
            }
          }),
        options,
      ),
    ask: (question: Question) => {
      const { key, title, details } = question;
      const about = isObject(details) ? details : details !== undefined && { about: details };
      const id = `${run.path}${given.call.toolCallId}/${key ?? title}`;
      return ctx.ask({ ...question, details: { ...about, id, agent: name } });
    },
    scope: (inner: string) => memberContext(run, given, { ...facts, ctx: ctx.scope(inner) }),
  });
}

function refuseEnded(name: string): never {
  throw new WorkflowError({
    code: "ATTEMPT_ENDED",
    message: `\`callContext\` of "${name}" was called for a call that has ended, or that is not one of its \`ctx.run\`.`,
    hint: "Use it inside of the function of `ctx.run`, with the argument of that function.",
    details: { executor: name },
  });
}

function stored(result: ExecutorResult): Stored {
  return asJson(result) as unknown as Stored;
}

function resultOf(result: Stored): ExecutorResult {
  const error = result.error === null ? null : new WorkflowError(result.error);
  return { ...result, metrics: result.metrics ?? emptyMetrics, error };
}
