/** Tools of MCP servers: what users of other libraries have reported. The numbers are theirs. */
import { expect, it } from "vitest";
import { Agent, tool } from "../../src/index.js";
import { type Desk, overHttp, overStdio } from "../support/mcp.js";
import { answers, calls, says, toolMessages } from "../support/turns.js";

const toolsOf = (desk: Desk) => async () => (await desk.connect()).tools();

const told = (model: ReturnType<typeof answers>, call = 1): unknown[] =>
  toolMessages(model.doStreamCalls[call]!).flatMap((part) => {
    const [kind, , output] = part as [string, string, unknown];
    return kind === "result" ? [output] : [];
  });

it("openai-agents-python#4224: tells the text of an error that has structured content, too", async () => {
  await using desk = await overStdio();
  const model = answers(calls(["fail", {}]), says("Sorry."));

  await new Agent({ model, sdkTools: toolsOf(desk) }).workflow.run({ input: "go" });

  expect(told(model)).toEqual([{ type: "content", value: [{ type: "text", text: "no paper" }] }]);
});

it("vercel/ai#11072, copilot-cli#4536: shows an image beside texts, in their order", async () => {
  await using desk = await overStdio();
  const model = answers(calls(["draw", {}], ["look", {}]), says("done"));

  await new Agent({ model, sdkTools: toolsOf(desk) }).workflow.run({ input: "go" });

  expect(told(model)).toMatchObject([
    { type: "content", value: [{ type: "file", mediaType: "image/png", data: { type: "data" } }] },
    { type: "content", value: [{ type: "text", text: "seen" }] },
  ]);
});

it("agno#5493, openai-agents-python#879: a server that is killed ends a call, and not the run", async () => {
  await using desk = await overHttp();
  const model = answers(calls(["wait", {}]), says("Sorry."));
  const agent = new Agent({ model, sdkTools: toolsOf(desk), toolTimeout: "2s" }); // the client does not notice
  const run = agent.workflow.run({ input: "go" });
  await expect.poll(() => desk.asked).toEqual(["wait {}"]);

  await desk.kill();

  expect((await run).content).toBe("Sorry.");
  expect(told(model)).toMatchObject([{ type: "error-text" }]);
});

it("nanobot#1055: a run that is cancelled during a call ends, and the server works on", async () => {
  await using desk = await overStdio();
  const client = await desk.connect();
  const sdkTools = async () => client.tools();
  const run = new Agent({ model: answers(calls(["wait", {}])), sdkTools }).workflow.run({ input: "go" });
  await expect.poll(() => desk.asked).toEqual(["wait {}"]);

  await run.cancel();
  await run.then(null, () => {}); // it was cancelled
  const model = answers(calls(["look", {}]), says("done"));
  const next = await new Agent({ model, sdkTools }).workflow.run({ input: "go" });

  expect(next.content).toBe("done");
});

it("agno#5367, mastra#24232: a rule that allows all asks nothing, and calls run at the same time", async () => {
  await using desk = await overHttp();
  const sdkTools = async () =>
    Object.fromEntries(
      Object.entries(await toolsOf(desk)()).map(([name, tool]) => [name, { ...tool, needsApproval: () => false }]),
    );
  const pay = (order: string) => ["pay", { order, amount: { cents: 1 } }] as const;
  const model = answers(calls(pay("1"), pay("2"), ["wait", {}], pay("3")));
  const run = new Agent({ model, sdkTools }).workflow.run({ input: "go" });

  await expect.poll(() => desk.asked.length).toBe(4); // though one of them never ends
  await run.cancel();
  await run.then(null, () => {}); // it was cancelled
});

it("openai-agents-python#464: never takes the tool of one for that of another with its name", async () => {
  await using desk = await overStdio();
  const made: string[] = [];
  const pay = tool({ name: "pay", description: "Pays.", requiresConfirmation: true, execute: () => made.push("pay") });
  const agent = new Agent({ name: "Clerk", model: answers(calls(["pay", {}])), tools: [pay], sdkTools: toolsOf(desk) });

  const failed = await agent.run("go").catch((error: unknown) => error);

  expect(failed).toMatchObject({
    code: "OPTION_INVALID",
    message: 'The tools of "Clerk" are wrong: two tools have the name "pay".',
  });
  expect([made, desk.asked]).toEqual([[], []]);
});
