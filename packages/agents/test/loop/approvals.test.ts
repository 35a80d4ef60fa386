/** People decide about calls. The numbers are public reports of users of other libraries. */
import { Context } from "millrace";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentTool, tool } from "../../src/index.js";
import { answering, promptsOf } from "../support/people.js";
import { type Answering, answers, calls, says, toolMessages } from "../support/turns.js";

function desk(options: Partial<AgentTool> = {}, ...script: readonly Answering[]) {
  const paid: unknown[] = [];
  const model = answers(...script);
  const pay = payInto(paid, options.requiresConfirmation);
  return { paid, model, agent: new Agent({ name: "Clerk", model, tools: [pay] }) };
}

function payInto(paid: unknown[], requiresConfirmation: AgentTool["requiresConfirmation"] = true): AgentTool {
  return tool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ n: z.number() }),
    requiresConfirmation,
    execute: ({ n }) => {
      paid.push(n);
      return `paid ${n}`;
    },
  });
}

it("LibreChat#15933, kimi-code#2908: asks for each of two calls with one id, and makes the allowed one", async () => {
  const { agent, paid, model } = desk(
    {},
    calls(["pay", { n: 5000 }, "call_0"], ["pay", { n: 2 }, "call_0"]),
    says("done"),
  );

  const { result, asked } = await answering(agent.workflow.run({ input: "go" }), ({ input }) => ({
    approved: (input as { n: number }).n === 2,
    note: "Too much.",
  }));

  expect(result.content).toBe("done");
  expect(asked.map(({ input }) => input)).toEqual([{ n: 5000 }, { n: 2 }]);
  expect(new Set(asked.map(({ toolCallId }) => toolCallId)).size).toBe(2);
  expect(paid).toEqual([2]);
  expect(toolMessages(model.doStreamCalls[1]!).slice(2)).toEqual([
    ["result", "call_0", { type: "execution-denied", reason: "A person has not allowed this call: Too much." }],
    ["result", asked[1]?.toolCallId, { type: "text", value: "paid 2" }],
  ]);
});

it("ai-sdk-provider#160, langchainjs#10145: renames an id that repeats in a later answer, and no other", async () => {
  const { agent, paid, model } = desk(
    {},
    calls(["pay", { n: 1 }, "call_0"]),
    calls(["pay", { n: 2 }, "call_0"]),
    says("done"),
  );

  const { asked } = await answering(agent.workflow.run({ input: "go" }), (_question, number) => ({
    approved: number === 1,
  }));

  expect(paid).toEqual([2]);
  expect(asked.map(({ toolCallId }) => toolCallId)).toEqual(["call_0", expect.not.stringMatching(/^call_0$/)]);
  const ids = toolMessages(model.doStreamCalls[2]!).map((part) => (part as string[])[1]);
  expect(ids).toEqual(["call_0", "call_0", asked[1]?.toolCallId, asked[1]?.toolCallId]);
});

it("gives calls without an id one of their own", async () => {
  const { agent, paid } = desk({}, calls(["pay", { n: 1 }, ""], ["pay", { n: 2 }, ""]), says("done"));

  const { asked } = await answering(agent.workflow.run({ input: "go" }), () => ({ approved: true }));

  expect(new Set(asked.map(({ toolCallId }) => toolCallId)).size).toBe(2);
  expect(paid).toEqual([1, 2]);
});

it("mastra#16468: takes answers to calls of one tool in any order", async () => {
  const { agent, paid } = desk({}, calls(["pay", { n: 1 }], ["pay", { n: 2 }], ["pay", { n: 3 }]), says("done"));
  const run = agent.workflow.run({ input: "go" });
  const prompts = await promptsOf(run);

  for (const promptId of prompts.toReversed()) await run.answer(promptId, { approved: true });

  expect((await run).content).toBe("done");
  expect(paid.toSorted()).toEqual([1, 2, 3]);
});

it("typescript-sdk#518: refuses a second answer, so an allowed call is made once", async () => {
  const { agent, paid } = desk({}, calls(["pay", { n: 1 }]), says("done"));
  const run = agent.workflow.run({ input: "go" });
  const [promptId = ""] = await promptsOf(run);

  const receipts = await Promise.all([
    run.answer(promptId, { approved: true }),
    run.answer(promptId, { approved: true }),
  ]);

  await run;
  expect(receipts.map(({ status }) => status)).toEqual(["accepted", "refused"]);
  expect(paid).toEqual([1]);
});

it("mastra#19301, agno#8029: goes on from a snapshot, in a process that has only the code", async () => {
  const first = desk({}, calls(["pay", { n: 1 }]));
  const run = first.agent.workflow.run({ input: "go" });
  await run.idle();
  const dict = JSON.parse(JSON.stringify(run.context.toDict()));
  await run.cancel();
  const second = desk({}, says("done"));

  const resumed = second.agent.workflow.resume(Context.fromDict(second.agent.workflow, dict));
  for (const promptId of await promptsOf(resumed)) await resumed.answer(promptId, { approved: true });

  expect((await resumed).content).toBe("done");
  expect([first.paid, second.paid]).toEqual([[], [1]]);
  expect(second.model.doStreamCalls).toHaveLength(1);
});

it("asks by a rule, for each call", async () => {
  const rule = ({ n }: { n: number }) => n > 10;
  const script = [calls(["pay", { n: 1 }], ["pay", { n: 100 }]), says("done")] as const;
  const { agent, paid } = desk({ requiresConfirmation: rule }, ...script);

  const { asked } = await answering(agent.workflow.run({ input: "go" }), () => ({ approved: false }));

  expect(asked.map(({ input }) => input)).toEqual([{ n: 100 }]);
  expect(paid).toEqual([1]);
});

it("asks when the rule fails, and never asks the rule again", async () => {
  let asked = 0;
  const rule = () => {
    asked++;
    throw new TypeError("no rate today");
  };
  const { agent, paid } = desk({ requiresConfirmation: rule }, calls(["pay", { n: 1 }]), says("done"));

  const people = await answering(agent.workflow.run({ input: "go" }), () => ({ approved: true }));

  expect(people.asked[0]?.problem).toBe("The rule of the tool failed: no rate today");
  expect(people.result.content).toBe("done");
  expect([paid, asked]).toEqual([[1], 1]);
});

it("makes the call with the arguments that a person has changed, and shows them to the model", async () => {
  const { agent, paid, model } = desk({}, calls(["pay", { n: 5000 }]), says("done"));

  await answering(agent.workflow.run({ input: "go" }), () => ({ approved: true, input: { n: 50 } }));

  expect(paid).toEqual([50]);
  expect(toolMessages(model.doStreamCalls[1]!)[0]).toEqual(["call", expect.any(String), "pay", { n: 50 }]);
});

it("asks again when the changed arguments do not fit", async () => {
  const { agent, paid } = desk({}, calls(["pay", { n: 5000 }]), says("done"));

  const { asked } = await answering(agent.workflow.run({ input: "go" }), (_question, number) => ({
    approved: true,
    input: number === 0 ? { n: "fifty" } : { n: 50 },
  }));

  expect(asked[1]?.problem).toMatch(/^The changed arguments do not fit: n: /);
  expect(paid).toEqual([50]);
});

it.each([
  ["allow", [1]],
  ["refuse", []],
] as const)("decides to %s when nobody answers in time", async (otherwise, paid) => {
  const rule = { timeout: 5, otherwise };
  const made = desk({ requiresConfirmation: rule }, calls(["pay", { n: 1 }]), says("done"));

  expect((await made.agent.workflow.run({ input: "go" })).content).toBe("done");
  expect(made.paid).toEqual(paid);
});

it("tells the model of a tool that is gone when its call is allowed", async () => {
  const first = desk({}, calls(["pay", { n: 1 }]));
  const run = first.agent.workflow.run({ input: "go" });
  await run.idle();
  const dict = JSON.parse(JSON.stringify(run.context.toDict()));
  await run.cancel();
  const model = answers(says("Without paying."));
  const renamed = new Agent({ name: "Clerk", model });

  const result = await renamed.workflow.resume(Context.fromDict(renamed.workflow, dict));

  expect(result.content).toBe("Without paying.");
  expect(toolMessages(model.doStreamCalls[0]!)[1]).toEqual([
    "result",
    expect.any(String),
    { type: "error-text", value: 'There is no tool "pay".' },
  ]);
});

it("takes an answer while another call works", async () => {
  let finish = (): void => {};
  // Made before the tool begins: on a busy machine it begins after the answer.
  const atLast = new Promise<string>((resolve) => (finish = () => resolve("at last")));
  const slow = tool({ name: "slow", description: "Takes long.", execute: () => atLast });
  const { agent: _agent, ...rest } = desk();
  const pay = tool({ name: "pay", description: "Pays.", requiresConfirmation: true, execute: () => rest.paid.push(1) });
  const agent = new Agent({
    name: "Clerk",
    model: answers(calls(["slow", {}], ["pay", {}]), says("done")),
    tools: [slow, pay],
  });

  const { result } = await answering(agent.workflow.run({ input: "go" }), () => {
    setTimeout(() => finish(), 10);
    return { approved: true };
  });

  expect(result.content).toBe("done");
  expect(rest.paid).toEqual([1]);
});

it("tells calls with one id apart in a run in memory, too", async () => {
  const { agent, paid } = desk({}, calls(["pay", { n: 5000 }, "call_0"], ["pay", { n: 2 }, "call_0"]), says("done"));

  const paused = await agent.run("go");
  const { requirements = [] } = paused.pause ?? {};
  const answers = requirements.map(({ toolCallId, toolArgs }) => ({
    toolCallId,
    approved: (toolArgs as { readonly n: number }).n === 2,
  }));
  const done = await agent.continueRun(paused, answers);

  expect(requirements.map(({ toolArgs }) => toolArgs)).toEqual([{ n: 5000 }, { n: 2 }]);
  expect([done.content, paid]).toEqual(["done", [2]]);
});

it("takes changed arguments and results of tools when a run in memory is continued", async () => {
  const where = tool({ name: "where", description: "Asks the page." });
  const { agent: clerk, paid, model } = desk({}, calls(["pay", { n: 5000 }, "p"], ["where", {}, "w"]), says("done"));
  const agent = new Agent({ name: "Clerk", model: clerk.model, tools: [payInto(paid), where] });

  const paused = await agent.run("go");
  const done = await agent.continueRun(paused, [
    { toolCallId: "p", approved: true, input: { n: 50 } },
    { toolCallId: "w", approved: true, output: "Bern" },
  ]);

  expect([done.content, paid]).toEqual(["done", [50]]);
  expect(toolMessages(model.doGenerateCalls[1]!).at(-1)).toEqual(["result", "w", { type: "text", value: "Bern" }]);
});
