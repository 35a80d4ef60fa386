/** Calls that a person has to allow: what users of other libraries have reported. The numbers are theirs. */
import { Pipeline } from "@millrace/pipeline";
import { tool as sdkTool } from "ai";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { Agent, type AgentOptions, type AgentTool, Team, tool, type Verdict } from "../../src/index.js";
import { answering, promptsOf } from "../support/people.js";
import { overRestarts } from "../support/processes.js";
import { answers, calls, says, toolMessages } from "../support/turns.js";

type Options = Partial<AgentOptions<string>>;

function desk(requiresConfirmation: AgentTool["requiresConfirmation"], options: Options = {}) {
  const made: string[] = [];
  const execute = (name: string) => () => void made.push(name);
  const pay = tool({ name: "pay", description: "Pays.", requiresConfirmation, execute: execute("pay") });
  const look = tool({ name: "look", description: "Looks.", execute: execute("look") });
  const agent = (model: ReturnType<typeof answers>) =>
    new Agent({ name: "Clerk", model, tools: [pay, look], ...options });
  return { made, agent, pay };
}

const resultsIn = (model: ReturnType<typeof answers>, call: number): unknown[] =>
  toolMessages([...model.doStreamCalls, ...model.doGenerateCalls][call]!).filter(
    (part) => (part as string[])[0] === "result",
  );

const refuse = () => ({ approved: false, note: "Too late." });

it("mastra#20470: makes no call that is refused, in a runtime, alone, or in a pipeline", async () => {
  const { made, agent } = desk(true);
  const script = () => answers(calls(["pay", {}, "c"]), says("done"));
  const pipeline = new Pipeline({ name: "Desk", steps: [agent(script())] });
  onTestFinished(() => pipeline.close());

  await answering(agent(script()).workflow.run({ input: "go" }), refuse);
  const alone = agent(script());
  await alone.continueRun(await alone.run("go"), [{ toolCallId: "c", ...refuse() }]);
  const paused = await pipeline.run("go");
  for (const requirement of paused.requirements) requirement.reject("Too late.");
  const { status } = await pipeline.continueRun(paused);

  expect([status, made]).toEqual(["COMPLETED", []]);
});

it("langchainjs#11391, vercel/ai#14428: a refused call has a result like the others, which are made", async () => {
  const { made, agent } = desk(true);
  const model = answers(calls(["look", {}, "a"], ["pay", {}, "b"], ["look", {}, "c"]), says("done"));

  await answering(agent(model).workflow.run({ input: "go" }), refuse);

  expect(made).toEqual(["look", "look"]);
  expect(resultsIn(model, 1).map((part) => (part as string[])[1])).toEqual(["a", "b", "c"]);
});

it("openai-agents-python#2658: tells the model why a call was refused, also in another process", async () => {
  const { agent } = desk(true);
  const model = answers(says("done"));

  await overRestarts(agent(answers(calls(["pay", {}, "c"]))), [agent(model)], refuse);

  expect(resultsIn(model, 0)).toEqual([
    ["result", "c", { type: "execution-denied", reason: expect.stringContaining("Too late.") }],
  ]);
});

it("openai-agents-js#1418: does not ask a rule again about a call that was decided", async () => {
  const asked: string[] = [];
  const rule = (process: string) => {
    asked.push(process);
    return process === "first";
  };
  const [first, second] = [desk(() => rule("first")), desk(() => rule("second"))];

  const model = answers(says("done"));
  await overRestarts(first.agent(answers(calls(["pay", {}]))), [second.agent(model)], () => ({ approved: true }));

  expect([asked, first.made, second.made]).toEqual([["first"], [], ["pay"]]);
});

it.each([
  ["a guard that passes", true, (): undefined => undefined],
  ["a rule that is false", () => false, (): Verdict<unknown> => ({ ask: "Pay?" })],
])("mastra#16296: %s does not take back what another asks", async (_what, requiresConfirmation, toolInput) => {
  const { made, agent } = desk(requiresConfirmation, { guards: { toolInput } });

  const run = agent(answers(calls(["pay", {}]), says("done"))).workflow.run({ input: "go" });
  const { asked } = await answering(run, refuse);

  expect([asked.length, made]).toEqual([1, []]);
});

it("langgraph#6624: asks about all calls of an answer at once", async () => {
  const { agent } = desk(true);
  const run = agent(answers(calls(["pay", {}], ["look", {}], ["pay", {}], ["pay", {}]), says("done"))).workflow.run({
    input: "go",
  });

  expect(await promptsOf(run)).toHaveLength(3);
  await run.cancel();
});

it("langchain#40166: an answer changes the arguments of a call, and not its tool", async () => {
  const { made, agent } = desk(true);
  const reply = { approved: true, input: {}, toolName: "look", toolCallId: "other" };
  const model = answers(calls(["pay", {}, "c"]), says("done"));

  await answering(agent(model).workflow.run({ input: "go" }), () => reply);

  expect(made).toEqual(["pay"]);
  expect(resultsIn(model, 1)).toEqual([["result", "c", { type: "json", value: null }]]);
});

/** Each way in which a tool may reach a model. */
const ways: readonly [string, (pay: AgentTool, execute: () => unknown) => Agent | Team][] = [
  ["a function that gets tools of the SDK", (_pay, execute) => sdkAgent(execute)],
  [
    "an agent that takes over",
    (pay) => {
      const payer = new Agent({ name: "Payer", model: answers(calls(["pay", {}]), says("done")), tools: [pay] });
      return new Agent({ model: answers(calls(["transfer_to_payer", {}])), canHandOffTo: [payer] });
    },
  ],
  [
    "a member of a member",
    (pay) => {
      const payer = new Agent({ name: "Payer", model: answers(calls(["pay", {}]), says("paid")), tools: [pay] });
      const inner = new Team({ name: "Inner", model: handing("payer"), members: [payer] });
      return new Team({ model: handing("inner"), members: [inner] });
    },
  ],
  [
    "a step that offers it later",
    (pay) => {
      const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
      const model = answers(calls(["look", {}]), calls(["pay", {}]), says("done"));
      const prepareStep = ({ stepNumber }: { readonly stepNumber: number }) => ({
        activeTools: stepNumber === 0 ? ["look"] : ["pay"],
      });
      return new Agent({ model, tools: [look, pay], prepareStep });
    },
  ],
];

const handing = (member: string) => answers(calls(["delegate_task_to_member", { member, task: "pay" }]), says("done"));

function sdkAgent(execute: () => unknown): Agent {
  const pay = sdkTool({ description: "Pays.", inputSchema: z.object({}), needsApproval: true, execute });
  return new Agent({ model: answers(calls(["pay", {}]), says("done")), sdkTools: async () => ({ pay: pay as never }) });
}

it.each(ways)("mastra#15776, mastra#9963: asks before the call of a tool from %s", async (_way, agentOf) => {
  const { made, pay } = desk(true);

  const run = agentOf(pay, () => made.push("pay")).workflow.run({ input: "go" });
  const { asked } = await answering(run, refuse);

  expect([asked.map(({ toolName }) => toolName), made]).toEqual([["pay"], []]);
});
