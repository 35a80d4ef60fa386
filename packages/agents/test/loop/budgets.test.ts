/** Model calls of agents with the budgets of a runtime. */
import { Pipeline, Step } from "@millrace/pipeline";
import { generateText, isStepCount, streamText } from "ai";
import { type Context, defineWorkflow, StartEvent, StopEvent } from "millrace";
import { type BudgetOptions, BudgetReachedEvent, budgetOf, createRuntime, withinBudget } from "millrace/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, type AgentOptions, recorded, Team, tool } from "../../src/index.js";
import { scripted } from "../support/models.js";

/** 10 tokens in and 5 out in every call of `scripted`: 0.00015 dollars. */
const prices = { scripted: { input: 10, output: 10 } };
const modelSettings = { maxOutputTokens: 20 };
const look = tool({ name: "look", description: "Looks.", parameters: z.object({}), execute: () => "seen" });
const looking = [["look", {}] as const];
const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const runtime of open.splice(0)) await runtime.stop();
});

function agentOf(script: Parameters<typeof scripted>[0], more: Partial<AgentOptions> = {}) {
  const model = scripted(script);
  const agent = new Agent({ model, tools: [look], prices, modelSettings, ...more });
  return { agent, made: () => model.doStreamCalls.length + model.doGenerateCalls.length };
}

function runtimeOf(budgets: BudgetOptions, work: (ctx: Context) => Promise<unknown>) {
  const flow = defineWorkflow("asking")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => new StopEvent({ result: await work(ctx) }))
    .build();
  const runtime = createRuntime({ workflows: { flow }, budgets, log: { info() {}, error() {} } });
  open.push(runtime);
  return runtime;
}

const spentBy = async (runtime: ReturnType<typeof runtimeOf>) => (await runtime.budgets.run("r1")).spent;

describe("an agent with a budget", () => {
  it("spends what its models have used", async () => {
    const { agent } = agentOf([looking, looking, "Done."]);
    const runtime = runtimeOf({ run: { usd: 1 } }, async (ctx) => (await agent.run("go", { ctx })).content);
    expect(await runtime.run("flow", {}, { runId: "r1" })).toBe("Done.");
    expect(await spentBy(runtime)).toEqual({ tokens: 45, usd: 0.00045, calls: 3 });
  });

  it.each([
    [{ calls: 2 }, 2],
    [{ tokens: 40 }, 0], // its request and 20 tokens of an answer are more
    [{ tokens: 400 }, 3],
    [{ usd: 0.0001 }, 0],
  ])("makes no call that may exceed %j", async (run, calls) => {
    const { agent, made } = agentOf([looking, looking, "Done."]);
    const runtime = runtimeOf({ run }, async (ctx) => (await agent.run("go", { ctx })).content);
    await runtime.run("flow").then(null, (error) => expect(error).toMatchObject({ code: "BUDGET_EXCEEDED" }));
    expect(made()).toBe(calls);
  });

  it("continues where it stood once more is allowed", async () => {
    const { agent, made } = agentOf([looking, looking, "Done."]);
    const runtime = runtimeOf({ run: { calls: 2 } }, async (ctx) => (await agent.run("go", { ctx })).content);
    await expect(runtime.run("flow", {}, { runId: "r1" })).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
    await runtime.budgets.allow("r1", { calls: 1 });
    expect(await runtime.retry("r1")).toBe("Done.");
    expect(made()).toBe(3);
  });

  it("has one for all members of a team", async () => {
    const { agent: member, made } = agentOf([looking, "Seen."], { name: "eye", role: "Looks." });
    const leader = scripted([[["delegate_task_to_member", { member: "eye", task: "look" }]], "Done."]);
    const team = new Team({ members: [member], model: leader, prices, modelSettings });
    const runtime = runtimeOf({ run: { calls: 3 } }, async (ctx) => (await team.run("go", { ctx })).content);
    await runtime.run("flow", {}, { runId: "r1" }).then(null, () => {});
    expect(made() + leader.doStreamCalls.length).toBe(3);
    expect((await spentBy(runtime)).calls).toBe(3);
  });

  it("has it as the executor of a pipeline, too", async () => {
    const { agent, made } = agentOf([looking, looking, "Done."]);
    const pipeline = new Pipeline({
      name: "looking",
      steps: [new Step({ name: "look", executor: agent, maxRetries: 0 })],
    });
    const budgets = { tenant: { callsPerDay: 2 } };
    const runtime = createRuntime({
      workflows: { looking: pipeline.workflow },
      budgets,
      log: { info() {}, error() {} },
    });
    open.push(runtime);
    await runtime.run("looking", { input: "go" } as never).then(null, () => {});
    expect(made()).toBe(2);
    expect((await runtime.budgets.tenant()).spent.calls).toBe(2);
  });

  it("refuses a budget in dollars for a model without a price, before it is asked", async () => {
    const { agent, made } = agentOf(["Done."], { prices: {} });
    const runtime = runtimeOf({ run: { usd: 1 } }, async (ctx) => (await agent.run("go", { ctx })).content);
    await expect(runtime.run("flow")).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: 'The budget is in US dollars, and the model "mock/scripted" has no price.',
    });
    expect(made()).toBe(0);
  });

  it("has none in memory", async () => {
    const { agent } = agentOf([looking, "Done."]);
    expect((await agent.run("go")).content).toBe("Done.");
  });
});

describe("at its limit, an agent", () => {
  it("asks a person, and continues with the same call", async () => {
    const { agent, made } = agentOf([looking, looking, "Done."], {
      atBudget: async ({ allowed, unit }, ctx) => {
        const { more } = await ctx.ask({
          title: `${allowed} ${unit} are spent. How many more?`,
          schema: { more: z.number() },
        });
        await budgetOf(ctx).allow("more", { calls: more });
      },
    });
    const runtime = runtimeOf({ run: { calls: 1 } }, async (ctx) => (await agent.run("go", { ctx })).content);
    const run = runtime.run("flow", {}, { runId: "r1" });
    for (const title of ["1 calls are spent. How many more?", "2 calls are spent. How many more?"]) {
      await run.idle();
      const [prompt] = await run.prompts();
      expect(prompt?.event.toJSON()).toMatchObject({ title });
      await run.answer(prompt?.promptId ?? "", { more: 1 });
    }
    expect(await run).toBe("Done.");
    expect(made()).toBe(3);
    expect(await spentBy(runtime)).toMatchObject({ calls: 3 });
  });

  it("goes on with a cheaper model", async () => {
    const cheap = scripted([looking, "Done, cheaply."], "cheap");
    const { agent, made } = agentOf([looking, "Done."], {
      prices: { scripted: { input: 10, output: 1_000 }, cheap: { input: 0, output: 0.1 } },
      atBudget: () => cheap,
    });
    const runtime = runtimeOf({ run: { usd: 0.022 } }, async (ctx) => (await agent.run("go", { ctx })).content);
    expect(await runtime.run("flow")).toBe("Done, cheaply.");
    expect([made(), cheap.doStreamCalls.length]).toEqual([1, 2]);
  });

  it("fails when nothing has changed", async () => {
    let asked = 0;
    const { agent, made } = agentOf([looking, "Done."], { atBudget: () => void asked++ });
    const runtime = runtimeOf({ run: { calls: 1 } }, async (ctx) => (await agent.run("go", { ctx })).content);
    await expect(runtime.run("flow")).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect([made(), asked]).toEqual([1, 1]);
  });

  it("hands over to another step", async () => {
    const { agent } = agentOf([looking, "Done."]);
    const flow = defineWorkflow("asking")
      .step("ask", { on: StartEvent, emits: [StopEvent, BudgetReachedEvent] }, (_ev, ctx) =>
        withinBudget(async () => new StopEvent({ result: (await agent.run("go", { ctx })).content })),
      )
      .step(
        "settle",
        { on: BudgetReachedEvent, emits: StopEvent },
        ({ spent, unit }) => new StopEvent({ result: `No answer for ${spent} ${unit}.` }),
      )
      .build();
    const runtime = createRuntime({ workflows: { flow }, budgets: { run: { calls: 1 } } });
    open.push(runtime);
    expect(await runtime.run("flow")).toBe("No answer for 1 calls.");
  });
});

describe("a loop of the AI SDK", () => {
  it.each(["generateText", "streamText"])("has the budget with recorded(): %s", async (how) => {
    const model = scripted([looking, looking, "Done."]);
    const runtime = runtimeOf({ run: { calls: 2, usd: 1 } }, async (ctx) => {
      const tools = { look: { inputSchema: z.object({}), execute: async () => "seen" } };
      const options = {
        ...recorded(ctx, { model, tools, prices }),
        prompt: "go",
        stopWhen: isStepCount(5),
        maxOutputTokens: 20,
      };
      if (how === "generateText") return (await generateText(options)).text;
      const { stream } = streamText({ ...options, onError: () => {} });
      for await (const part of stream) if (part.type === "error") throw part.error;
      return null;
    });
    await expect(runtime.run("flow", {}, { runId: "r1" })).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(await spentBy(runtime)).toEqual({ tokens: 30, usd: 0.0003, calls: 2 });
  });
});
