/** Two processes over one file: any of them answers the next request, and tasks outlive the process that began them. */
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";
import { ask, connected, type Fetch, forms, taskSession, tasks } from "./mcp-clients.js";
import { type McpProcess, startStateless, temporaryFile } from "./mcp-process.js";

const both = { ...forms, ...tasks };
const fetch: Fetch = (request) => globalThis.fetch(request);
const asked = ({ url }: McpProcess, method: string, params: object): Promise<Json> =>
  ask(fetch, method, params, both, { url });
const called = (server: McpProcess, name: string, given: object) =>
  asked(server, "tools/call", { name, arguments: given });

async function twoServers() {
  const file = temporaryFile();
  return [await startStateless(file), await startStateless(file), file] as const;
}

async function until(server: McpProcess, taskId: string, status: string): Promise<Json> {
  await expect.poll(async () => (await asked(server, "tasks/get", { taskId })).status).toBe(status);
  return asked(server, "tasks/get", { taskId });
}

it("answers each request of a task in another process", async () => {
  const [one, other] = await twoServers();

  const { taskId, resultType } = await called(one, "confirm_delete", { filename: "a.txt" });
  const { inputRequests } = await until(other, taskId, "input_required");
  const answers = Object.keys(inputRequests).map((id) => [id, { action: "accept", content: { confirm: true } }]);
  await asked(one, "tasks/update", { taskId, inputResponses: Object.fromEntries(answers) });

  expect(resultType).toBe("task");
  expect((await until(other, taskId, "completed")).result.content).toEqual([{ type: "text", text: "deleted a.txt" }]);
  expect(await until(one, taskId, "completed")).toMatchObject({ taskId, resultType: "complete" });
});

it("continues the rounds of a call in another process, without tasks", async () => {
  const [one, other] = await twoServers();
  let requests = 0;
  const client = await connected(
    (request) => {
      const { origin } = requests++ % 2 === 0 ? one.url : other.url;
      return fetch(new Request(`${origin}/mcp`, request));
    },
    { can: forms, answer: () => ({ action: "accept", content: { approved: true } }) },
  );

  const { content } = await client.callTool({ name: "refund", arguments: { order: "C-3" } });

  expect(content).toEqual([{ type: "text", text: "refunded C-3" }]);
  expect(requests).toBeGreaterThan(2);
});

it("fastmcp#3758: finds the task of a process that was killed, and the answer it was killed with counts once", async () => {
  const [one, other] = await twoServers();
  const { taskId } = await called(one, "confirm_delete", { filename: "b.txt" });
  const napping = await called(one, "slow_compute", { seconds: 3, label: "nap" });
  const { inputRequests } = await until(one, taskId, "input_required");
  const [promptId] = Object.keys(inputRequests) as [string];
  const inputResponses = { [promptId]: { action: "accept", content: { confirm: true } } };

  const answering = asked(one, "tasks/update", { taskId, inputResponses }).catch(() => null); // it dies in between
  await one.kill();
  await answering;
  await asked(other, "tasks/update", { taskId, inputResponses });

  expect((await until(other, taskId, "completed")).result.content[0].text).toBe("deleted b.txt");
  expect((await until(other, napping.taskId, "completed")).result.structuredContent).toMatchObject({ label: "nap" });
});

it("keeps the run of a call whose process dies before it answers", async () => {
  const [one, other, file] = await twoServers();
  const runtime = createRuntime({ workflows, store: sqliteStore(file) });
  onTestFinished(() => runtime.stop());
  const calling = ask(fetch, "tools/call", { name: "nap", arguments: { ms: 2_000 } }, {}, { url: one.url });
  const lost = calling.then(
    () => false,
    () => true,
  );
  await expect.poll(async () => (await runtime.runs({ workflow: "nap" })).runs).toHaveLength(1);
  const [run] = (await runtime.runs({ workflow: "nap" })).runs;

  await one.kill();

  expect(await lost).toBe(true);
  expect((await until(other, String(run?.runId), "completed")).result.content).toEqual([
    { type: "text", text: "rested" },
  ]);
});

it("asks the person once through the client of the extension, whose server is killed meanwhile", async () => {
  const [one, other] = await twoServers();
  let at = one;
  const questions: string[] = [];
  const session = await taskSession((request) => fetch(new Request(at.url, request)), {
    can: both,
    answer: ({ message }) => {
      questions.push(message);
      return { action: "accept", content: { confirm: true } };
    },
  });

  const execution = await session.callTool("confirm_delete", { filename: "c.txt" });
  at = other;
  await one.kill();

  expect((await execution.settle()).outcome).toMatchObject({
    status: "completed",
    result: { content: [{ text: "deleted c.txt" }] },
  });
  expect(questions).toEqual(["Delete c.txt?"]);
});
