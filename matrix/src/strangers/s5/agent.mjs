/** An agent with two tools, one with an approval; it is continued with answers, as the page says. */
import { Agent, tool } from "@millrace/agents";
import { MockLanguageModelV4 } from "ai/test";
import * as z from "zod";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const call = { type: "tool-call", toolCallId: "call-1", toolName: "refund", input: '{"order":"A-17"}' };
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const isAnswered = prompt.at(-1).role === "tool";
    const finishReason = { unified: isAnswered ? "stop" : "tool-calls" };
    return { content: [isAnswered ? { type: "text", text: "Paid." } : call], finishReason, usage, warnings: [] };
  },
});
const refund = tool({
  name: "refund",
  description: "Pays an order back.",
  parameters: z.object({ order: z.string() }),
  requiresConfirmation: true,
  execute: ({ order }) => `paid ${order}`,
});
const clerk = new Agent({ name: "Clerk", model, tools: [refund] });

const run = await clerk.run("A-17 arrived broken");
const answers = run.pause.requirements.map(({ toolCallId }) => ({ toolCallId, approved: true }));
const { content } = await clerk.continueRun(run, answers);
console.log(`${run.status}, continued: ${content}`);
