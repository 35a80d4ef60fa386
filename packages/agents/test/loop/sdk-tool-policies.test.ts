/** Policies of tools in the form of the AI SDK: in agents, and in loops of users that are recorded. */
import { setTimeout as sleep } from "node:timers/promises";
import { generateText, isStepCount, tool as sdkTool } from "ai";
import { Context, defineWorkflow, ExternalEvent, retryPolicy, StartEvent, StopEvent, stop, wait } from "millrace";
import { createRuntime, memoryStore, type RunCall } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent, type CallPolicies, recorded, withPolicies } from "../../src/index.js";
import { type Answering, answers, calls, says, toolMessages } from "../support/turns.js";

class Go extends ExternalEvent.define("Go", {}) {}

const retry = retryPolicy({ wait: wait.fixed(1), stop: stop.afterAttempts(3) });
/** The model calls the tool once, and then repeats what it was told. */
const told: Answering = (options) => says(JSON.stringify(toolMessages(options).at(-1)));
const script = () => answers(calls(["look", {}, "x"]), told);

/** A tool that fails the first times. */
function looking(failures: number) {
  let attempts = 0;
  const look = sdkTool({
    description: "Looks.",
    inputSchema: z.object({}),
    execute: (): string => {
      if (++attempts <= failures) throw new TypeError(`no light ${attempts}`);
      return "seen";
    },
  });
  return { tools: { look }, attempts: () => attempts };
}

const slow = () => ({
  look: sdkTool({
    description: "Looks.",
    inputSchema: z.object({}),
    execute: async (_input, { abortSignal }): Promise<string> => {
      await sleep(10_000, null, { signal: abortSignal as AbortSignal });
      return "too late";
    },
  }),
});

describe("an agent", () => {
  it("makes a call again until it works, counted in its history", async () => {
    const { tools, attempts } = looking(2);
    const sdkTools = async () => withPolicies(tools, { retry });
    const agent = new Agent({ name: "Clerk", model: script(), sdkTools });
    const runtime = createRuntime({ workflows: { agent: agent.workflow }, store: memoryStore() });
    await runtime.start();

    const run = runtime.run("agent", { input: "go" });
    const { content } = await run;

    expect(content).toContain('"value":"seen"');
    expect(attempts()).toBe(3);
    const made: RunCall[] = [];
    for await (const attempt of runtime.attempts(run.runId)) made.push(...attempt.calls);
    expect(made).toMatchObject([{}, { label: "look", attempts: 3 }, {}]);
    await runtime.stop();
  });

  it("tells its model that a tool took too long, by the time of the tool before that of the agent", async () => {
    const sdkTools = withPolicies(slow(), { timeout: 20 });
    const agent = new Agent({ name: "Clerk", model: script(), sdkTools, toolTimeout: "1h" });

    expect((await agent.run("go")).content).toContain("The tool did not answer within 20 ms.");
  });
});

describe("a recorded loop", () => {
  function flowOf(model: ReturnType<typeof answers>, tools: ReturnType<typeof slow>) {
    return defineWorkflow("own")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
        const options = recorded(ctx, { model, tools });
        const { text } = await generateText({ ...options, prompt: "go", stopWhen: isStepCount(5) });
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: text });
      })
      .build();
  }

  it.each([
    ["works in the end", 2, '"value":"seen"'],
    ["does not work", 3, "no light 3"],
  ])("makes a call again that %s, and remembers it over a restore", async (_what, failures, says) => {
    const { tools, attempts } = looking(failures);
    const model = script();
    const run = flowOf(model, withPolicies(tools, { retry })).run();
    await expect.poll(() => model.doGenerateCalls.length).toBe(2); // a run that waits for an attempt is idle, too
    await run.idle();
    const dict = JSON.parse(JSON.stringify(run.context.toDict()));
    await run.cancel();

    const second = flowOf(answers(), withPolicies(tools, { retry }));
    const resumed = second.resume(Context.fromDict(second, dict));
    await resumed.sendEvent(new Go());

    expect(await resumed).toContain(says);
    expect(attempts()).toBe(3);
  });

  it("tells the model that a tool took too long", async () => {
    const run = flowOf(script(), withPolicies(slow(), { timeout: 20 })).run();
    await run.idle();
    await run.sendEvent(new Go());

    expect(await run).toContain("The tool did not answer within 20 ms.");
  });
});

it("policies that are none are refused", () => {
  const policies = { timeout: "soon", retries: 3 } as unknown as CallPolicies;

  expect(() => withPolicies(slow(), policies)).toThrow(/`retries`.*`timeout`/);
});
