/** Tools of servers of the Model Context Protocol, over stdio and HTTP. */
import { generateText, isStepCount } from "ai";
import { Context, defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import { Agent, type Guards, recorded } from "../../src/index.js";
import { type Desk, overHttp, overStdio } from "../support/mcp.js";
import { answering } from "../support/people.js";
import { answers, calls, says, toolMessages } from "../support/turns.js";

type Tools = Awaited<ReturnType<Awaited<ReturnType<Desk["connect"]>>["tools"]>>;

const told = (model: ReturnType<typeof answers>, call = 1): unknown[] =>
  toolMessages(model.doStreamCalls[call]!).flatMap((part) => {
    const [kind, , output] = part as [string, string, unknown];
    return kind === "result" ? [output] : [];
  });

const toolsOf = (desk: Desk) => async (): Promise<Tools> => (await desk.connect()).tools();
const text = (value: string) => ({ type: "content", value: [{ type: "text", text: value }] });
const seven = { order: "7", amount: { cents: 500 } };

const transports: readonly [string, () => Desk | Promise<Desk>][] = [
  ["stdio", overStdio],
  ["HTTP", overHttp],
];

it.each(transports)("makes the calls, and tells the model errors of the server, over %s", async (_how, open) => {
  await using desk = await open();
  const model = answers(calls(["look", {}], ["fail", {}], ["pay", seven]), says("done"));

  const run = await new Agent({ model, sdkTools: toolsOf(desk) }).workflow.run({ input: "go" });

  expect(run.content).toBe("done");
  expect(desk.asked.toSorted()).toEqual(["fail {}", "look {}", `pay ${JSON.stringify(seven)}`]);
  expect(told(model)).toEqual([text("seen"), text("no paper"), text("paid 7")]);
});

it.each(transports)("asks by a rule, refuses, and takes changed arguments, over %s", async (_how, open) => {
  await using desk = await open();
  const model = answers(calls(["look", {}], ["pay", seven], ["pay", { ...seven, order: "8" }]), says("done"));
  const sdkTools = async () => {
    const { pay, ...tools } = await toolsOf(desk)();
    return { ...tools, pay: { ...pay!, needsApproval: async (args: unknown) => "order" in (args as object) } };
  };

  const { asked } = await answering(new Agent({ model, sdkTools }).workflow.run({ input: "go" }), ({ input }) =>
    (input as typeof seven).order === "7"
      ? { approved: false, note: "Too late." }
      : { approved: true, input: { order: "8", amount: { cents: 1 } } },
  );

  expect(asked.map(({ toolName }) => toolName)).toEqual(["pay", "pay"]);
  expect(desk.asked.toSorted()).toEqual(["look {}", 'pay {"order":"8","amount":{"cents":1}}']);
  expect(told(model)[1]).toMatchObject({ type: "execution-denied", reason: expect.stringContaining("Too late.") });
});

it("asks about calls by a guard, which sees the tools of all servers", async () => {
  await using desk = await overHttp();
  const model = answers(calls(["pay", seven], ["look", {}]), says("done"));
  const guards: Guards = { toolInput: ({ toolName }) => (toolName === "pay" ? { ask: "Pay?" } : undefined) };
  const agent = new Agent({ model, sdkTools: toolsOf(desk), guards });

  const { asked } = await answering(agent.workflow.run({ input: "go" }), () => ({ approved: false }));

  expect(asked).toMatchObject([{ toolName: "pay", input: seven }]);
  expect(desk.asked).toEqual(["look {}"]);
});

it("shows the model the schema of the server as it is", async () => {
  await using desk = await overStdio();
  const model = answers(says("done"));

  await new Agent({ model, sdkTools: toolsOf(desk) }).workflow.run({ input: "go" });

  const [pay] = model.doStreamCalls[0]?.tools ?? [];
  expect(pay).toMatchObject({
    name: "pay",
    inputSchema: {
      $defs: { Amount: { properties: { cents: { type: "integer" } } } },
      properties: { amount: { $ref: "#/$defs/Amount" } },
      required: ["order", "amount"],
    },
  });
});

it("shows the model an image of the server as a file", async () => {
  await using desk = await overStdio();
  const model = answers(calls(["draw", {}]), says("done"));

  await new Agent({ model, sdkTools: toolsOf(desk) }).workflow.run({ input: "go" });

  expect(told(model)).toMatchObject([{ type: "content", value: [{ type: "file", mediaType: "image/png" }] }]);
});

it.each(transports)("tells the model of a connection that is cut in a call, over %s", async (_how, open) => {
  await using desk = await open();
  const model = answers(calls(["die", {}], ["look", {}]), calls(["look", {}]), says("Sorry."));

  const run = await new Agent({ model, sdkTools: toolsOf(desk) }).workflow.run({ input: "go" });

  expect(run.content).toBe("Sorry.");
  expect(told(model)[0]).toMatchObject({ type: "error-text" });
  expect(told(model, 2)).toHaveLength(3);
});

it("makes ids unique, where a model gives all its calls one", async () => {
  await using desk = await overHttp();
  const model = answers(calls(["look", {}, "x"], ["pay", seven, "x"]), calls(["look", {}, "x"]), says("done"));

  await new Agent({ model, sdkTools: toolsOf(desk) }).workflow.run({ input: "go" });

  const ids = toolMessages(model.doStreamCalls[2]!).flatMap((part) => {
    const [kind, id] = part as [string, string];
    return kind === "call" ? [id] : [];
  });
  expect(new Set(ids).size).toBe(3);
  expect(desk.asked).toHaveLength(3);
});

it("finds the tools anew when a run that waits continues elsewhere, after a restart of the server", async () => {
  await using desk = await overHttp();
  const store = memoryStore();
  const sdkTools = async () => {
    const { pay, look } = await toolsOf(desk)();
    return { pay: { ...pay!, needsApproval: true }, look: look! };
  };
  const runtimeOf = (model: ReturnType<typeof answers>) =>
    createRuntime({ workflows: { clerk: new Agent({ model, sdkTools }).workflow }, store });
  const first = runtimeOf(answers(calls(["look", {}], ["pay", seven])));
  await first.start();
  const run = first.run("clerk", { input: "go" }, { runId: "r" });
  await run.idle();
  await first.stop();
  await desk.kill();

  const model = answers(says("Paid."));
  const second = runtimeOf(model);
  await second.start();
  const handle = second.handle("r");
  const [prompt] = await handle.prompts();
  await handle.answer(prompt!.promptId, { approved: true });

  expect(await handle).toMatchObject({ content: "Paid." });
  expect(desk.asked).toEqual(["look {}", `pay ${JSON.stringify(seven)}`]);
  expect(told(model, 0)).toEqual([text("seen"), text("paid 7")]);
  await second.stop();
});

it("are recorded in a loop of the SDK, too", async () => {
  await using desk = await overHttp();
  class Go extends ExternalEvent.define("Go", {}) {}
  const flowOf = (model: ReturnType<typeof answers>) =>
    defineWorkflow("own")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
        const options = recorded(ctx, { model, tools: await toolsOf(desk)() });
        const { text } = await generateText({ ...options, prompt: "go", stopWhen: isStepCount(5) });
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: text });
      })
      .build();
  const first = answers(calls(["look", {}], ["fail", {}]), says("All seen."));
  const run = flowOf(first).run();
  await run.idle();
  const dict = JSON.parse(JSON.stringify(run.context.toDict()));
  await run.cancel();

  const again = flowOf(answers());
  const resumed = again.resume(Context.fromDict(again, dict));
  await resumed.sendEvent(new Go());

  expect(await resumed).toBe("All seen.");
  expect(desk.asked.toSorted()).toEqual(["fail {}", "look {}"]);
});
