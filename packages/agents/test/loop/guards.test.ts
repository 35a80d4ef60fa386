import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type Guards, tool } from "../../src/index.js";
import { answering } from "../support/people.js";
import { type Answering, answers, calls, says, toolMessages } from "../support/turns.js";

function guarded(guards: Guards, ...script: readonly Answering[]) {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => `paid ${paid.push(n) && n}`,
  });
  const model = answers(...script);
  return { paid, model, agent: new Agent({ name: "Clerk", model, tools: [pay], guards }) };
}

it("refuses an input before the model is asked", async () => {
  const { agent, model } = guarded({ input: (text) => (text.includes("bomb") ? { refuse: "No bombs." } : undefined) });

  await expect(agent.workflow.run({ input: "a bomb" })).rejects.toMatchObject({
    code: "AGENT_REFUSED",
    retryable: false,
    details: { executor: "Clerk", guard: "input", reason: "No bombs." },
  });
  expect(model.doStreamCalls).toHaveLength(0);
});

it("changes an input and an answer", async () => {
  const guards: Guards = {
    input: (text) => ({ change: text.replaceAll(/\d{4}/g, "****") }),
    output: (content) => ({ change: `${content}!` }),
  };
  const { agent, model } = guarded(guards, says("Fine"));

  expect((await agent.workflow.run({ input: "card 1234" })).content).toBe("Fine!");
  expect(JSON.stringify(model.doStreamCalls[0]?.prompt)).toContain("card ****");
});

it("refuses, changes and asks about calls", async () => {
  const guards: Guards = {
    toolInput: ({ input }) => {
      const { n } = input as { n: number };
      if (n < 0) return { refuse: "Never negative." };
      if (n > 100) return { ask: "That is much." };
      return n > 10 ? { change: { n: 10 } } : undefined;
    },
  };
  const script = [
    calls(["pay", { n: -1 }], ["pay", { n: 50 }], ["pay", { n: 500 }], ["pay", { n: 5 }]),
    says("done"),
  ] as const;
  const { agent, model, paid } = guarded(guards, ...script);

  const { asked } = await answering(agent.workflow.run({ input: "go" }), () => ({ approved: true }));

  expect(asked.map(({ input, problem }) => [input, problem])).toEqual([[{ n: 500 }, "That is much."]]);
  expect(paid.toSorted((a, b) => a - b)).toEqual([5, 10, 500]);
  expect(toolMessages(model.doStreamCalls[1]!)[4]).toEqual([
    "result",
    expect.any(String),
    { type: "error-text", value: "Never negative." },
  ]);
});

it("keeps results of tools from the model", async () => {
  const guards: Guards = {
    toolOutput: ({ output }) => (output === "paid 1" ? { refuse: "Secret." } : { change: "something" }),
  };
  const { agent, model } = guarded(guards, calls(["pay", { n: 1 }], ["pay", { n: 2 }]), says("done"));

  await agent.workflow.run({ input: "go" });

  expect(
    toolMessages(model.doStreamCalls[1]!)
      .slice(2)
      .map((part) => (part as unknown[])[2]),
  ).toEqual([
    { type: "error-text", value: "Secret." },
    { type: "text", value: "something" },
  ]);
});

it.each([true, false])("asks a person about an answer: %s", async (approved) => {
  const { agent } = guarded({ output: () => ({ ask: "May this go out?" }) }, says("Dear customer"));
  const run = answering(agent.workflow.run({ input: "go" }), () => ({ approved, note: "Too short." }));

  if (approved) expect((await run).result.content).toBe("Dear customer");
  else await expect(run).rejects.toMatchObject({ code: "AGENT_REFUSED", details: { reason: "Too short." } });
});
