/** Rounds of one run: a model that calls a tool in each of its answers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, tool } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { isStepCount, tool as sdkTool, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";

type Stream = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"];
type Part = Stream extends ReadableStream<infer Part> ? Part : never;

const rounds = 54;
const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Notes the processor time of each of its calls. */
function caller(atMs: number[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async () => {
      const { user, system } = process.cpuUsage();
      const number = atMs.push((user + system) / 1000);
      const isLast = number === rounds;
      const finishReason = { unified: isLast ? ("stop" as const) : ("tool-calls" as const), raw: "end" };
      const parts: Part[] = [
        { type: "stream-start", warnings: [] },
        isLast
          ? { type: "text-delta", id: "1", delta: "done" }
          : { type: "tool-call", toolCallId: `c${number}`, toolName: "look", input: `{"at":${number}}` },
        { type: "finish", finishReason, usage },
      ];
      if (isLast) parts.splice(1, 0, { type: "text-start", id: "1" });
      return { stream: ReadableStream.from(parts) as Stream };
    },
  });
}

const answer = "A page of a book, as a tool might return it. ".repeat(20);
const parameters = z.object({ at: z.number() });

/** Median time of the rounds around the 50th, by that of the rounds around the 5th. */
function growth(atMs: readonly number[]): number {
  const around = (round: number): number => {
    const took = [-2, -1, 0, 1, 2].map((by) => (atMs[round + by] ?? 0) - (atMs[round + by - 1] ?? 0));
    return took.toSorted((one, other) => one - other)[2] ?? Number.NaN;
  };
  return around(50) / around(5);
}

/** By the loop of the AI SDK itself, which records nothing. */
export async function bareGrowth(): Promise<number> {
  const atMs: number[] = [];
  const look = sdkTool({ description: "Looks.", inputSchema: parameters, execute: () => answer });
  await streamText({
    model: caller(atMs),
    prompt: "go",
    tools: { look },
    stopWhen: isStepCount(rounds),
  }).consumeStream();
  return growth(atMs);
}

export async function agentGrowth(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "rounds-"));
  const atMs: number[] = [];
  const look = tool({ name: "look", description: "Looks.", parameters, execute: () => answer });
  const { workflow } = new Agent({ name: "reader", model: caller(atMs), tools: [look], maxSteps: rounds });
  const runtime = createRuntime({ workflows: { reader: workflow }, store: sqliteStore(join(folder, "runs.db")) });
  await runtime.run("reader", { input: "go" });
  await runtime.stop();
  rmSync(folder, { recursive: true });
  return growth(atMs);
}
