import { z } from "zod";
import type { ExecutorResult } from "./executor.types.js";
import type { Member } from "./members.js";
import type { ActiveRun } from "./settings.types.js";
import { mediaSet } from "./run/media-part.js";
import { tool } from "./tool.js";
import type { AgentTool, ToolContext } from "./tool.types.js";

/** The leader's way to put members to work, for one run of the team. */
export function delegateTool(members: readonly Member[], run: ActiveRun): AgentTool {
  return tool({
    name: "delegate_task_to_member",
    description: "Give a member of the team a task. Returns the member's answer.",
    parameters: z.object({
      member: z.enum(members.map(({ id }) => id)).describe("The member."),
      task: z.string().describe("The task, with all that the member has to know."),
    }),
    execute: async ({ member: memberId, task }, context) => {
      const member = members.find(({ id }) => id === memberId) as Member; // the schema takes no other
      const result = await member.executor.execute(requestFor(run, task, context));
      run.members.push({ ...result, memberId, memberName: member.executor.name, task });
      for (const item of [...result.images, ...result.videos, ...result.audio, ...result.files]) context.addMedia(item);
      return answerOf(result);
    },
  });
}

function requestFor({ job, context }: ActiveRun, task: string, call: ToolContext) {
  return {
    input: task,
    ...mediaSet(job.media),
    sessionId: job.sessionId,
    userId: job.userId,
    sessionState: job.state,
    runContext: context,
    ...(job.emit === undefined ? {} : { stream: job.emit }),
    signal: call.signal,
    idempotencyKey: call.idempotencyKey,
    parentRunId: job.runId,
  };
}

/** What goes wrong with a member is told to the leader, which may do without or ask another one. */
function answerOf({ status, content, error }: ExecutorResult): unknown {
  if (status === "COMPLETED") return content;
  throw error ?? new DOMException(`The member's run ended as ${status}.`, "OperationError");
}
