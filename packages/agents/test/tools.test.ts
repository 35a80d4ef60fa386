import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, memorySessions, type RunContext, tool } from "../src/index.js";
import { deferred } from "./support/deferred.js";
import { scripted, toolOutputs } from "./support/models.js";

const asText = (value: unknown): string => JSON.stringify(value);

describe("state in tools", () => {
  it("is not lost when a tool assigns another object, wherever it does", async () => {
    const fresh = tool({
      name: "fresh",
      description: "Start over",
      execute: (_args, context) => {
        const before = context.sessionState;
        context.sessionState = { from: "context" };
        context.runContext.sessionState = { ...context.runContext.sessionState, and: "run context" };
        before["later"] = true; // still the live object
        return "ok";
      },
    });
    const agent = new Agent({ model: scripted([[["fresh", {}]], "Done."]), tools: [fresh], sessionState: { old: 1 } });

    const run = await agent.run("Go");

    expect(run.sessionState).toEqual({ from: "context", and: "run context", later: true });
  });

  it("takes one edit at a time where edits await", async () => {
    const count = tool({
      name: "count",
      description: "Count",
      execute: (_args, { runContext }) =>
        runContext.editState(async (state) => {
          const before = state["count"] as number;
          await Promise.resolve();
          state["count"] = before + 1;
        }),
    });
    const calls = [1, 2, 3].map(() => ["count", {}] as const);
    const agent = new Agent({ model: scripted([calls, "Done."]), tools: [count], sessionState: { count: 0 } });

    expect((await agent.run("Count")).sessionState).toEqual({ count: 3 });
  });

  it("has nothing to do with the state of another run of the same agent", async () => {
    const both = deferred();
    let arrived = 0;
    const mark = tool({
      name: "mark",
      description: "Mark",
      parameters: z.object({ by: z.string() }),
      execute: async ({ by }, { sessionState }) => {
        sessionState["by"] = by;
        if (++arrived === 2) both.resolve();
        await both.promise; // both runs are in the middle
        return String(sessionState["by"]);
      },
    });
    const model = scripted([[["mark", { by: "first" }]], [["mark", { by: "second" }]], "Done.", "Done."]);
    const agent = new Agent({ model, tools: [mark], sessionState: { by: "nobody" } });

    const runs = await Promise.all([agent.run("1"), agent.run("2")]);

    expect(runs.map(({ sessionState }) => sessionState)).toEqual([{ by: "first" }, { by: "second" }]);
    expect(runs.map(({ tools }) => tools.map(({ result }) => result))).toEqual([["first"], ["second"]]);
  });
});

describe("tools that one answer calls", () => {
  it("start in the order of the calls, and none waits for another", async () => {
    const log: string[] = [];
    const last = deferred();
    const work = tool({
      name: "work",
      description: "Work",
      parameters: z.object({ id: z.string() }),
      execute: async ({ id }) => {
        log.push(`${id} starts`);
        if (id === "c") last.resolve();
        await last.promise;
      },
    });
    const calls = ["a", "b", "c"].map((id) => ["work", { id }] as const);

    await new Agent({ model: scripted([calls, "Done."]), tools: [work] }).run("Go");

    expect(log).toEqual(["a starts", "b starts", "c starts"]);
  });
});

describe("results of tools", () => {
  it("reach the model as text or JSON, and as plain data the run", async () => {
    const results: Readonly<Record<string, unknown>> = {
      text: "hello",
      data: { at: new Date(0), none: undefined },
      nothing: undefined,
    };
    const give = tool({
      name: "give",
      description: "Give",
      parameters: z.object({ what: z.string() }),
      execute: ({ what }) => results[what],
    });
    const calls = Object.keys(results).map((what) => ["give", { what }] as const);
    const agent = new Agent({ model: scripted([calls, (options) => asText(toolOutputs(options))]), tools: [give] });

    const run = await agent.run("Give");

    expect(JSON.parse(run.content)).toEqual([
      { type: "text", value: "hello" },
      { type: "json", value: { at: "1970-01-01T00:00:00.000Z" } },
      { type: "json", value: null },
    ]);
    expect(run.tools[1]).toEqual({
      toolCallId: "call-1",
      toolName: "give",
      toolArgs: { what: "data" },
      result: { at: "1970-01-01T00:00:00.000Z" },
      toolCallError: false,
    });
  });

  it("may be errors, which the model is told", async () => {
    const fail = tool({
      name: "fail",
      description: "Fail",
      execute: () => {
        throw new TypeError("no such city");
      },
    });
    const agent = new Agent({
      model: scripted([[["fail", {}]], (options) => asText(toolOutputs(options))]),
      tools: [fail],
    });

    const run = await agent.run("Go");

    expect(run.content).toContain("no such city");
    expect(run.tools[0]).toMatchObject({ result: "no such city", toolCallError: true });
  });

  it("are asked for again when the arguments do not fit", async () => {
    const double = tool({
      name: "double",
      description: "Double",
      parameters: z.object({ value: z.number() }),
      execute: ({ value }) => value * 2,
    });
    const script = [[["double", { value: "two" }]], [["double", { value: 2 }]], "4"] as const;
    const agent = new Agent({ model: scripted(script), tools: [double] });

    const run = await agent.run("Double two");

    expect(run.content).toBe("4");
    expect(run.tools.filter(({ toolCallError }) => !toolCallError).map(({ result }) => result)).toEqual([4]);
  });

  it("may come with media", async () => {
    const draw = tool({
      name: "draw",
      description: "Draw",
      execute: (_args, { addMedia }) => {
        addMedia({ kind: "image", id: "cat", content: "AAAA", mimeType: "image/png" });
        addMedia({ kind: "image", id: "cat", content: "AAAA", mimeType: "image/png" });
        return "drawn";
      },
    });
    const agent = new Agent({ model: scripted([[["draw", {}]], "Here."]), tools: [draw] });

    expect((await agent.run("Draw a cat")).images).toEqual([
      { kind: "image", id: "cat", content: "AAAA", mimeType: "image/png" },
    ]);
  });
});

describe("what a tool is told", () => {
  it("has a key that another attempt repeats, though the model names the call otherwise", async () => {
    const keys: string[] = [];
    const pay = tool({
      name: "pay",
      description: "Pay",
      parameters: z.record(z.string(), z.unknown()), // keeps the order of the model
      execute: (_args, { idempotencyKey }) => void keys.push(idempotencyKey),
    });
    const first = scripted([
      [
        ["pay", { to: "Ann", cents: 5 }],
        ["pay", { to: "Ann", cents: 5 }],
        ["pay", { to: "Bob", cents: 5 }],
      ],
      "Paid.",
    ]);
    const again = scripted([
      [["pay", { cents: 5, to: "Bob" }]],
      [
        ["pay", { cents: 5, to: "Ann" }],
        ["pay", { to: "Ann", cents: 5 }],
      ],
      "Paid.",
    ]);

    await new Agent({ model: first, tools: [pay] }).run("Pay", { idempotencyKey: "order-1" });
    const before = keys.splice(0);
    await new Agent({ model: again, tools: [pay] }).run("Pay", { idempotencyKey: "order-1" });

    expect(new Set(before).size).toBe(3);
    expect([...keys].sort()).toEqual([...before].sort());
    expect(before.every((key) => key.startsWith("order-1:pay:"))).toBe(true);
  });

  it("has ids, dependencies and metadata, merged from agent and run", async () => {
    let seen: RunContext | undefined;
    const look = tool({
      name: "look",
      description: "Look",
      execute: (_args, { runContext }) => void (seen = runContext),
    });
    const client = new (class Client {
      readonly open = true;
    })();
    const agent = new Agent({
      model: scripted([[["look", {}]], "Seen."]),
      tools: [look],
      dependencies: { url: "a", deep: { a: 1 }, client },
      metadata: { team: "x" },
    });

    await agent.run("Look", {
      runId: "r1",
      sessionId: "s1",
      userId: "u1",
      dependencies: { url: "b", deep: { b: 2 } },
      metadata: { team: "y", extra: 1 },
    });

    expect(seen).toMatchObject({ runId: "r1", sessionId: "s1", userId: "u1" });
    expect(seen?.dependencies).toEqual({ url: "b", deep: { a: 1, b: 2 }, client });
    expect(seen?.dependencies["client"]).toBe(client);
    expect(seen?.metadata).toEqual({ team: "x", extra: 1 });
  });
});

describe("options", () => {
  const model = scripted([]);
  const named = (name: string) => tool({ name, description: "x", execute: () => "x" });

  it.each([
    ["two tools of one name", () => new Agent({ model, tools: [named("a"), named("a")] })],
    ["a name that providers refuse", () => named("two words")],
    ["no model call at all", () => new Agent({ model, maxSteps: 0 })],
    ["a time that is none", () => new Agent({ model, timeout: "soon" as never })],
    ["a number for a retry policy", () => new Agent({ model, retry: 3 as never })],
    ["a tool with a number for a retry policy", () => tool({ name: "t", description: "T", retry: 3 as never })],
    ["a broken number of retries", () => new Agent({ model, maxRetries: 1.5 })],
  ])("are refused at once: %s", (_what, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });

  it("end a run that only calls tools", async () => {
    const call = [["a", {}]] as const;
    const agent = new Agent({
      model: scripted([call, call, call]),
      tools: [named("a")],
      maxSteps: 2,
      sessions: memorySessions(),
    });

    await expect(agent.run("Go")).rejects.toMatchObject({
      code: "AGENT_FAILED",
      retryable: false,
      details: { maxSteps: 2 },
    });
  });
});
