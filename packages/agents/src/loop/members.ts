/**
 * A leader delegates a task to a member. A member of this package runs its own loop, whose calls are recorded one by one; another executor is
 * one recorded call.
 *
 * @module
 */
import { emptyMetrics, messageOf } from "@millrace/executor";
import { type Context, WorkflowError } from "millrace";
import { callKey } from "../run/call-key.js";
import { toFailure } from "../run/failure.js";
import { observed, observedTool } from "../run/observed.js";
import type { ExecutorResult, Member } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { settingsOf } from "../settings/known-settings.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import { listOf, mediaSet, userMessage } from "../settings/media-part.js";
import { asJson } from "../settings/plain.js";
import type { LoopRun } from "./loop-run.types.js";
import { newLedger, resultOf } from "./result.js";
import { executionOf, type ToolRecord } from "./tool-record.js";

interface MemberTask {
  readonly call: ModelToolCall;
  readonly ctx: Context;
  /** Path of `ctx`, for ids. */
  readonly place: string;
  readonly members: readonly Member[];
  readonly member: string;
  readonly task: string;
}

/** The leader gets the failure of a member, and may do without it or ask another one. */
export async function callMember(run: LoopRun, given: MemberTask): Promise<ToolRecord> {
  const { executor } = given.members.find(({ id }) => id === given.member) as Member; // the schema takes no other
  const settings = settingsOf(executor);
  const work = () => (settings === null ? callForeign(run, given, executor) : lead(run, given, settings));
  const { result, isNew } = await observedTool(given.call, work);
  run.ledger.reported.delete(given.call.toolCallId);
  run.ledger.members.push({ ...result, memberId: given.member, memberName: executor.name, task: given.task });
  run.ledger.media.push(...listOf(result));
  const { status, content, error } = result;
  const told = status === "COMPLETED" ? { output: content } : { error: textOf(status, error) };
  if (isNew) run.events.toolEnded(executionOf(given.call, told));
  return told;
}

function textOf(status: string, error: ExecutorResult["error"]): string {
  return error === null ? `The member's run ended as ${status}.` : messageOf(error);
}

interface MemberEnd {
  readonly result: ExecutorResult;
  /** `false`: all of it was recalled. */
  readonly isNew: boolean;
}

async function lead(run: LoopRun, given: MemberTask, settings: ExecutorSettings): Promise<MemberEnd> {
  const { ctx, place, task, call } = given;
  const ledger = newLedger();
  const message = await userMessage(task, run.media, settings.readFile);
  const { instructions: _leaders, ...rest } = run;
  const inner: LoopRun = {
    ...rest,
    settings,
    ctx: ctx.scope(settings.id),
    place: `${place}_${settings.id}`,
    path: `${run.path}${call.toolCallId}/`,
    runKey: callKey(run.runKey, call, run.turns),
    session: run.session.as(settings),
    events: run.events.ofMember(settings, call),
    ledger,
    pageTools: [],
    history: [],
    unstored: [message],
    said: [message],
    turns: [],
    asked: {},
  };
  run.ledger.open.add(inner);
  const result = await observed({ ...inner, sessionId: null }, () => resultOfLoop(inner));
  run.ledger.open.delete(inner);
  const isNew = inner.events.hasBegun;
  if (isNew) inner.events.end(result, null);
  return { result, isNew };
}

async function resultOfLoop(run: LoopRun): Promise<ExecutorResult> {
  const { runId } = run.events;
  try {
    return resultOf(run, { answer: await run.lead(run), runId });
  } catch (error) {
    if (run.ctx.signal.aborted) throw error;
    return resultOf(run, { error: toFailure(error, run.settings), runId });
  }
}

type Stored = Omit<ExecutorResult, "error"> & { readonly error: ReturnType<WorkflowError["toJSON"]> | null };

/** One recorded call. Calls do not nest, so it gets no `ctx`. */
async function callForeign(
  run: LoopRun,
  { ctx, task, call: made }: MemberTask,
  executor: Member["executor"],
): Promise<MemberEnd> {
  let isNew = false;
  const stored = await ctx.run("call", (call) => {
    const { signal } = call;
    run.events.toolStarted(made);
    isNew = true;
    return run.session.use({ ctx, call }, async (runContext): Promise<Stored> => {
      const { sessionId, userId, sessionState, runId } = runContext;
      const result = await executor.execute({
        input: task,
        ...mediaSet(run.media),
        ...{ sessionId, userId, sessionState, runContext, signal, parentRunId: runId },
        ...(run.events.emit !== undefined && { stream: run.events.emit }),
        idempotencyKey: run.keyOf(run, call, made),
        report: (metrics) => {
          run.ledger.reported.set(made.toolCallId, metrics);
          run.onUsage?.();
        },
      });
      return asJson(result) as unknown as Stored;
    });
  });
  const error = stored.error === null ? null : new WorkflowError(stored.error);
  return { result: { ...stored, metrics: stored.metrics ?? emptyMetrics, error }, isNew };
}
