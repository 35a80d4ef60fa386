/** An agent without a model: what it gives is made by the test. */
import * as z from "zod";
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
    async execute(request) {
      const base = { runId: `${name} of ${request.idempotencyKey}`, content: name, metrics: tokens(10), error: null };
      return { ...base, status: "COMPLETED", ...(await give(request)) };
    },
  };
}

/** Asks once about the call of a tool, then says what it was told. */
export function pausingAgent(name: string): Executor {
  return fakeAgent(name, async ({ ctx, input, report }) => {
    report?.(tokens(10));
    const answer = await askAbout(ctx, toolCall(name, 1));
    return { content: { state: { asked: input }, answers: [answer] }, metrics: tokens(25) };
  });
}

/** As agents ask. */
export async function askAbout(ctx: ExecutorRequest["ctx"], call: ReturnType<typeof toolCall>) {
  const { toolCallId, toolName, toolArgs: input } = call;
  const details = { id: toolCallId, toolName, input };
  const schema = z.object({ approved: z.boolean(), note: z.string().nullable().default(null) });
  const { approved, note } = await ctx.ask({ key: toolCallId, title: `May it call ${toolName}?`, details, schema });
  return { toolCallId, approved, note };
}

export const toolCall = (name: string, count: number) => ({
  toolCallId: `${name} call ${count}`,
  toolName: "delete_file",
  toolArgs: { path: "a.txt" },
});
