/** Workflows as tools, through the client of the SDK. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type RunStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createMcpServer, type McpOptions } from "../src/mcp.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";

class Question extends InputRequiredEvent.define("Question", {}) {}
class Stars extends HumanResponseEvent.define("Stars", {
  stars: z.number().refine((stars) => stars <= 5, "at most 5 stars"),
}) {}
/** What it takes, a form cannot say. */
const survey = defineWorkflow("survey")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Stars, streams: Question }, async (_ev, ctx) => {
    const { stars } = await ctx.waitForEvent(Stars, { prompt: new Question({}) });
    return new StopEvent({ result: stars });
  })
  .build();

class Confirmed extends HumanResponseEvent.define("Confirmed", {}) {}
const confirm = defineWorkflow("confirm")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Confirmed, streams: Question }, async (_ev, ctx) => {
    await ctx.waitForEvent(Confirmed, { prompt: new Question({}) });
    return new StopEvent({ result: "confirmed" });
  })
  .build();

const asking = defineWorkflow("asking")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const { n } = await ctx.ask({ title: "How many?", details: "Between 1 and 5.", schema: { n: z.number().max(5) } });
    return new StopEvent({ result: n });
  })
  .build();

async function connect(
  answer: ElicitResult | (() => Promise<ElicitResult>) | null = null,
  elicitation: Record<string, object> = {},
  { store = memoryStore(), ...options }: { readonly store?: RunStore } & Partial<McpOptions> = {},
) {
  const runtime = createRuntime({ workflows: { ...workflows, survey, confirm, asking }, store });
  const log = { info: () => {}, error: () => {} };
  const server = createMcpServer({
    runtime,
    log,
    tools: {
      add: "Adds two numbers.",
      refund: "Refunds.",
      fail: "Fails.",
      survey: "Asks.",
      confirm: "Confirms.",
      asking: "Asks.",
    },
    progressMs: 5,
    ...options,
  });
  const client = new Client({ name: "test", version: "1" }, { capabilities: answer === null ? {} : { elicitation } });
  const asked: Json[] = [];
  if (answer !== null) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return typeof answer === "function" ? answer() : answer;
    });
  }
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  onTestFinished(async () => {
    await client.close();
    await runtime.stop();
  });
  const call = (name: string, given: Record<string, unknown> = {}): Promise<Json> =>
    client.callTool({ name, arguments: given });
  return { client, runtime, asked, call };
}

describe("createMcpServer", () => {
  it("offers the named workflows with the schemas of their start events", async () => {
    const { client } = await connect();

    const { tools } = await client.listTools();
    const own = ["answer_prompt", "list_runs", "get_run"];
    expect(tools.map(({ name }) => name)).toEqual(["add", "refund", "fail", "survey", "confirm", "asking", ...own]);
    expect(tools[0]).toMatchObject({
      description: "Adds two numbers.",
      inputSchema: { type: "object", properties: { left: { type: "number" } }, required: ["left"] },
    });
  });

  it("runs a workflow", async () => {
    const { call } = await connect();

    expect(await call("add", { left: 2, right: 3 })).toMatchObject({
      content: [{ type: "text", text: '{"sum":5}' }],
      structuredContent: { status: "completed" },
    });
  });

  it("tells the model what it did wrong", async () => {
    const { call } = await connect();

    expect(await call("add", { left: "two" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("EVENT_INVALID") }],
    });
    expect(await call("fail")).toMatchObject({ isError: true, structuredContent: { error_code: "STEP_FAILED" } });
    await expect(call("count", { to: 1 })).rejects.toThrow("no tool");
  });

  it("asks the person what a step asks with `ctx.ask`, again where the answer does not fit", async () => {
    const answers = [{ n: 6 }, { n: 4 }];
    const { call, asked } = await connect(async () => ({ action: "accept", content: answers.shift() as never }));

    expect(await call("asking")).toMatchObject({
      structuredContent: { status: "completed" },
      content: [{ text: '{"result":4}' }],
    });
    expect(asked.map(({ message }) => message)).toEqual([
      "How many?\n\nBetween 1 and 5.",
      expect.stringContaining("That answer does not fit"),
    ]);
    expect(asked[0]).toMatchObject({ requestedSchema: { properties: { n: { type: "number" } }, required: ["n"] } });
  });

  it("lets the model answer it with `answer_prompt`", async () => {
    const { call } = await connect();
    const waiting = await call("asking");
    const { handler_id, prompts } = waiting["structuredContent"];
    const answer = (fields: object) => call("answer_prompt", { handler_id, prompt_id: prompts[0].prompt_id, fields });

    expect(prompts[0].answer).toMatchObject({ type: "millrace.answer", schema: { required: ["n"] } });
    expect(await answer({ n: "four" })).toMatchObject({ isError: true });
    expect(await answer({ n: 4 })).toMatchObject({ structuredContent: { status: "completed" } });
  });

  it("tells a client that asks for it that a call is at work, until the call has ended", async () => {
    let answer = (_result: ElicitResult): void => {};
    const person = new Promise<ElicitResult>((resolve) => {
      answer = resolve;
    });
    const { client } = await connect(() => person);
    const told: number[] = [];
    const called = client.callTool({ name: "refund", arguments: {} }, undefined, {
      onprogress: ({ progress }) => void told.push(progress),
    });
    await expect.poll(() => told.length).toBeGreaterThan(2);
    answer({ action: "accept", content: { approved: true } });

    expect(await called).toMatchObject({ structuredContent: { status: "completed" } });
    const count = told.length;
    expect(told).toEqual([...new Set(told)].toSorted((one, other) => one - other));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(told.length).toBe(count);
  });

  it("answers no prompt of a workflow that is not a tool", async () => {
    const { call, runtime } = await connect();
    const run = runtime.run("aside", {});
    await run.accepted;
    while ((await run.prompts()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [prompt] = await run.prompts();

    const given = { handler_id: run.runId, prompt_id: prompt?.promptId, fields: { approved: true } };
    expect(await call("answer_prompt", given)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("There is no run") }],
    });
    expect(await run.prompts()).toHaveLength(1);
    await run.cancel(); // else the runtime waits for it when it stops
  });

  it("puts a prompt to the person", async () => {
    const { call, asked } = await connect({ action: "accept", content: { approved: true } });

    expect(await call("refund", { order: "C-3" })).toMatchObject({ content: [{ text: '{"result":"refunded C-3"}' }] });
    expect(asked).toMatchObject([
      {
        message: 'ApproveRefund: {"order":"C-3"}',
        requestedSchema: { properties: { approved: { type: "boolean" } }, required: ["approved"] },
      },
    ]);
  });

  it.each([
    ["has no way to ask", null],
    ["shows no forms", { action: "accept" } as const, { url: {} }],
  ])(
    "ends with the open prompt where the client %s, and goes on with the answer of the model",
    async (_name, answer, can: Record<string, object> = {}) => {
      const { call } = await connect(answer, can);

      const { structuredContent } = await call("refund");
      expect(structuredContent).toMatchObject({ status: "running", waiting: true });
      const { handler_id, prompts } = structuredContent;
      const given = { handler_id, prompt_id: prompts[0].prompt_id, fields: { approved: false } };
      expect(await call("answer_prompt", given)).toMatchObject({ content: [{ text: '{"result":"refused"}' }] });
      expect(await call("answer_prompt", given)).toMatchObject({ isError: true });
    },
  );
});

describe("who answers", () => {
  const answerOf = ({ structuredContent: { handler_id, prompts } }: Json) => ({
    handler_id,
    prompt_id: prompts[0].prompt_id,
    fields: { approved: true },
  });

  it.each([
    ["is told no", { action: "decline" } as const],
    ["is sent away", { action: "cancel" } as const],
    ["fails to ask", failing],
  ])("is the person where the client shows forms, also where it %s: the model cannot", async (_name, answer) => {
    const { call, runtime } = await connect(answer);

    const open = await call("refund");
    const refused = await call("answer_prompt", answerOf(open));

    expect(open.structuredContent).toMatchObject({ status: "running", waiting: true, prompts: [{}] });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("FORBIDDEN") }, {}] });
    expect(await runtime.handle(open.structuredContent.handler_id).prompts()).toHaveLength(1);
  });

  it("asks nobody again who has declined, and says so to the model", async () => {
    const { call, asked } = await connect({ action: "decline" });

    const { content, structuredContent } = await call("refund");
    const again = await call("answer_prompt", { handler_id: structuredContent.handler_id });

    expect(asked).toHaveLength(1);
    for (const one of [content, again.content])
      expect(one).toMatchObject([{}, { text: expect.stringContaining("The person has declined") }]);
    expect(again.structuredContent).toMatchObject({ waiting: true });
  });

  it("asks a person again who has closed the form", async () => {
    const answers: ElicitResult[] = [{ action: "cancel" }, { action: "accept", content: { approved: true } }];
    const { call, asked } = await connect(async () => answers.shift() as ElicitResult);

    const { structuredContent } = await call("refund", { order: "C-3" });
    const again = await call("answer_prompt", { handler_id: structuredContent.handler_id });

    expect(asked).toHaveLength(2);
    expect(again).toMatchObject({ content: [{ text: '{"result":"refunded C-3"}' }] });
  });

  it("is the model where the option says so, and the person is not asked", async () => {
    const { call, asked } = await connect({ action: "decline" }, {}, { answers: "model" });

    const answered = await call("answer_prompt", answerOf(await call("refund", { order: "C-3" })));

    expect(asked).toEqual([]);
    expect(answered).toMatchObject({ content: [{ text: '{"result":"refunded C-3"}' }] });
  });

  it("is the person where the option says so, also where the client cannot ask", async () => {
    const { call, client } = await connect(null, {}, { answers: "person" });

    const refused = await call("answer_prompt", answerOf(await call("refund")));

    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("FORBIDDEN") }, {}] });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "answer_prompt")?.inputSchema.properties).not.toHaveProperty("fields");
  });
});

describe("a server that only shows", () => {
  it("lists runs and looks them up, and changes nothing", async () => {
    const { call, client, runtime } = await connect(null, {}, { readOnly: true });
    const run = runtime.run("refund", { order: "C-3" });
    await run.accepted;
    await run.idle();
    const [prompt] = await run.prompts();
    const answer = { handler_id: run.runId, prompt_id: prompt?.promptId, fields: { approved: true } };

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["list_runs", "get_run"]);
    expect((await call("list_runs")).structuredContent.handlers).toHaveLength(1);
    expect((await call("get_run", { handler_id: run.runId })).structuredContent).toMatchObject({ waiting: true });
    for (const [tool, given] of [
      ["refund", { order: "C-4" }],
      ["answer_prompt", answer],
    ] as const)
      expect(await call(tool, given)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("READ_ONLY") }],
      });
    expect(await run.prompts()).toHaveLength(1);
    expect((await runtime.runs()).runs).toHaveLength(1);
    await run.cancel(); // else the runtime waits for it when it stops
  });
});

/** Answers one after the other, and the last one again and again. */
function answering(...answers: readonly (ElicitResult["content"] | undefined)[]): () => Promise<ElicitResult> {
  let next = 0;
  return async () => {
    const content = answers[Math.min(next++, answers.length - 1)];
    return { action: "accept", ...(content !== undefined && { content }) };
  };
}

describe("an answer that is refused", () => {
  it.each([
    ["does not fit the schema of the event", { stars: 9 }, "at most 5 stars"],
    ["does not fit the form", { stars: "many" }, "stars"],
    ["is accepted and empty", undefined, "it is empty"],
  ])("is asked for again where it %s, with what is wrong", async (_name, wrong, why) => {
    const { call, asked } = await connect(answering(wrong, { stars: 4 }));

    expect(await call("survey")).toMatchObject({ content: [{ text: '{"result":4}' }] });
    expect(asked).toHaveLength(2);
    expect(asked[1].message).toContain(why);
  });

  it.each([[{ stars: 9 }], [undefined]])("leaves the open prompt after three times: %o", async (wrong) => {
    const { call, asked } = await connect(answering(wrong));

    const { isError, structuredContent } = await call("survey");

    expect(asked).toHaveLength(3);
    expect(isError).not.toBe(true);
    expect(structuredContent).toMatchObject({ handler_id: expect.any(String), waiting: true, prompts: [{}] });
  });

  it("needs no content where nothing is asked for but a yes", async () => {
    const { call } = await connect({ action: "accept" });

    expect(await call("confirm")).toMatchObject({ content: [{ text: '{"result":"confirmed"}' }] });
  });

  it.each([
    ["does not fit", { stars: 9 }, "EVENT_INVALID"],
    ["is not an object", "five", "BODY_INVALID"],
    ["is missing", undefined, "BODY_INVALID"],
  ])("of `answer_prompt` that %s gives the open prompt back", async (_name, fields, code) => {
    const { call } = await connect();
    const { handler_id, prompts } = (await call("survey")).structuredContent;
    const given = { handler_id, prompt_id: prompts[0].prompt_id };

    const refused = await call("answer_prompt", { ...given, ...(fields !== undefined && { fields }) });

    expect(refused).toMatchObject({ isError: true, structuredContent: { handler_id, prompts, waiting: true } });
    expect(refused.content[0].text).toContain(code);
    expect(refused.content[1].text).toContain(handler_id);
    expect(await call("answer_prompt", { ...given, fields: { stars: 3 } })).toMatchObject({
      content: [{ text: '{"result":3}' }],
    });
  });

  it("of a prompt that is closed says how the run stands", async () => {
    const { call } = await connect();
    const { handler_id, prompts } = (await call("survey")).structuredContent;
    const given = { handler_id, prompt_id: prompts[0].prompt_id, fields: { stars: 3 } };
    await call("answer_prompt", given);

    expect(await call("answer_prompt", given)).toMatchObject({
      isError: true,
      structuredContent: { handler_id, status: "completed" },
    });
  });
});

/** A promise, and what fulfils it. */
function gate(): readonly [Promise<void>, () => void] {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, open];
}

describe("a call that is called off", () => {
  it("while its start is being stored cancels the run", async () => {
    const inner = memoryStore();
    const [stored, release] = gate();
    const [asked, reached] = gate();
    const slow = new Proxy(inner, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name !== "commit") return value.bind(target);
        return async (...given: unknown[]) => {
          reached();
          await stored;
          return value.apply(target, given);
        };
      },
    });
    const { client, runtime } = await connect(null, {}, { store: slow });
    const stop = new AbortController();
    const calling = client.callTool({ name: "refund", arguments: {} }, undefined, { signal: stop.signal });
    calling.catch(() => {}); // looked at below
    await asked;

    stop.abort();
    await expect(calling).rejects.toThrow();
    await new Promise((resolve) => setImmediate(resolve)); // the notice of the client has come
    release();

    await expect.poll(async () => (await runtime.runs({})).runs.map(({ status }) => status)).toEqual(["cancelled"]);
  });
});

describe("runs", () => {
  it("are listed and looked up, those of the tools only", async () => {
    const { call, runtime } = await connect();
    const { handler_id: waiting } = (await call("survey")).structuredContent;
    const { handler_id: added } = (await call("add", { left: 1 })).structuredContent;
    const hidden = runtime.run("mailbox", {});
    await hidden.accepted;
    const idsOf = ({ structuredContent }: Json): string[] =>
      structuredContent.handlers.map((handler: Json) => handler.handler_id);

    expect(idsOf(await call("list_runs"))).toEqual([added, waiting]);
    expect(idsOf(await call("list_runs", { workflow: "survey" }))).toEqual([waiting]);
    expect(idsOf(await call("list_runs", { status: "completed" }))).toEqual([added]);
    expect(idsOf(await call("list_runs", { waiting: true }))).toEqual([waiting]);
    const first = await call("list_runs", { limit: 1 });
    expect(idsOf(await call("list_runs", { limit: 1, cursor: first.structuredContent.cursor }))).toEqual([waiting]);
    expect(await call("get_run", { handler_id: added })).toMatchObject({ structuredContent: { status: "completed" } });
    expect(await call("get_run", { handler_id: waiting, wait_ms: 5_000 })).toMatchObject({
      structuredContent: { waiting: true, prompts: [{}] },
    });
    expect(await call("get_run", { handler_id: hidden.runId })).toMatchObject({ isError: true });
  });

  it.each([
    ["list_runs", { workflow: "mailbox" }],
    ["list_runs", { limit: 0 }],
    ["list_runs", { status: "gone" }],
    ["list_runs", { cursor: "nonsense" }],
    ["get_run", {}],
    ["get_run", { handler_id: 7 }],
    ["get_run", { handler_id: "nobody" }],
    ["answer_prompt", {}],
  ])("are not shown where %s is given %o, and the model is told why", async (tool, given) => {
    const { call } = await connect();

    const { isError, content } = await call(tool, given);

    expect(isError).toBe(true);
    expect(content[0].text).toMatch(/^(BODY_INVALID|OPTION_INVALID|RUN_UNKNOWN|QUERY_INVALID|There is no run)/);
  });

  it("of another tenant are neither listed nor found", async () => {
    const { call, runtime } = await connect();
    const other = runtime.run("refund", {}, { tenant: "acme" });
    await other.accepted;

    expect((await call("list_runs")).structuredContent.handlers).toEqual([]);
    expect(await call("get_run", { handler_id: other.runId })).toMatchObject({ isError: true });
  });
});

function failing(): never {
  throw new Error("the window is gone");
}

describe("the options of an MCP server", () => {
  it("are refused with everything that is wrong", () => {
    const wrong = {
      runtime: createRuntime({ workflows }),
      tools: { ad: "Adds." },
      waitMs: 0,
      progressMs: -1,
      tenent: "acme",
    };

    expect(() => createMcpServer(wrong)).toThrow(
      /`tenent` is not an option \(did you mean `tenant`.*waitMs.*progressMs.*"ad"/s,
    );
    expect(() => createMcpServer({} as never)).toThrow("no runtime");
  });

  it.each(["my flow", "müller", "a/b", "x".repeat(129), "a:b", "answer_prompt", "list_runs", "get_run"])(
    "refuse the workflow %s, whose name no tool can have, unless it is not a tool",
    (name) => {
      const runtime = createRuntime({ workflows: { [name]: workflows.add, add: workflows.add } });
      onTestFinished(() => runtime.stop());

      expect(() => createMcpServer({ runtime })).toThrow(JSON.stringify(name).slice(1, -1));
      expect(() => createMcpServer({ runtime, tools: { [name]: "A tool." } })).toThrow(/OPTION_INVALID|cannot be|name/);
      expect(() => createMcpServer({ runtime, tools: { add: "Adds." } })).not.toThrow();
    },
  );

  it("take a name of 128 characters", () => {
    const name = "a.B_c-9".padEnd(128, "x");
    const runtime = createRuntime({ workflows: { [name]: workflows.add } });
    onTestFinished(() => runtime.stop());

    expect(() => createMcpServer({ runtime })).not.toThrow();
  });
});
