/** Handoffs and teams. */
import { Context } from "millrace";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, Team, tool } from "../../src/index.js";
import { answering, promptsOf } from "../support/people.js";
import { answers, calls, says, toolMessages } from "../support/turns.js";

const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
const ask = tool({
  name: "ask",
  description: "Asks.",
  parameters: z.object({ q: z.string() }),
  requiresConfirmation: true,
  execute: ({ q }) => `yes ${q}`,
});

it("langgraph-swarm#26, livekit#5150: hands over beside another call, and the target sees the whole conversation", async () => {
  const poet = answers(says("A poem."));
  const target = new Agent({ name: "Poet", model: poet, instructions: "You are the poet." });
  const model = answers(calls(["look", {}, "a"], ["transfer_to_poet", {}, "b"]));
  const agent = new Agent({ name: "Desk", model, tools: [look], canHandOffTo: [target] });

  const result = await agent.workflow.run({ input: "a poem" });

  expect(result).toMatchObject({ content: "A poem.", agent: "Poet", metrics: { inputTokens: 20 } });
  expect(poet.doStreamCalls[0]?.prompt[0]).toMatchObject({ role: "system", content: "You are the poet." });
  expect(toolMessages(poet.doStreamCalls[0]!)).toEqual([
    ["call", "a", "look", {}],
    ["call", "b", "transfer_to_poet", {}],
    ["result", "a", { type: "text", value: "seen" }],
    ["result", "b", { type: "text", value: "Handed over." }],
  ]);
});

it("openai-agents-js#1122: hands over to the first of two, and answers the other call too", async () => {
  const poet = answers(says("A poem."));
  const targets = [new Agent({ name: "Poet", model: poet }), new Agent({ name: "Cook", model: answers() })];
  const agent = new Agent({
    name: "Desk",
    model: answers(calls(["transfer_to_poet", {}], ["transfer_to_cook", {}])),
    canHandOffTo: targets,
  });

  expect((await agent.workflow.run({ input: "go" })).agent).toBe("Poet");
  expect(toolMessages(poet.doStreamCalls[0]!).at(-1)).toEqual([
    "result",
    expect.any(String),
    { type: "error-text", value: "Not handed over: another agent takes over." },
  ]);
});

it("ends agents that hand over to each other for ever", async () => {
  const targets: Agent[] = [];
  const script = (to: string) => answers(...Array.from({ length: 9 }, () => calls([`transfer_to_${to}`, {}])));
  const one = new Agent({ name: "A", model: script("b"), canHandOffTo: targets, maxSteps: 6 });
  targets.push(new Agent({ name: "B", model: script("a"), canHandOffTo: [one], maxSteps: 6 }));

  await expect(one.workflow.run({ input: "go" })).rejects.toMatchObject({ code: "AGENT_FAILED" });
});

it.each([
  ["different ids", ["d1", "d2"]],
  ["one id", ["d", "d"]],
] as const)(
  "mastra#20322, agno#8029: members of a team ask at the same time, their tasks with %s",
  async (_name, [one, two]) => {
    const member = (name: string) =>
      new Agent({ name, model: answers(calls(["ask", { q: name }, "c"]), says(`${name} says so`)), tools: [ask] });
    const leader = answers(
      calls(
        ["delegate_task_to_member", { member: "poet", task: "a poem" }, one],
        ["delegate_task_to_member", { member: "cook", task: "a cake" }, two],
      ),
      says("both did"),
    );
    const team = new Team({ name: "House", model: leader, members: [member("poet"), member("cook")] });

    const { result, asked } = await answering(team.workflow.run({ input: "go" }), () => ({ approved: true }));

    expect(asked.map(({ agent }) => agent).toSorted()).toEqual(["cook", "poet"]);
    expect(result).toMatchObject({ content: "both did", metrics: { inputTokens: 60 } });
    expect(
      toolMessages(leader.doStreamCalls[1]!)
        .slice(2)
        .map((part) => (part as unknown[])[2]),
    ).toEqual([
      { type: "text", value: "poet says so" },
      { type: "text", value: "cook says so" },
    ]);
  },
);

it("tells the leader when a member fails, and does not ask the member again when the run is resumed", async () => {
  const broken = answers(() => {
    throw new TypeError("no ink");
  });
  const leader = answers(
    calls(["delegate_task_to_member", { member: "poet", task: "a poem" }]),
    calls(["ask", { q: "anyway" }]),
    says("no poem"),
  );
  const poet = new Agent({ name: "poet", model: broken, maxRetries: 0 });
  const team = new Team({ name: "House", model: leader, members: [poet], tools: [ask] });
  const run = team.workflow.run({ input: "go" });
  await run.idle();
  const dict = JSON.parse(JSON.stringify(run.context.toDict()));
  await run.cancel();

  const resumed = team.workflow.resume(Context.fromDict(team.workflow, dict));
  for (const promptId of await promptsOf(resumed)) await resumed.answer(promptId, { approved: true });

  expect((await resumed).content).toBe("no poem");
  expect(broken.doStreamCalls).toHaveLength(1);
});

it("gives tools of members the same keys when the work is done anew, whatever ids the models give", async () => {
  const keys: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    execute: (_args, { idempotencyKey }) => void keys.push(idempotencyKey),
  });
  const teamWith = (ids: readonly [leader: string, member: string]) =>
    new Team({
      name: "House",
      model: answers(calls(["delegate_task_to_member", { member: "poet", task: "pay" }, ids[0]]), says("done")),
      members: [new Agent({ name: "poet", model: answers(calls(["pay", {}, ids[1]]), says("paid")), tools: [pay] })],
    });

  await teamWith(["a", "b"]).run("go", { idempotencyKey: "order-1" });
  await teamWith(["c", "d"]).run("go", { idempotencyKey: "order-1" });

  expect(keys[0]).toMatch(/^order-1:delegate_task_to_member:.*:pay:/);
  expect(keys[1]).toBe(keys[0]);
});
