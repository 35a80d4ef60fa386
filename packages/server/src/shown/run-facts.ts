/** What events of a run say to people, for every protocol. */
import { QuestionEvent, WorkflowError, type WorkflowEvent, type WorkflowTimedOutEvent } from "millrace";
import type { AgentQuestion } from "millrace/wire";

/** `null` for a question of another kind. */
export function agentQuestion(event: WorkflowEvent): AgentQuestion | null {
  if (!QuestionEvent.is(event)) return null;
  const { kind, id, toolCallId } = Object(event.details) as Partial<AgentQuestion>;
  const isAgents = typeof kind === "string" && typeof id === "string" && toolCallId !== undefined;
  return isAgents ? (event.details as AgentQuestion) : null;
}

export function timedOut({ timeoutMs }: WorkflowTimedOutEvent): WorkflowError {
  return new WorkflowError({
    code: "RUN_TIMED_OUT",
    message: `The run has worked for longer than ${timeoutMs} ms.`,
    hint: "Raise the `timeout` of the workflow or of the run.",
    details: { timeoutMs },
  });
}

/** The text of a result, for a run that has shown no other; `null`: it has none. */
export function resultText(event: WorkflowEvent): string | null {
  const { result } = event as { readonly result?: unknown };
  if (typeof result === "string") return result;
  const { content } = Object(result) as { readonly content?: unknown };
  return typeof content === "string" ? content : null;
}

/**
 * Names no internals: what an error says may be about servers and keys. An error that a step has thrown is one of the
 * run once it is stored, under the same code.
 */
export function codeOf(error: unknown): string {
  return WorkflowError.is(error) ? error.code : "STEP_FAILED";
}
