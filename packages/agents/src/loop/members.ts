/**
 * A leader delegates a task to a member. A member of this package runs its own loop, whose calls are recorded one by one.
 *
 * @module
 */
import { messageOf } from "@millrace/executor";
import { callKey } from "../run/call-key.js";
import { toFailure } from "../run/failure.js";
import { observed, observedTool } from "../run/observed.js";
import type { ExecutorResult, Member } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { settingsOf } from "../settings/known-settings.js";
import { listOf, userMessage } from "../settings/media-part.js";
import { callForeign, type MemberEnd, type MemberTask } from "./foreign-member.js";
import type { LoopRun } from "./loop-run.types.js";
import { newLedger, resultOf } from "./result.js";
import { executionOf, type ToolRecord } from "./tool-record.js";

interface Delegated extends MemberTask {
  /** Path of `ctx`, for ids. */
  readonly place: string;
  readonly members: readonly Member[];
  readonly member: string;
}

/** The leader gets the failure of a member, and may do without it or ask another one. */
export async function callMember(run: LoopRun, given: Delegated): Promise<ToolRecord> {
  const { executor } = given.members.find(({ id }) => id === given.member) as Member; // the schema takes no other
  const settings = settingsOf(executor);
  const work = () => (settings === null ? callForeign(run, given, executor) : lead(run, given, settings));
  const { result, isNew } = await observedTool(given.call, work);
  run.ledger.reported.delete(given.call.toolCallId);
  run.ledger.members.push({ ...result, memberId: given.member, memberName: executor.name, task: given.task });
  run.ledger.media.push(...listOf(result));
  const { status, content, error } = result;
  const record = status === "COMPLETED" ? { output: content } : { error: textOf(status, error) };
  if (isNew) run.events.toolEnded(executionOf(given.call, record));
  return record;
}

function textOf(status: string, error: ExecutorResult["error"]): string {
  return error === null ? `The member's run ended as ${status}.` : messageOf(error);
}

async function lead(run: LoopRun, given: Delegated, settings: ExecutorSettings): Promise<MemberEnd> {
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
