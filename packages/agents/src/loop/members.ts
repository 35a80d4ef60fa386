/**
 * A leader gives a task to a member. A member of this package runs its own loop, whose calls are recorded one by one; another executor is
 * one recorded call, or one for each of its pauses.
 *
 * @module
 */
import { type ExecutorPause, emptyMetrics, type StepMetricsData, type ToolAnswer } from "@millrace/pipeline/executor";
import { type Context, WorkflowError } from "millrace";
import { toFailure } from "../run/failure.js";
import { messageOf } from "../run/run-events.js";
import type { ExecutorResult, Member } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { settingsOf } from "../settings/known-settings.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import { mediaSet, userMessage } from "../settings/media-part.js";
import { newLedger } from "./ledger.js";
import type { LoopRun } from "./loop-run.types.js";
import { ask } from "./questions.js";
import { resultOf } from "./result.js";

interface MemberTask {
  readonly call: ModelToolCall;
  readonly ctx: Context;
  /** Path of `ctx`, for ids. */
  readonly place: string;
  readonly members: readonly Member[];
  readonly member: string;
  readonly task: string;
}

type Told = { readonly output: unknown } | { readonly error: string };

/** A member's failure is told to the leader, which may do without the member or ask another one. */
export async function callMember(run: LoopRun, given: MemberTask): Promise<Told> {
  const { executor } = given.members.find(({ id }) => id === given.member) as Member; // the schema takes no other
  const { toolCallId, toolName } = given.call;
  run.watch.started?.(given.call);
  const settings = settingsOf(executor);
  const result = await (settings === null ? callForeign(run, given, executor) : lead(run, given, settings));
  run.ledger.members.push({ ...result, memberId: given.member, memberName: executor.name, task: given.task });
  run.ledger.media.push(...result.images, ...result.videos, ...result.audio, ...result.files);
  const { status, content, error } = result;
  const told = status === "COMPLETED" ? { output: content } : { error: textOf(status, error) };
  const failed = "error" in told;
  const facts = { toolCallId, toolName, toolArgs: given.call.input, toolCallError: failed };
  run.watch.ended?.({ ...facts, result: failed ? told.error : told.output });
  return told;
}

function textOf(status: string, error: ExecutorResult["error"]): string {
  return error === null ? `The member's run ended as ${status}.` : messageOf(error);
}

async function lead(run: LoopRun, { ctx, place, task }: MemberTask, settings: ExecutorSettings): Promise<ExecutorResult> {
  const ledger = newLedger();
  const message = await userMessage(task, run.media, settings.readFile);
  const inner: LoopRun = {
    ...run,
    settings,
    ctx: ctx.scope(settings.id),
    place: `${place}_${settings.id}`,
    ledger,
    history: [],
    said: [message],
    turns: [],
    isMember: true,
    asked: {},
  };
  try {
    return resultOf(inner, { answer: await run.lead(inner), runId: inner.place });
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return resultOf(inner, { error: toFailure(error, settings), runId: inner.place });
  } finally {
    run.ledger.made.push(...ledger.made);
  }
}

type Stored = Omit<ExecutorResult, "error"> & { readonly error: ReturnType<WorkflowError["toJSON"]> | null };

async function callForeign(
  run: LoopRun,
  { ctx, task, call: made }: MemberTask,
  executor: Member["executor"],
): Promise<ExecutorResult> {
  let resume: { readonly state: unknown; readonly answers: readonly ToolAnswer[] } | undefined;
  for (let part = 0; ; part++) {
    const stored = await ctx.run(`call.${part}`, async (call): Promise<Stored> => {
      const { signal } = call;
      const result = await run.session.use({ ctx, signal }, (runContext) => {
        const { sessionId, userId, sessionState, runId } = runContext;
        return executor.execute({
          input: task,
          ...mediaSet(run.media),
          ...{ sessionId, userId, sessionState, runContext, signal, parentRunId: runId },
          ...(run.watch.emit !== undefined && { stream: run.watch.emit }),
          idempotencyKey: run.keyOf(call, made),
          ...(resume !== undefined && { resume }),
        });
      });
      return JSON.parse(JSON.stringify(result)) as Stored; // errors become plain, too: they have a `toJSON`
    });
    const error = stored.error === null ? null : new WorkflowError(stored.error);
    const result = { ...stored, metrics: stored.metrics ?? (emptyMetrics as StepMetricsData), error };
    if (result.status !== "PAUSED" || result.pause === null) return result;
    resume = { state: result.pause.state, answers: await answersTo(run, result.pause, ctx.scope(`pause.${part}`)) };
  }
}

function answersTo(run: LoopRun, { requirements }: ExecutorPause, ctx: Context): Promise<ToolAnswer[]> {
  const asked = requirements.map(async ({ toolCallId, toolName, toolArgs }, index) => {
    const title = `May a member call ${toolName}?`;
    const facts = { agent: run.settings.name, toolCallId, toolName, input: toolArgs, problem: null };
    const reply = await ask(ctx, `${index}`, { question: { kind: "permission", title, ...facts } });
    return { toolCallId, approved: reply.approved, note: reply.note };
  });
  return Promise.all(asked);
}
