/**
 * Calls of models and tools are made again as their policies say: by a server that fails as it is told, and by tools
 * that do.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { generateText, isStepCount, type LanguageModel, streamText } from "ai";
import {
  Context,
  defineWorkflow,
  PieceReader,
  PiecesEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  type StreamedEvent,
  stop,
  wait,
} from "millrace";
import { createRuntime, memoryStore, type RunCall } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentOptions, recorded, type ToolContext, tool } from "../../src/index.js";
import { chunks, completion, openaiServer, type Reply, status } from "../support/openai-server.js";
import { type Answering, answers, calls, says, toolMessages } from "../support/turns.js";

const busy = status(429, "slow down", { "retry-after-ms": "20" });
const down = status(500, "out of order", { "retry-after-ms": "1" });
const hangs: Reply = () => {};
const cut: Reply = (response, request) =>
  chunks([{ content: "Half of" }], () => setTimeout(() => response.destroy(), 20))(response, request);
const whole = chunks([{ content: "The whole " }, { content: "answer." }]);

const fast = (attempts: number) => retryPolicy({ wait: wait.fixed(1), stop: stop.afterAttempts(attempts) });

interface Seen {
  readonly content?: unknown;
  readonly error?: unknown;
  readonly calls: readonly RunCall[];
  readonly events: readonly StreamedEvent[];
}

/** Runs the workflow of an agent, and lists what its calls were. */
async function run(agent: Agent): Promise<Seen> {
  const runtime = createRuntime({ workflows: { agent: agent.workflow }, store: memoryStore() });
  await runtime.start();
  const handle = runtime.run("agent", { input: "go" });
  const shown = handle.streamEvents().toArray();
  const outcome = await handle.then(
    ({ content }) => ({ content }),
    (error: unknown) => ({ error }),
  );
  const made: RunCall[] = [];
  for await (const attempt of runtime.attempts(handle.runId)) made.push(...attempt.calls);
  await runtime.stop();
  return { ...outcome, calls: made, events: await shown };
}

async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const textIn = (events: readonly StreamedEvent[]): string => {
  const reader = new PieceReader();
  let text = "";
  for (const { event, writer } of events) {
    const news = PiecesEvent.is(event) ? reader.take(event, writer) : null;
    if (news?.at === 0) text = "";
    for (const piece of news?.pieces ?? [])
      if (typeof piece !== "string" && piece["type"] === "text") text += piece["text"];
  }
  return text;
};

describe("a model call in a step", () => {
  const agentOf = (model: LanguageModel, options: Partial<AgentOptions> = {}) =>
    new Agent({ name: "Clerk", model, ...options });

  it.each([
    ["is busy, after the time that it asks for", busy],
    ["is down", down],
    ["breaks off in the middle", cut],
  ])("is made again when the model %s", async (_what, fails) => {
    await using server = await openaiServer([fails, whole]);

    const { content, calls: made, events } = await run(agentOf(server.model));

    expect(content).toBe("The whole answer.");
    expect(textIn(events)).toBe("The whole answer.");
    expect(made).toMatchObject([{ label: "local.chat/local-model", attempts: 2 }]);
  });

  it("is made again when it takes too long, and says so in the end", async () => {
    await using server = await openaiServer([hangs, whole, hangs]);
    const retry = retryPolicy({ wait: wait.fixed(1), stop: stop.afterAttempts(2) });

    expect(await run(agentOf(server.model, { timeout: 600, retry }))).toMatchObject({ content: "The whole answer." });
    expect(await run(agentOf(server.model, { timeout: 600, maxRetries: 0 }))).toMatchObject({
      error: { code: "AGENT_FAILED", message: 'Agent "Clerk" failed: its model did not answer within 600 ms.' },
    });
  });

  it("is not made again for a request that cannot work", async () => {
    await using server = await openaiServer([status(400, "no such tool"), whole]);

    expect(await run(agentOf(server.model))).toMatchObject({ error: { code: "AGENT_FAILED" } });
    expect(server.requests).toHaveLength(1);
  });

  it("is not made again when code of the agent fails", async () => {
    await using server = await openaiServer([whole]);
    const prepareStep = () => {
      throw new TypeError("not ready");
    };

    const { error, calls: made } = await run(agentOf(server.model, { prepareStep }));

    expect([error, made]).toMatchObject([{ message: 'Agent "Clerk" failed: not ready' }, [{ attempts: 1 }]]);
  });

  it("fails after the last attempt, and says how many there were", async () => {
    await using server = await openaiServer([down, down, down, whole]);

    expect(await run(agentOf(server.model))).toMatchObject({
      error: { message: 'Agent "Clerk" failed after 3 attempts: out of order (HTTP 500)' },
    });
  });

  it("takes a place in a limit of the agent", async () => {
    let [now, most] = [0, 0];
    const model = answers(
      ...Array.from({ length: 4 }, () => async () => {
        most = Math.max(most, ++now);
        await sleep(5);
        now--;
        return says("done");
      }),
    );
    const agent = agentOf(model, { limit: "model", limits: { model: { concurrent: 1 } } });
    const runtime = createRuntime({ workflows: { agent: agent.workflow }, store: memoryStore() });
    await runtime.start();

    await Promise.all([1, 2, 3, 4].map(() => runtime.run("agent", { input: "go" })));

    await runtime.stop();
    expect(most).toBe(1);
  });
});

describe("a run in memory", () => {
  it("asks again for an answer of which nobody has seen a part", async () => {
    await using server = await openaiServer([(response) => void response.destroy(), whole]);

    const events = await listOf(new Agent({ model: server.model }).stream("Hi"));

    expect(events.at(-1)).toMatchObject({ event: "RunCompleted", content: "The whole answer." });
  });

  it("does not show words twice", async () => {
    await using server = await openaiServer([cut, whole]);

    await expect(listOf(new Agent({ model: server.model }).stream("Hi"))).rejects.toMatchObject({
      code: "AGENT_FAILED",
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a recorded loop", () => {
  const flowOf = (loop: (ctx: Context) => Promise<string>) =>
    defineWorkflow("own")
      .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => new StopEvent({ result: await loop(ctx) }))
      .build();
  const given = (server: { readonly model: LanguageModel }) => server.model as Exclude<LanguageModel, string>;

  it.each([
    ["busy", busy],
    ["down", down],
  ])("asks again when the model is %s", async (_what, fails) => {
    await using server = await openaiServer([fails, completion({ content: "Once." }, "stop"), fails, whole]);
    const ask = (ctx: Context, key: string) => ({ ...recorded(ctx, { model: given(server), key }), prompt: "go" });

    expect(await flowOf(async (ctx) => (await generateText(ask(ctx, "one"))).text).run()).toBe("Once.");
    expect(await flowOf(async (ctx) => streamText(ask(ctx, "two")).text).run()).toBe("The whole answer.");
  });

  it("has a time for each attempt", async () => {
    await using server = await openaiServer([hangs, completion({ content: "Late." }, "stop")]);

    const text = await flowOf(async (ctx) => {
      const model = recorded(ctx, { model: given(server), timeout: 600, retry: fast(2) });
      return (await generateText({ ...model, prompt: "go", stopWhen: isStepCount(1) })).text;
    }).run();

    expect(text).toBe("Late.");
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["breaks off", cut],
    ["ends without a reason", chunks([{ content: "Half of" }], (response) => void response.end())],
  ])("fails when an answer %s that the loop has begun to read", async (_what, fails) => {
    await using server = await openaiServer([fails, whole]);
    const errors: unknown[] = [];
    const flow = flowOf(async (ctx) => {
      const options = { ...recorded(ctx, { model: given(server), retry: fast(3) }), prompt: "go" };
      return streamText({ ...options, onError: ({ error }) => void errors.push(error) }).text;
    });

    await expect(flow.run()).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });
});

describe("a tool", () => {
  /** An agent whose model calls the tool once, and then repeats what it was told. */
  const agentWith = (execute: (args: object, context: ToolContext) => unknown, policies: object) => {
    const work = tool({ name: "work", description: "Works.", parameters: z.object({}), execute, ...policies });
    const told: Answering = (options) => says(JSON.stringify(toolMessages(options).at(-1)));
    return new Agent({ name: "Clerk", model: answers(calls(["work", {}, "w"]), told), tools: [work] });
  };

  it("is called again with the same key until it works", async () => {
    const seen: [number, string][] = [];
    const agent = agentWith(
      (_args, { attempt, idempotencyKey }) => {
        seen.push([attempt, idempotencyKey]);
        if (attempt < 3) throw new TypeError("the bank is busy");
        return "paid";
      },
      { retry: fast(5) },
    );

    const { content, calls: made } = await run(agent);

    expect(content).toContain('"value":"paid"');
    expect(seen.map(([attempt]) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(seen.map(([, key]) => key)).size).toBe(1);
    expect(made).toMatchObject([{}, { label: "work", attempts: 3 }, {}]);
  });

  it.each(["in a step", "in memory"])("tells the model its last error, %s", async (where) => {
    const agent = agentWith(
      () => {
        throw new TypeError("the bank is closed");
      },
      { retry: fast(2) },
    );

    const { content } = where === "in memory" ? await agent.run("go") : await run(agent);

    expect(content).toContain('"error-text","value":"the bank is closed"');
  });

  it("tells the model that it took too long, and hears it from its signal", async () => {
    const reasons: unknown[] = [];
    const agent = agentWith(
      async (_args, { signal }) => {
        await sleep(10_000, null, { signal }).catch(() => reasons.push(signal.reason));
        return "too late";
      },
      { timeout: 30 },
    );

    const { content } = await run(agent);

    expect(content).toContain("The tool did not answer within 30 ms.");
    expect(reasons).toMatchObject([{ code: "CALL_TIMEOUT" }]);
  });

  it("remembers its last error over a restore", async () => {
    let made = 0;
    const pay = tool({
      name: "pay",
      description: "Pays.",
      execute: () => {
        made++;
        throw new RangeError("no money");
      },
      retry: fast(2),
    });
    const wait = tool({ name: "wait", description: "Waits.", requiresConfirmation: true, execute: () => "waited" });
    const agentFor = (...script: readonly Answering[]) =>
      new Agent({ name: "Clerk", model: answers(...script), tools: [pay, wait] });
    const first = agentFor(calls(["pay", {}, "p"]), calls(["wait", {}, "w"])).workflow;
    const before = first.run({ input: "go" });
    await before.idle();
    const dict = JSON.parse(JSON.stringify(before.context.toDict()));
    await before.cancel();

    const second = agentFor(({ prompt }) => says(JSON.stringify(prompt))).workflow;
    const resumed = second.resume(Context.fromDict(second, dict));
    const outcome = await resumed.idle();
    if (outcome.status === "waiting") await resumed.answer(outcome.prompts[0]?.promptId ?? "", { approved: true });

    expect((await resumed).content).toContain("no money");
    expect(made).toBe(2);
  });

  it("ends the run when its limit is not one of the workflow", async () => {
    const agent = agentWith(() => "never", { limit: "bank" });

    expect(await run(agent)).toMatchObject({
      error: { code: "OPTION_INVALID", message: expect.stringContaining("bank") },
    });
  });
});
