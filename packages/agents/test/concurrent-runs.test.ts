import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, type AgentSessions, memorySessions, tool } from "../src/index.js";
import { deferred } from "./support/deferred.js";
import { readAll } from "./support/events.js";
import { scripted } from "./support/models.js";
import { addItem, listOf, removeItem } from "./support/shopping.js";

const count = tool({
  name: "count",
  description: "Counts",
  parameters: z.object({ sets: z.boolean() }),
  execute: async ({ sets }, { runContext, sessionState }) => {
    await runContext.editState(async (state) => {
      const before = (state["n"] as number | undefined) ?? 0;
      await Promise.resolve();
      state["n"] = before + 1;
    });
    if (sets) sessionState["n"] = 100;
    return "counted";
  },
});

describe("runs of one session at the same time", () => {
  it("lose neither items nor runs nor tokens", async () => {
    const sessions = memorySessions();
    const items = ["milk", "eggs", "bread", "figs", "rice", "oil"];
    const started = deferred();
    let waiting = 0;
    const agentFor = (item: string) =>
      new Agent({
        model: scripted([
          async () => {
            if (++waiting === items.length) started.resolve();
            await started.promise; // all have loaded the session
            return [["add_item", { item }]];
          },
          "Added.",
        ]),
        sessions,
        sessionId: "shared",
        sessionState: { shopping_list: [] },
        tools: [addItem],
      });

    const agents = items.map(agentFor);
    await Promise.all(agents.map((agent) => agent.run("Add it", { sessionState: { from: "all" } })));

    const stored = await sessions.load("shared", null, { runs: 100 });
    expect([...listOf(stored?.state ?? {})].sort()).toEqual([...items].sort());
    expect(stored?.state["from"]).toBe("all");
    expect(stored?.runs).toHaveLength(items.length);
    expect(stored).toMatchObject({ version: items.length, metrics: { totalTokens: items.length * 30 } });
  });

  it("keep of one list what one has added, and not what the other has removed", async () => {
    const sessions = memorySessions();
    const options = {
      sessions,
      sessionId: "shared",
      sessionState: { shopping_list: [], theirs: 0 },
      tools: [addItem, removeItem],
    };
    const adding = [["add_item", { item: "new" }]] as const;
    const adder = new Agent({ ...options, model: scripted(["Hi.", adding, "Added."]) });
    await adder.run("Hi", { sessionState: { shopping_list: ["old"] } });
    const removing = async () => {
      await adder.run("Add it", { sessionState: { theirs: 1 } }); // saved while this run goes on
      return [["remove_item", { item: "old" }]] as const;
    };

    await new Agent({ ...options, model: scripted([removing, "Removed."]) }).run("Remove it");

    expect(await adder.getSessionState()).toEqual({ shopping_list: ["new"], theirs: 1 });
  });

  it("add up what each has counted, and not what one has set", async () => {
    const options = { sessions: memorySessions(), sessionId: "shared", tools: [count] };
    const counting = [
      ["count", { sets: false }],
      ["count", { sets: false }],
    ] as const;
    const started = deferred();
    let waiting = 0;
    const all = async () => {
      if (++waiting === 5) started.resolve();
      await started.promise; // all have loaded the session
      return counting;
    };
    const agents = Array.from({ length: 5 }, () => new Agent({ ...options, model: scripted([all, "Counted."]) }));
    await Promise.all(agents.map((agent) => agent.run("Count")));
    const [agent] = agents as [Agent];

    expect(await agent.getSessionState()).toEqual({ n: 10 });

    const setting = async () => {
      await new Agent({ ...options, model: scripted([counting, "Counted."]) }).run("Count"); // while this run goes on
      return [["count", { sets: true }]] as const;
    };
    await new Agent({ ...options, model: scripted([setting, "Set."]) }).run("Set");

    expect(await agent.getSessionState()).toEqual({ n: 100 });
  });

  it("give up, with an error, on a store that never takes anything", async () => {
    const stubborn: AgentSessions = { load: async () => null, save: async () => ({ status: "conflict" }) };
    const agent = new Agent({ model: scripted(["Hi"]), sessions: stubborn });

    const { events, error } = await readAll(agent.stream("Hi"));

    expect(error).toMatchObject({ code: "SESSION_BUSY" });
    expect(events.at(-1)).toMatchObject({ event: "RunError", errorType: "SESSION_BUSY" });
  });

  it("do not take an unreadable session for a new one", async () => {
    const broken: AgentSessions = {
      ...memorySessions(),
      load: () => Promise.reject(new TypeError("disk")),
    };
    const model = scripted(["Hi"]);

    await expect(new Agent({ model, sessions: broken }).run("Hi")).rejects.toThrow("disk");
    expect(model.doGenerateCalls).toHaveLength(0);
  });
});
