/** Agents that resume: what users of other libraries have reported. The numbers are theirs. */
import { defineWorkflow, retryPolicy, StartEvent, StopEvent, stop, wait } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, memorySessions, Team, tool } from "../../src/index.js";
import { overRestarts } from "../support/processes.js";
import { answers, calls, says, toolMessages } from "../support/turns.js";

const asked = (model: ReturnType<typeof answers>): number => model.doStreamCalls.length + model.doGenerateCalls.length;
const resultsIn = (model: ReturnType<typeof answers>, call = 0): unknown[] =>
  toolMessages([...model.doStreamCalls, ...model.doGenerateCalls][call]!).filter(
    (part) => (part as string[])[0] === "result",
  );

function counted(name: string, requiresConfirmation: boolean) {
  const made: unknown[] = [];
  const work = tool({
    name,
    description: name,
    parameters: z.object({ n: z.number() }),
    requiresConfirmation,
    execute: ({ n }) => `${name} ${made.push(n)}`,
  });
  return { made, work };
}

it("mastra#19699: neither plans nor calls anew when a call that waits is allowed in another process", async () => {
  const { made, work } = counted("pay", true);
  const agent = (model: ReturnType<typeof answers>) => new Agent({ model, tools: [work] });
  const [first, second] = [answers(calls(["pay", { n: 1 }, "c"])), answers(says("done"))];

  const { content } = await overRestarts(agent(first), [agent(second)], () => ({ approved: true }));

  expect(content).toBe("done");
  expect([made, asked(first), asked(second)]).toEqual([[1], 1, 1]);
  expect(resultsIn(second)).toEqual([["result", "c", { type: "text", value: "pay 1" }]]);
});

it("langgraph#3126, langgraph#5952: makes no call again that was made beside one that waits", async () => {
  const [look, pay] = [counted("look", false), counted("pay", true)];
  const agent = (model: ReturnType<typeof answers>) => new Agent({ model, tools: [look.work, pay.work] });
  const turn = calls(["look", { n: 1 }], ["pay", { n: 2 }], ["look", { n: 3 }], ["pay", { n: 4 }]);
  const last = answers(says("done"));

  await overRestarts(agent(answers(turn)), [agent(answers()), agent(last)], () => ({ approved: true }));

  expect([look.made, pay.made]).toEqual([
    [1, 3],
    [2, 4],
  ]);
  expect(resultsIn(last)).toHaveLength(4);
});

it("langgraph#6533: gives each of several calls the result that was meant for it", async () => {
  const fields = ["street", "town", "country"].map((name) => tool({ name, description: `Asks for the ${name}.` }));
  const agent = (model: ReturnType<typeof answers>) => new Agent({ model, tools: fields });
  const turn = calls(...fields.map(({ name }) => [name, {}, name] as const));
  const last = answers(says("done"));
  const empty = () => agent(answers());

  await overRestarts(agent(answers(turn)), [empty(), empty(), agent(last)], ({ toolName }) => ({
    output: `a ${toolName}`,
  }));

  expect(resultsIn(last)).toEqual(
    ["street", "town", "country"].map((name) => ["result", name, { type: "text", value: `a ${name}` }]),
  );
});

it("langgraph#7417: starts a tool once that works longer than its process has leased the run", async () => {
  let starts = 0;
  const slow = tool({
    name: "slow",
    description: "Takes its time.",
    execute: async () => {
      starts++;
      await new Promise((resolve) => setTimeout(resolve, 700));
      return "slow";
    },
  });
  const store = memoryStore();
  const runtimeOf = (model: ReturnType<typeof answers>) =>
    createRuntime({ workflows: { flow: new Agent({ model, tools: [slow] }).workflow }, store, leaseMs: 200 });
  const [one, other] = [runtimeOf(answers(calls(["slow", {}]), says("done"))), runtimeOf(answers())];
  await Promise.all([one.start(), other.start()]);

  const { content } = await one.run("flow", { input: "go" });
  await Promise.all([one.stop(), other.stop()]);

  expect([content, starts]).toEqual(["done", 1]);
});

it("agent-framework#3938, crewAI#5802: makes no call again when the step is tried again after a failure", async () => {
  const { made, work } = counted("refund", false);
  const failing = () => {
    throw new TypeError("the provider is down");
  };
  const model = answers(calls(["refund", { n: 1 }]), failing, says("done"));
  const agent = new Agent({ model, tools: [work], maxRetries: 0 });
  const retry = retryPolicy({ wait: wait.fixed(1), stop: stop.afterAttempts(3) });
  const flow = defineWorkflow("desk")
    .step("ask", { on: StartEvent, emits: StopEvent, retry }, async (_ev, ctx) => {
      const { content } = await agent.run("go", { ctx });
      return new StopEvent({ result: content });
    })
    .build();

  expect(await flow.run()).toBe("done");
  expect([made, asked(model)]).toEqual([[1], 3]);
});

it("agno#8029, openai-agents-js#680: makes the allowed call of a member, and asks no model twice", async () => {
  const { made, work } = counted("send", true);
  const team = (leader: ReturnType<typeof answers>, member: ReturnType<typeof answers>) => {
    const inner = new Agent({ name: "Mail", model: member, tools: [work] });
    const desk = new Team({ name: "Desk", model: leader, members: [inner] });
    return desk;
  };
  const hand = calls(["delegate_task_to_member", { member: "mail", task: "send it" }, "d"]);
  const [leader, member] = [answers(says("All sent.")), answers(says("sent"))];

  const { content } = await overRestarts(
    team(answers(hand), answers(calls(["send", { n: 1 }, "s"]))),
    [team(leader, member)],
    () => ({ approved: true }),
  );

  expect([content, made, asked(leader), asked(member)]).toEqual(["All sent.", [1], 1, 1]);
  expect(resultsIn(leader)).toEqual([["result", "d", { type: "text", value: "sent" }]]);
});

it("agno#8949: takes the result of a call, not that of an earlier run whose call had the same id", async () => {
  const page = tool({ name: "where", description: "Asks the page." });
  const { work } = counted("look", false);
  const model = answers(
    calls(["look", { n: 1 }, "reused"]),
    says("seen"),
    calls(["where", {}, "reused"]),
    says("done"),
  );
  const agent = new Agent({ model, tools: [work, page], sessions: memorySessions(), addHistoryToContext: true });

  await agent.run("first");
  const paused = await agent.run("second");
  const [requirement] = paused.pause?.requirements ?? [];
  const { content } = await agent.continueRun(paused, [
    { toolCallId: requirement!.toolCallId, approved: true, output: "Bern" },
  ]);

  const results = resultsIn(model, 3) as [string, string, unknown][];
  expect(content).toBe("done");
  expect(results.map(([, , output]) => output)).toEqual([
    { type: "text", value: "look 1" },
    { type: "text", value: "Bern" },
  ]);
  expect(new Set(results.map(([, id]) => id)).size).toBe(2);
});

it("agno#10086: does not show a run that is continued its own calls as history", async () => {
  const { work } = counted("pay", true);
  const model = answers(calls(["pay", { n: 1 }, "c"]), says("done"));
  const agent = new Agent({ model, tools: [work], sessions: memorySessions(), addHistoryToContext: true });

  const paused = await agent.run("go");
  for await (const _event of agent.continueStream(paused, [{ toolCallId: "c", approved: true }]));

  const kinds = toolMessages(model.doStreamCalls[0]!).map((part) => (part as string[])[0]);
  expect(kinds).toEqual(["call", "result"]);
});

it("openai-agents-js#701: keeps each call once in its session, where a run was continued", async () => {
  const { work } = counted("pay", true);
  const model = answers(calls(["pay", { n: 1 }, "c"]), says("done"), says("I paid."));
  const sessions = memorySessions();
  const agent = new Agent({ model, tools: [work], sessions, sessionId: "s", addHistoryToContext: true });

  await agent.continueRun(await agent.run("go"), [{ toolCallId: "c", approved: true }]);
  await agent.run("What did you do?");

  const runs = (await sessions.load("s", null, { runs: 9 }))?.runs ?? [];
  const parts = runs.flatMap(({ messages }) => messages).flatMap(({ content }) => content as readonly unknown[]);
  const types = parts.map((part) => (part as { readonly type?: string }).type ?? "");
  expect([runs.length, types.filter((type) => type.startsWith("tool"))]).toEqual([2, ["tool-call", "tool-result"]]);
  const kinds = toolMessages(model.doGenerateCalls[2]!).map((part) => (part as string[])[0]);
  expect(kinds).toEqual(["call", "result", "text"]);
});

it("openai-agents-js#1451: counts what was used before a restart", async () => {
  const { work } = counted("pay", true);
  const agent = (model: ReturnType<typeof answers>) => new Agent({ model, tools: [work] });
  const paused = await agent(answers(calls(["pay", { n: 1 }, "c"]))).run("go");
  const stored = JSON.parse(JSON.stringify(paused)) as typeof paused;

  const done = await agent(answers(says("done"))).continueRun(stored, [{ toolCallId: "c", approved: true }]);
  const workflow = await overRestarts(agent(answers(calls(["pay", { n: 2 }]))), [agent(answers(says("done")))], () => ({
    approved: true,
  }));

  expect([paused.metrics.totalTokens, done.metrics.totalTokens, workflow.metrics.totalTokens]).toEqual([15, 30, 30]);
});

it("openai-agents-python#2501: continues one pause twice, each by itself, with one key for the call", async () => {
  const keys: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    requiresConfirmation: true,
    execute: (_args, { idempotencyKey }) => void keys.push(idempotencyKey),
  });
  const paused = await new Agent({ model: answers(calls(["pay", {}, "c"])), tools: [pay] }).run("go");
  const again = (text: string) =>
    new Agent({ model: answers(says(text)), tools: [pay] }).continueRun(paused, [{ toolCallId: "c", approved: true }]);

  const both = await Promise.all([again("one"), again("two")]);

  expect(both.map(({ content }) => content)).toEqual(["one", "two"]);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});
