/** A process that runs an agent to its end, if nobody kills it. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Parallel, Pipeline, type PipelineOptions, Steps } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { streamText } from "ai";
import { type Context, defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";
import { Agent, recorded, Team, tool } from "../../src/index.js";

const [, , mode = "workflow", database = "", url = "", log = ""] = process.argv;
const rounds = 12;
const model = createOpenAICompatible({ name: "local", baseURL: url, apiKey: "k", includeUsage: true })("m");

/** Takes a while, counts in the state, and notes under which key it was called. */
const counter = (who: string, name: string) =>
  tool({
    name,
    description: name,
    parameters: z.object({ n: z.number() }),
    execute: async ({ n }, { idempotencyKey, sessionState }) => {
      await sleep(10);
      sessionState["calls"] = ((sessionState["calls"] as number | undefined) ?? 0) + 1;
      appendFileSync(log, `${who}.${name}.${n} ${idempotencyKey}\n`);
      return { done: n };
    },
  });

const agentOf = (name: string) => new Agent({ name, model, tools: [counter(name, "left"), counter(name, "right")] });

const state = { session: z.record(z.string(), z.unknown()).default({}) };

/** Two agents side by side in one step. */
const both = defineWorkflow("both", { state })
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const ask = (name: string) => agentOf(name).run(`count ${rounds}`, { ctx, statePath: "session" });
    const answers = await Promise.all([ask("a"), ask("b")]);
    return new StopEvent({ result: answers.map(({ content }) => content).join("") });
  })
  .build();

/** A loop of the AI SDK itself. */
const own = defineWorkflow("own", { state })
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx: Context) => {
    const tools = Object.fromEntries(["left", "right"].map((name) => [name, sdkCounter(name)]));
    const result = streamText({
      ...recorded(ctx, { model, tools }),
      prompt: `count ${rounds}`,
      stopWhen: ({ steps }) => steps.length > rounds,
    });
    return new StopEvent({ result: await result.text });
  })
  .build();

function sdkCounter(name: string) {
  return {
    description: name,
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }: { n: number }, { toolCallId }: { toolCallId: string }) => {
      await sleep(10);
      appendFileSync(log, `own.${name}.${n} ${toolCallId}\n`);
      return { done: n };
    },
  };
}

/** A pipeline with agents one after the other, at once, or in a team. */
const stepsOf = {
  steps: () => [new Steps({ name: "row", steps: [agentOf("a"), agentOf("b")] })],
  parallel: () => [new Parallel("both", agentOf("a"), agentOf("b"))],
  team: () => [new Team({ name: "lead", model, members: [agentOf("a"), agentOf("b")] })],
};
const pipelineOf = (steps: PipelineOptions["steps"]) => new Pipeline({ name: "survives", steps, storeEvents: true });
const isPipeline = mode in stepsOf;
const pipeline = isPipeline ? pipelineOf(stepsOf[mode as keyof typeof stepsOf]()) : null;

const flows = { workflow: agentOf("a").workflow, both, own };
const flow = (pipeline?.workflow ?? flows[mode as keyof typeof flows]) as typeof both;
const runtime = createRuntime({ workflows: { flow }, store: sqliteStore(database), leaseMs: 1_000 });
await runtime.start();
const asked = mode === "team" ? `team a b ${rounds}` : `count ${rounds}`;
const input = pipeline?.workflowInput(asked, { sessionId: "s" }) ?? (mode === "workflow" ? { input: asked } : {});
const result = await runtime.run("flow", input, { runId: "r1" });
console.log(`RESULT ${JSON.stringify(result)}`);
await runtime.stop();
