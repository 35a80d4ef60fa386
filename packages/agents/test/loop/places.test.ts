/** Where an agent runs: a step, a child, a runtime, a pipeline. */
import { Pipeline, Step } from "@millrace/pipeline";
import { type Context, defineWorkflow, QuestionEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { Agent, tool } from "../../src/index.js";
import { answering, promptsOf } from "../support/people.js";
import { answers, calls, says } from "../support/turns.js";

const ask = tool({ name: "ask", description: "Asks.", requiresConfirmation: true, execute: () => "yes" });
const clerk = () => new Agent({ name: "Clerk", model: answers(calls(["ask", {}]), says("done")), tools: [ask] });

/** A step that declares nothing. */
const stepOf = (work: (ctx: Context) => Promise<unknown>) =>
  defineWorkflow("holds")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => new StopEvent({ result: await work(ctx) }))
    .build();

it("runs in a step, asks there, and has its history from the caller", async () => {
  const agent = clerk();
  const history = [{ role: "user" as const, content: "earlier" }];
  const flow = stepOf(async (ctx) => (await agent.run("go", { ctx, history })).content);

  expect((await answering(flow.run(), () => ({ approved: true }))).result).toBe("done");
});

it("runs several times in a step, each under a key", async () => {
  const agent = new Agent({ name: "Clerk", model: answers(says("one"), says("two"), says("three")) });
  const twice = stepOf(async (ctx) => [
    (await agent.run("a", { ctx, key: "a" })).content,
    (await agent.run("b", { ctx, key: "b" })).content,
  ]);
  const same = stepOf(async (ctx) => [await agent.run("a", { ctx }), await agent.run("b", { ctx })]);

  expect(await twice.run()).toEqual(["one", "two"]);
  await expect(same.run()).rejects.toMatchObject({ code: "KEY_REUSED" });
});

it("says where tools can keep a state that they change", async () => {
  const add = tool({
    name: "add",
    description: "Adds.",
    execute: (_args, { sessionState }) => (sessionState["n"] = 1),
  });
  const agent = new Agent({ model: answers(calls(["add", {}]), says("done")), tools: [add] });

  await expect(stepOf((ctx) => agent.run("go", { ctx })).run()).rejects.toMatchObject({
    code: "OPTION_INVALID",
    hint: expect.stringContaining("statePath"),
  });
});

it("runs as a child, whose questions are those of the family", async () => {
  const flow = defineWorkflow("parent", { children: { clerk: clerk().workflow } })
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const { content } = (await ctx.runChild("clerk", { input: "go" })) as { readonly content: string };
      return new StopEvent({ result: content });
    })
    .build();

  expect((await answering(flow.run(), () => ({ approved: true }))).result).toBe("done");
});

it("runs in a runtime, where another handle answers", async () => {
  const store = memoryStore();
  const runtime = createRuntime({ workflows: { clerk: clerk().workflow }, store });
  onTestFinished(() => runtime.stop());
  await runtime.start();
  const run = runtime.run("clerk", { input: "go" }, { runId: "r1" });
  const [promptId = ""] = await promptsOf(run);

  await runtime.handle("r1").answer(promptId, { approved: true });

  expect(await run).toMatchObject({ content: "done", agent: "Clerk" });
});

it("runs as a workflow in a step of a pipeline", async () => {
  const agent = new Agent({ name: "Clerk", model: answers(says("done")) });
  const pipeline = new Pipeline({
    name: "Desk",
    steps: [new Step({ name: "ask", executor: agent.workflow as never })],
  });
  onTestFinished(() => pipeline.close());

  expect((await pipeline.run("go")).content).toMatchObject({ content: "done" });
});

it("asks with a title, the call and the agent, and with the shape of the answer", async () => {
  const run = clerk().workflow.run({ input: "go" });
  const outcome = await run.idle();
  const [prompt] = outcome.status === "waiting" ? outcome.prompts : [];
  await run.cancel();

  expect(QuestionEvent.is(prompt?.event)).toBe(true);
  expect(prompt?.event.toJSON()).toMatchObject({
    title: "May Clerk call ask?",
    details: { kind: "permission", agent: "Clerk", toolName: "ask", input: {} },
    schema: { required: ["approved"], properties: { approved: { type: "boolean" } } },
  });
});
