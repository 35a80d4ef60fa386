import type { ExecutorResume, ToolAnswer } from "@millrace/pipeline/executor";
import { z } from "zod";
import type { ExecutorRequest, ExecutorResult, Member } from "../settings/executor.types.js";
import type { LeadingRun } from "../settings/job.types.js";
import { mediaSet } from "../settings/media-part.js";
import type { MemberCall, PausedMember } from "../settings/paused-state.types.js";
import { tool } from "../settings/tool.js";
import type { AgentTool } from "../settings/tool.types.js";

export const memberToolName = "delegate_task_to_member";

/** The tool with which the leader of one team run gives tasks to members. */
export function delegateTool(members: readonly Member[], run: LeadingRun): AgentTool {
  return tool({
    name: memberToolName,
    description: "Give a member of the team a task. Returns the member's answer.",
    parameters: z.object({
      member: z.enum(members.map(({ id }) => id)).describe("The member."),
      task: z.string().describe("The task, with all that the member has to know."),
    }),
    execute: ({ member: memberId, task }, { toolCallId, idempotencyKey, signal }) =>
      runMember(run, { toolCallId, memberId, task, idempotencyKey }, { signal }),
  });
}

/** Resumes a paused member with the answers of a person. */
export function resumeMember(run: LeadingRun, member: PausedMember, answers: readonly ToolAnswer[]): Promise<unknown> {
  return runMember(run, member, { signal: run.job.signal, resume: { state: member.pause.state, answers } });
}

interface MemberPart {
  readonly signal: AbortSignal;
  readonly resume?: ExecutorResume;
}

async function runMember(run: LeadingRun, call: MemberCall, part: MemberPart): Promise<unknown> {
  const { executor } = run.settings.members.find(({ id }) => id === call.memberId) as Member; // the schema takes no other
  const result = await executor.execute({ ...requestFor(run, call), ...part });
  const { toolCallId, memberId, task, idempotencyKey } = call;
  if (result.status === "PAUSED" && result.pause !== null) {
    const { pause, metrics } = result;
    run.waiting.push({ toolCallId, memberId, task, idempotencyKey, pause, metrics });
    return "The member waits for a person."; // not read: the run pauses
  }
  run.members.push({ ...result, memberId, memberName: executor.name, task });
  run.media.push(...result.images, ...result.videos, ...result.audio, ...result.files);
  return answerOf(result);
}

function requestFor(
  { job, context }: LeadingRun,
  { task, idempotencyKey }: MemberCall,
): Omit<ExecutorRequest, "signal"> {
  return {
    input: task,
    ...mediaSet(job.media),
    sessionId: job.sessionId,
    userId: job.userId,
    sessionState: job.state,
    runContext: context,
    ...(job.emit === undefined ? {} : { stream: job.emit }),
    idempotencyKey,
    parentRunId: job.runId,
  };
}

/** A member's failure is told to the leader, which may do without the member or ask another one. */
function answerOf({ status, content, error }: ExecutorResult): unknown {
  if (status === "COMPLETED") return content;
  throw error ?? new DOMException(`The member's run ended as ${status}.`, "OperationError");
}
