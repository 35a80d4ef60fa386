/** What calls make of the session state, in a run of `agent.workflow`. */
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, memorySessions, type SessionState, tool } from "../../src/index.js";
import { deferred } from "../support/deferred.js";
import { answers, calls, says } from "../support/turns.js";

const itemsOf = (state: SessionState): string[] => state["items"] as string[];

const add = tool({
  name: "add",
  description: "Adds what is not there.",
  parameters: z.object({ item: z.string() }),
  execute: ({ item }, { sessionState }) => {
    if (!itemsOf(sessionState).includes(item)) itemsOf(sessionState).push(item);
  },
});

const count = tool({
  name: "count",
  description: "Counts.",
  execute: (_args, { runContext }) =>
    runContext.editState(async (state) => {
      const before = (state["n"] as number | undefined) ?? 0;
      await Promise.resolve();
      state["n"] = before + 1;
    }),
});

it("shows what a tool has changed to the next of the same answer", async () => {
  const added = calls(["add", { item: "milk" }], ["add", { item: "eggs" }], ["add", { item: "milk" }]);
  const agent = new Agent({
    name: "clerk",
    model: answers(added, says("done")),
    tools: [add],
    sessionState: { items: [] },
  });
  const run = agent.workflow.run({ input: "go", sessionState: { owner: "Ann" } });
  await run;

  expect(await run.context.store.get("session")).toEqual({ owner: "Ann", items: ["milk", "eggs"] });
});

it("merges what tools that wait for each other have changed", async () => {
  const both = deferred();
  let begun = 0;
  const slow = tool({
    name: "slow",
    description: "Waits for the other one.",
    parameters: z.object({ item: z.string() }),
    execute: async ({ item }, { sessionState, runContext }) => {
      itemsOf(sessionState).push(item);
      await runContext.editState((state) => (state["n"] = (state["n"] as number) + 1));
      if (++begun === 2) both.resolve();
      await both.promise;
    },
  });
  const model = answers(calls(["slow", { item: "milk" }], ["slow", { item: "eggs" }]), says("done"));
  const agent = new Agent({ model, tools: [slow], sessionState: { items: [], n: 0 } });

  const { sessionState } = await agent.run("go");

  expect(sessionState["n"]).toBe(2);
  expect(itemsOf(sessionState).toSorted()).toEqual(["eggs", "milk"]);
});

it("adds up what concurrent runs of a session count", async () => {
  const sessions = memorySessions();
  const all = deferred();
  let begun = 0;
  const clerk = () => {
    const first = async () => {
      if (++begun === 5) all.resolve();
      await all.promise; // all have loaded the session
      return calls(["count", {}], ["count", {}]);
    };
    return new Agent({ model: answers(first, says("done")), tools: [count], sessions });
  };

  await Promise.all(Array.from({ length: 5 }, () => clerk().workflow.run({ input: "go", sessionId: "s1" })));

  expect(await sessions.load("s1", null, { runs: 0 })).toMatchObject({ state: { n: 10 } });
});

it("has its template once: what a tool has cleared stays so", async () => {
  const clear = tool({
    name: "clear",
    description: "Clears.",
    execute: (_args, context) => (context.sessionState = {}),
  });
  const model = answers(calls(["clear", {}]), calls(["count", {}]), says("done"));
  const agent = new Agent({ model, tools: [clear, count], sessionState: { items: [] } });

  expect((await agent.run("go")).sessionState).toEqual({ n: 1 });
});
