/** Tools of our own, of the SDK, of pages, and how they run. */
import { jsonSchema, tool as sdkTool } from "ai";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, tool } from "../../src/index.js";
import { answering } from "../support/people.js";
import { answers, calls, says, toolMessages } from "../support/turns.js";

const told = (model: ReturnType<typeof answers>, call = 1): unknown[] =>
  toolMessages(model.doStreamCalls[call]!).flatMap((part) => {
    const [kind, , output] = part as [string, string, unknown];
    return kind === "result" ? [output] : [];
  });

it("vercel/ai, CopilotKit#4953: waits for the result of a tool without `execute`, its own or of the SDK", async () => {
  const own = tool({ name: "where", description: "Asks the page.", parameters: z.object({}) });
  const sdk = sdkTool({ description: "Asks the page.", inputSchema: z.object({ q: z.string() }) });
  const model = answers(calls(["where", {}], ["sure", { q: "really?" }]), says("done"));
  const agent = new Agent({ model, tools: [own], sdkTools: { sure: sdk as never } });

  const { result, asked } = await answering(agent.workflow.run({ input: "go" }), ({ toolName }) => ({
    output: toolName === "where" ? "Bern" : { sure: true },
  }));

  expect(result.content).toBe("done");
  expect(asked.map(({ kind, toolName, input }) => [kind, toolName, input])).toEqual(
    expect.arrayContaining([
      ["result", "where", {}],
      ["result", "sure", { q: "really?" }],
    ]),
  );
  expect(told(model)).toEqual([
    { type: "text", value: "Bern" },
    { type: "json", value: { sure: true } },
  ]);
});

it("runs tools of the SDK: their rules, their streams, their own form for the model", async () => {
  const made: unknown[] = [];
  const sdkTools = {
    remove: sdkTool({
      description: "Removes.",
      inputSchema: z.object({ id: z.number() }),
      needsApproval: ({ id }) => id > 1,
      execute: ({ id }) => void made.push(id),
    }),
    slow: sdkTool({
      description: "Comes in parts.",
      inputSchema: jsonSchema<object>({ type: "object" }),
      execute: async function* () {
        yield "half";
        yield "whole";
      },
      toModelOutput: ({ output }) => ({ type: "text", value: `it said ${output}` }),
    }),
  };
  const model = answers(calls(["remove", { id: 1 }], ["remove", { id: 2 }], ["slow", {}]), says("done"));

  const { asked } = await answering(new Agent({ model, sdkTools }).workflow.run({ input: "go" }), () => ({
    approved: false,
  }));

  expect(asked.map(({ input }) => input)).toEqual([{ id: 2 }]);
  expect(made).toEqual([1]);
  expect(told(model).at(-1)).toEqual({ type: "text", value: "it said whole" });
});

it("gets tools at the start of a run, as of an MCP server", async () => {
  const look = sdkTool({ description: "Looks.", inputSchema: z.object({}), execute: () => "seen" });
  const model = answers(calls(["look", {}]), says("done"));

  await new Agent({ model, sdkTools: async () => ({ look }) }).workflow.run({ input: "go" });

  expect(told(model)).toEqual([{ type: "text", value: "seen" }]);
});

it("says that tools could not be read, and reads them again at the next try", async () => {
  let tries = 0;
  const sdkTools = async () => {
    if (tries++ === 0) throw new TypeError("connect ECONNREFUSED 127.0.0.1:1");
    return {};
  };
  const agent = new Agent({ name: "Clerk", model: answers(says("done")), sdkTools });

  const failed = await agent.run("go").catch((error: unknown) => error);
  const { content } = await agent.run("go");

  expect(failed).toMatchObject({
    code: "AGENT_FAILED",
    message: 'Agent "Clerk" failed: its tools could not be read: connect ECONNREFUSED 127.0.0.1:1',
    hint: expect.stringContaining("sdkTools"),
  });
  expect(content).toBe("done");
});

it.each([
  ["a date", z.object({ at: z.date() })],
  ["a bigint", z.object({ n: z.bigint() })],
  ["a set", z.object({ tags: z.set(z.string()) })],
  ["a map", z.object({ by: z.map(z.string(), z.number()) })],
])("names the tool whose parameters have %s, when it is made", (_what, parameters) => {
  const make = () => tool({ name: "book", description: "Books.", parameters, execute: () => 1 });

  expect(make).toThrow(/^The parameters of the tool "book" cannot be shown to a model: /);
});

it("converts the arguments of a recorded call again when a run is resumed", async () => {
  const at: unknown[] = [];
  const book = tool({
    name: "book",
    description: "Books.",
    parameters: z.object({ at: z.iso.date().transform((text) => new Date(text)) }),
    requiresConfirmation: true,
    execute: (args) => void at.push(args.at),
  });
  const agent = new Agent({ model: answers(calls(["book", { at: "2030-01-01" }]), says("done")), tools: [book] });

  await answering(agent.workflow.run({ input: "go" }), () => ({ approved: true }));

  expect(at).toEqual([new Date("2030-01-01")]);
});

it("takes names that objects have, such as `constructor`", async () => {
  const odd = tool({ name: "constructor", description: "Odd.", execute: () => "built" });
  const model = answers(calls(["constructor", {}, "constructor"], ["toString", {}, "toString"]), says("done"));

  await new Agent({ model, tools: [odd] }).workflow.run({ input: "go" });

  expect(told(model)).toEqual([
    { type: "text", value: "built" },
    { type: "error-text", value: 'There is no tool "toString".' },
  ]);
});

it("runs at most so many tools at once, and those that wait for a person do not count", async () => {
  let now = 0;
  let most = 0;
  const work = tool({
    name: "work",
    description: "Works.",
    parameters: z.object({ asks: z.boolean().default(false) }),
    requiresConfirmation: ({ asks }) => asks,
    execute: async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now--;
    },
  });
  const round = calls(["work", { asks: true }], ...Array.from({ length: 6 }, () => ["work", {}] as const));
  const agent = new Agent({ model: answers(round, says("done")), tools: [work], maxParallelTools: 2 });

  const { result } = await answering(agent.workflow.run({ input: "go" }), () => ({ approved: true }));

  expect(result.content).toBe("done");
  expect(most).toBe(2);
});

it("tells the model what a tool throws, and goes on", async () => {
  const bad = tool({
    name: "bad",
    description: "Fails.",
    execute: () => {
      throw new TypeError("no paper");
    },
  });
  const model = answers(calls(["bad", {}]), says("Sorry."));

  const run = new Agent({ model, tools: [bad] }).workflow.run({ input: "go" });

  expect((await run).content).toBe("Sorry.");
  expect(told(model)).toEqual([{ type: "error-text", value: "no paper" }]);
});

it.each([
  ["stops at its signal", true],
  ["does not listen", false],
])("ends a call that takes too long, and tells the model, when the tool %s", async (_how, listens) => {
  const slow = tool({
    name: "slow",
    description: "Never ends.",
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        if (listens) signal.addEventListener("abort", () => reject(signal.reason));
      }),
  });
  const quick = tool({ name: "quick", description: "Ends.", execute: () => "done" });
  const model = answers(calls(["slow", {}], ["quick", {}]), says("Sorry."));
  const agent = new Agent({ model, tools: [slow, quick], toolTimeout: 30, maxParallelTools: 1 });

  expect((await agent.workflow.run({ input: "go" })).content).toBe("Sorry.");
  expect(told(model)).toEqual([
    { type: "error-text", value: "The tool did not answer within 30 ms." },
    { type: "text", value: "done" },
  ]);
});

it("refuses a time for tools that is none", () => {
  expect(() => new Agent({ model: answers(), toolTimeout: "soon" as never })).toThrow("`toolTimeout` is");
});

it("keeps what tools change in the session state, also of calls made at the same time", async () => {
  const add = tool({
    name: "add",
    description: "Adds.",
    parameters: z.object({ item: z.string() }),
    execute: async ({ item }, { sessionState, runContext }) => {
      (sessionState["items"] as string[]).push(item);
      await runContext.editState((state) => void ((state["count"] as number) += 1));
    },
  });
  const sessionState = { items: [], count: 0 };
  const model = answers(calls(["add", { item: "milk" }], ["add", { item: "eggs" }]), says("done"));
  const agent = new Agent({ model, tools: [add], sessionState });
  const run = agent.workflow.run({ input: "go" });

  await run;

  expect(await run.context.store.get("session")).toEqual({ items: ["milk", "eggs"], count: 2 });
});
