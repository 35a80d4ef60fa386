/** An agent without a model: what it gives is made by the test. */
import type { Executor, ExecutorRequest, ExecutorResult } from "../../src/index.js";

export const tokens = (count: number): NonNullable<ExecutorResult["metrics"]> => ({
  inputTokens: count,
  outputTokens: 0,
  totalTokens: count,
  duration: 1,
});

/** Ten tokens and one second a call, and its name as the content, where the test says nothing else. */
export function fakeAgent(
  name: string,
  give: (request: ExecutorRequest) => Partial<ExecutorResult> | Promise<Partial<ExecutorResult>> = () => ({}),
): Executor {
  return {
    kind: "agent",
    name,
    canPause: true,
    async execute(request) {
      const base = { runId: `${name} of ${request.idempotencyKey}`, content: name, metrics: tokens(10), error: null };
      return { ...base, status: "COMPLETED", ...(await give(request)) };
    },
  };
}

/** Pauses once for the call of a tool, then says what it was told. */
export function pausingAgent(name: string): Executor {
  return fakeAgent(name, ({ resume, input }) => {
    if (resume === undefined)
      return { status: "PAUSED", pause: { requirements: [toolCall(name, 1)], state: { asked: input } } };
    return { content: { state: resume.state, answers: resume.answers }, metrics: tokens(25) };
  });
}

export const toolCall = (name: string, count: number) => ({
  toolCallId: `${name} call ${count}`,
  toolName: "delete_file",
  toolArgs: { path: "a.txt" },
});
