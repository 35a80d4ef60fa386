/** Tools that a person has to allow, in an agent that is the executor of a step. */
import { tool as sdkTool, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, type ExecutorEvent, tool } from "../src/index.js";
import { namesOf } from "./support/events.js";
import { inStep } from "./support/in-step.js";
import { scripted, toolOutputs } from "./support/models.js";
import type { Answered, Asked } from "./support/people.js";
import { look, refund, request } from "./support/refunds.js";

const outputs = (options: Parameters<typeof toolOutputs>[0]): string => JSON.stringify(toolOutputs(options));

describe.each([
  ["answering", undefined],
  ["streaming", () => {}],
])("a call that a person has to allow, %s", (_how, listener) => {
  const run = (agent: Agent, state: Record<string, unknown> = {}, reply?: (asked: Asked) => Answered) => {
    const given = request({ sessionState: state, ...(listener === undefined ? {} : { stream: listener }) });
    return inStep((ctx) => agent.execute({ ...given, ctx }), given, reply);
  };

  it("is asked about before the tool runs, and the model is not asked again", async () => {
    const model = scripted([
      [
        ["look", { order: 7 }],
        ["refund", { order: 7 }],
      ],
      outputs,
    ]);
    const state: Record<string, unknown> = {};
    let before: unknown;

    const { result, asked } = await run(new Agent({ model, tools: [look, refund] }), state, () => {
      before = structuredClone(state);
      return { approved: true };
    });

    expect(asked).toMatchObject([{ kind: "permission", id: "call-1", toolName: "refund", input: { order: 7 } }]);
    expect(before).toEqual({});
    expect(result).toMatchObject({ status: "COMPLETED", pause: null, metrics: { totalTokens: 30 } });
    expect(JSON.parse(result.content as string)).toEqual([
      { type: "text", value: "Order 7" },
      { type: "text", value: "Refunded 7" },
    ]);
    expect(state["refunds"]).toEqual([7]);
    expect(result.tools.map(({ toolName }) => toolName)).toEqual(["look", "refund"]);
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(2);
    expect(result.messages[0]).toEqual({ role: "user", content: "Refund it" });
  });

  it("is told to the model where it is not allowed, and why", async () => {
    const model = scripted([
      [
        ["refund", { order: 1 }],
        ["refund", { order: 2 }],
      ],
      outputs,
    ]);
    const state: Record<string, unknown> = {};

    const { result } = await run(new Agent({ model, tools: [refund] }), state, ({ id }) =>
      id === "call-0" ? { approved: false, note: "too much" } : { approved: true },
    );

    expect(state["refunds"]).toEqual([2]);
    expect(result.content).toContain("A person has not allowed this call: too much");
    expect(result.content).toContain("Refunded 2");
    expect(result.tools.find(({ toolCallError }) => toolCallError)).toMatchObject({
      toolCallId: "call-0",
      result: "A person has not allowed this call: too much",
    });
  });

  it("may be asked about again and again, each with a key of its own", async () => {
    const model = scripted([[["refund", { order: 1 }]], [["refund", { order: 1 }]], "Both."]);
    const state: Record<string, unknown> = {};

    const { result, asked } = await run(new Agent({ model, tools: [refund] }), state);

    expect(asked.map(({ id }) => id)).toEqual(["call-0", "call-1"]);
    expect(result).toMatchObject({ status: "COMPLETED", content: "Both.", metrics: { totalTokens: 45 } });
    expect(state["refunds"]).toEqual([1, 1]);
    expect(new Set(state["keys"] as string[]).size).toBe(2);
  });

  it("is not asked about where the rule says that nobody needs to be asked, and is where the rule throws", async () => {
    const pay = tool({
      name: "pay",
      description: "Pay",
      parameters: z.object({ cents: z.number() }),
      requiresConfirmation: async ({ cents }, { sessionState }) => {
        if (cents > 100) throw new TypeError("no rule");
        return cents > (sessionState["limit"] as number);
      },
      execute: ({ cents }) => `Paid ${cents}`,
    });
    const model = scripted([[5, 50, 500].map((cents) => ["pay", { cents }] as const), "Paid."]);

    const { asked } = await run(new Agent({ model, tools: [pay] }), { limit: 10 });

    expect(asked.map(({ input }) => input)).toEqual([{ cents: 50 }, { cents: 500 }]);
  });

  it("ends the run when no model call is left for what comes after the answer", async () => {
    const model = scripted([[["refund", { order: 1 }]]]);

    const { result, asked } = await run(new Agent({ model, tools: [refund], maxSteps: 1 }));

    expect(asked).toEqual([]);
    expect(result).toMatchObject({ status: "ERROR", error: { code: "AGENT_FAILED", details: { maxSteps: 1 } } });
  });

  it("runs with arguments that its schema has made", async () => {
    let seen: unknown;
    const book = tool({
      name: "book",
      description: "Book",
      parameters: z.object({ day: z.string().transform((text) => new Date(text)) }),
      requiresConfirmation: true,
      execute: ({ day }) => void (seen = day),
    });

    const { result } = await run(
      new Agent({ model: scripted([[["book", { day: "2026-01-02" }]], "Booked."]), tools: [book] }),
    );

    expect(result.status).toBe("COMPLETED");
    expect(seen).toEqual(new Date("2026-01-02"));
  });
});

it("the events show a call as started only when it was allowed", async () => {
  const model = scripted([
    [
      ["look", { order: 1 }],
      ["refund", { order: 1 }],
      ["refund", { order: 2 }],
    ],
    "Done.",
  ]);
  const agent = new Agent({ model, tools: [look, refund] });
  const events: ExecutorEvent[] = [];
  const given = request({ stream: (event) => void events.push(event) });
  const before: string[][] = [];

  await inStep(
    (ctx) => agent.execute({ ...given, ctx }),
    given,
    ({ id }) => {
      before.push(namesOf(events));
      return { approved: id === "call-1" };
    },
  );

  expect(before[0]?.filter((name) => name === "ToolCallStarted")).toHaveLength(1);
  expect(namesOf(events)).toEqual([
    "RunStarted",
    "ToolCallStarted",
    "ToolCallCompleted",
    "ToolCallStarted",
    "ToolCallCompleted",
    "ToolCallCompleted",
    "RunContent",
    "RunCompleted",
  ]);
  const completed = events.flatMap((event) => (event.event === "ToolCallCompleted" ? event : []));
  expect(completed.slice(1).toSorted(({ tool }) => (tool.toolCallError ? -1 : 1))).toMatchObject([
    { tool: { toolCallId: "call-2", toolCallError: true, result: "A person has not allowed this call." } },
    { tool: { toolCallId: "call-1", toolCallError: false } },
  ]);
});

it("tools of the SDK ask in their own way", async () => {
  const wipe = sdkTool({
    description: "Wipe",
    inputSchema: z.object({ disk: z.string() }),
    needsApproval: ({ disk }) => disk !== "tmp",
    execute: ({ disk }) => `Wiped ${disk}`,
  });
  const model = scripted([["tmp", "home"].map((disk) => ["wipe", { disk }] as const), outputs]);
  const agent = new Agent({ model, sdkTools: { wipe } as ToolSet });
  const given = request();

  const { result, asked } = await inStep((ctx) => agent.execute({ ...given, ctx }), given);

  expect(asked).toMatchObject([{ input: { disk: "home" } }]);
  expect(result.content).toContain("Wiped home");
});
