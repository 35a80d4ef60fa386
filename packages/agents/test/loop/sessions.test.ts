/** Sessions of agents that run in steps. */
import { Context } from "millrace";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, memorySessions, tool } from "../../src/index.js";
import { answering, promptsOf } from "../support/people.js";
import { type Answering, answers, calls, says } from "../support/turns.js";

const add = tool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ item: z.string() }),
  execute: ({ item }, { sessionState }) => void (sessionState["items"] as string[]).push(item),
});
const ask = tool({ name: "ask", description: "Asks.", requiresConfirmation: true, execute: () => "yes" });

function shop(sessions: ReturnType<typeof memorySessions>, ...script: readonly Answering[]) {
  const model = answers(...script);
  const options = { sessions, sessionState: { items: [] as string[] }, addHistoryToContext: true };
  return { model, agent: new Agent({ name: "Clerk", model, tools: [add, ask], ...options }) };
}

it("keeps state and history over runs, as an agent alone does", async () => {
  const sessions = memorySessions();
  const script = [
    calls(["add", { item: "milk" }]),
    says("Added milk."),
    calls(["add", { item: "eggs" }]),
    says("Added eggs."),
  ];
  const { agent, model } = shop(sessions, ...script);
  const input = { sessionId: "s1", userId: "ann" };

  await agent.workflow.run({ input: "milk", ...input });
  await agent.workflow.run({ input: "eggs", ...input });

  const session = await sessions.load("s1", "ann", { runs: 10 });
  expect(session).toMatchObject({ userId: "ann", state: { items: ["milk", "eggs"] }, metrics: { totalTokens: 60 } });
  expect(session?.runs.map(({ input, content }) => [input, content])).toEqual([
    ["milk", "Added milk."],
    ["eggs", "Added eggs."],
  ]);
  const roles = model.doStreamCalls[2]?.prompt.map(({ role }) => role);
  expect(roles).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(await agent.getSessionState("s1")).toEqual({ items: ["milk", "eggs"] });
});

it("merges what another run has saved meanwhile, over a restart", async () => {
  const sessions = memorySessions();
  const first = shop(sessions, calls(["add", { item: "milk" }]), calls(["ask", {}]));
  const run = first.agent.workflow.run({ input: "milk", sessionId: "s1" });
  await run.idle();
  const dict = JSON.parse(JSON.stringify(run.context.toDict()));
  await run.cancel();
  await shop(sessions, calls(["add", { item: "eggs" }]), says("ok")).agent.run("eggs", { sessionId: "s1" });

  const { workflow } = shop(sessions, says("done")).agent;
  const resumed = workflow.resume(Context.fromDict(workflow, dict));
  for (const promptId of await promptsOf(resumed)) await resumed.answer(promptId, { approved: true });

  expect((await resumed).content).toBe("done");
  const session = await sessions.load("s1", null, { runs: 10 });
  expect(session?.state["items"]).toEqual(expect.arrayContaining(["eggs", "milk"]));
  expect(session?.runs).toHaveLength(2);
});

it("refuses the session of a user to a run that names none", async () => {
  const sessions = memorySessions();
  await shop(sessions, says("hi")).agent.run("hi", { sessionId: "s1", userId: "ann" });

  const run = shop(sessions, says("hi")).agent.workflow.run({ input: "hi", sessionId: "s1" });

  await expect(answering(run, () => ({}))).rejects.toMatchObject({ code: "SESSION_FOREIGN" });
});

it("is not stuck after an answer that was cut in the middle of a call", async () => {
  const sessions = memorySessions();
  const { agent } = shop(sessions, { ...calls(["add", { item: "milk" }]), finish: "length" }, says("hello again"));

  await expect(agent.run("one", { sessionId: "s1" })).rejects.toMatchObject({ code: "AGENT_OUTPUT_INVALID" });

  expect((await agent.run("two", { sessionId: "s1" })).content).toBe("hello again");
});
