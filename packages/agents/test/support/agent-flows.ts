/** Agents that count with two tools, and note under which key each call was made. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Parallel, Pipeline, type PipelineOptions, Steps } from "@millrace/pipeline";
import { streamText } from "ai";
import { type Context, defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
import { Agent, recorded, Team, tool } from "../../src/index.js";
import { scriptArguments } from "./scripts.js";

export const rounds = 12;

type PipelineMode = "steps" | "parallel" | "team";
export type Mode = "workflow" | "both" | "own" | "mcp" | PipelineMode;

/** Where the model is, and where the tools write. */
export interface World {
  readonly url: string;
  readonly log: string;
  /** Address of an MCP server; a file for one that is started here, to write what it is asked. */
  readonly desk?: string | undefined;
}

export const inputOf = (mode: Mode) => (mode === "workflow" || mode === "mcp" ? { input: `count ${rounds}` } : {});

export function flowsOf(world: World) {
  return { workflow: agentOf(world, "a").workflow, both: both(world), own: own(world), mcp: mcp(world).workflow };
}

/** A pipeline with agents one after the other, at once, or in a team. */
function pipelineOf(world: World, mode: PipelineMode): Pipeline {
  const [a, b] = [agentOf(world, "a"), agentOf(world, "b")];
  const steps: Readonly<Record<PipelineMode, PipelineOptions["steps"]>> = {
    steps: [new Steps({ name: "row", steps: [a, b] })],
    parallel: [new Parallel("both", a, b)],
    team: [new Team({ name: "lead", model: modelOf(world), members: [a, b] })],
  };
  return new Pipeline({ name: "survives", steps: steps[mode], storeEvents: true });
}

/** What a process runs, and with which input. */
export function workOf(world: World, mode: Mode) {
  if (mode !== "steps" && mode !== "parallel" && mode !== "team")
    return { flow: flowsOf(world)[mode], input: inputOf(mode) };
  const pipeline = pipelineOf(world, mode);
  const asked = mode === "team" ? `team a b ${rounds}` : `count ${rounds}`;
  return { flow: pipeline.workflow, input: pipeline.workflowInput(asked, { sessionId: "s" }) };
}

const modelOf = ({ url }: World) =>
  createOpenAICompatible({ name: "local", baseURL: url, apiKey: "k", includeUsage: true })("m");

/** Takes a while, counts in the state, and notes under which key it was called. */
const counter = ({ log }: World, who: string, name: string) =>
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

function agentOf(world: World, name: string) {
  const tools = [counter(world, name, "left"), counter(world, name, "right")];
  return new Agent({ name, model: modelOf(world), tools });
}

const state = { session: z.record(z.string(), z.unknown()).default({}) };

/** Two agents side by side in one step. */
function both(world: World) {
  return defineWorkflow("both", { state })
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const ask = (name: string) => agentOf(world, name).run(`count ${rounds}`, { ctx, statePath: "session" });
      const answers = await Promise.all([ask("a"), ask("b")]);
      return new StopEvent({ result: answers.map(({ content }) => content).join("") });
    })
    .build();
}

/** Both tools are those of an MCP server. */
function mcp(world: World) {
  const { desk = "" } = world;
  const transport = desk.startsWith("http")
    ? ({ type: "http", url: desk } as const)
    : new StdioTransport({ command: process.execPath, args: [...scriptArguments("mcp-process.ts", ["stdio", desk])] });
  const sdkTools = async () => (await createMCPClient({ transport })).tools();
  return new Agent({ name: "a", model: modelOf(world), sdkTools });
}

/** A loop of the AI SDK itself. */
function own(world: World) {
  return defineWorkflow("own", { state })
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx: Context) => {
      const tools = Object.fromEntries(["left", "right"].map((name) => [name, sdkCounter(world, name)]));
      const result = streamText({
        ...recorded(ctx, { model: modelOf(world), tools }),
        prompt: `count ${rounds}`,
        stopWhen: ({ steps }) => steps.length > rounds,
      });
      return new StopEvent({ result: await result.text });
    })
    .build();
}

function sdkCounter({ log }: World, name: string) {
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
