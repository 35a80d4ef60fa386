/** Servers of tools that are not there, that come back with other tools, and that have tools of one name. */
import { createMCPClient } from "@ai-sdk/mcp";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { Agent } from "../../src/index.js";
import { type Desk, overHttp } from "../support/mcp.js";
import { answers, calls, says, toolMessages } from "../support/turns.js";

const told = (model: ReturnType<typeof answers>, call = 1): unknown[] =>
  toolMessages(model.doStreamCalls[call]!).flatMap((part) => {
    const [kind, , output] = part as [string, string, unknown];
    return kind === "result" ? [output] : [];
  });

const toolsOf = (desk: Desk) => async () => (await desk.connect()).tools();
const seven = { order: "7", amount: { cents: 500 } };

it("langchain-mcp-adapters#605, openai-agents-python#1167: says which tool two servers have, and asks no model", async () => {
  await using desk = await overHttp();
  await using shop = await overHttp();
  const model = answers(says("done"));
  const agent = new Agent({ name: "Clerk", model, sdkTools: [toolsOf(desk), toolsOf(shop)] });

  const failed = await agent.run("go").catch((error: unknown) => error);

  expect(failed).toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringContaining('two tools have the name "pay"'),
  });
  expect(model.doStreamCalls).toEqual([]);
});

it("takes tools of two servers, those of one under names of their own", async () => {
  await using desk = await overHttp();
  await using shop = await overHttp();
  const shopTools = async () => {
    const tools = Object.entries(await toolsOf(shop)());
    return Object.fromEntries(tools.map(([name, tool]) => [`shop_${name}`, tool]));
  };
  const model = answers(calls(["look", {}], ["shop_pay", seven], ["count", {}]), says("done"));

  await new Agent({ model, sdkTools: [toolsOf(desk), shopTools] }).workflow.run({ input: "go" });

  expect([desk.asked.toSorted(), shop.asked]).toEqual([["count {}", "look {}"], [`pay ${JSON.stringify(seven)}`]]);
  expect(JSON.stringify(told(model)[2])).toContain('"open":3');
});

it("fails where a server is down when the run begins, and works when it is tried again", async () => {
  await using desk = await overHttp();
  const sdkTools = async () => {
    const client = await createMCPClient({ transport: { type: "http", url: desk.url } });
    onTestFinished(() => client.close());
    return client.tools();
  };
  const { workflow } = new Agent({ model: answers(calls(["look", {}]), says("done")), sdkTools });
  const runtime = createRuntime({ workflows: { clerk: workflow }, store: memoryStore() });
  await runtime.start();
  onTestFinished(() => runtime.stop());

  const run = runtime.run("clerk", { input: "go" });
  const failed = await run.then(null, (error: unknown) => error);
  await desk.connect();
  await runtime.retry(run.runId);

  expect(failed).toMatchObject({ code: "AGENT_FAILED", message: expect.stringContaining("could not be read") });
  expect(await runtime.handle(run.runId)).toMatchObject({ content: "done" });
  expect(desk.asked).toEqual(["look {}"]);
});

it("tells the model that an allowed tool has another name now, and calls that one", async () => {
  await using desk = await overHttp();
  const store = memoryStore();
  const sdkTools = async () => {
    const { pay, refund, look } = await toolsOf(desk)();
    const asked = pay ?? refund;
    return { look: look!, [pay ? "pay" : "refund"]: { ...asked!, needsApproval: pay !== undefined } };
  };
  const runtimeOf = (model: ReturnType<typeof answers>) =>
    createRuntime({ workflows: { clerk: new Agent({ model, sdkTools }).workflow }, store });
  const first = runtimeOf(answers(calls(["look", {}], ["pay", seven])));
  await first.start();
  await first.run("clerk", { input: "go" }, { runId: "r" }).idle();
  await first.stop();
  await desk.kill();
  desk.mode = "renamed";

  const model = answers(calls(["refund", seven]), says("Paid."));
  const second = runtimeOf(model);
  await second.start();
  const handle = second.handle("r");
  const [prompt] = await handle.prompts();
  await handle.answer(prompt!.promptId, { approved: true });

  expect(await handle).toMatchObject({ content: "Paid." });
  expect(desk.asked).toEqual(["look {}", `refund ${JSON.stringify(seven)}`]);
  expect(told(model, 0)).toEqual([
    { type: "content", value: [{ type: "text", text: "seen" }] },
    { type: "error-text", value: expect.stringContaining('"pay"') },
  ]);
  await second.stop();
});
