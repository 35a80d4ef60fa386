/** The agent, in a process of its own. Its tools are those of a server; one of them needs the word of a person. */
import { createMCPClient } from "@ai-sdk/mcp";
import { Agent, type AgentQuestion } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { QuestionEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { call, model } from "../pipelines/support/model.js";

const [, , database = "", url = ""] = process.argv;

async function shopTools() {
  const client = await createMCPClient({ transport: { type: "http", url } });
  const { refund, ...tools } = await client.tools();
  return refund === undefined ? tools : { ...tools, refund: { ...refund, needsApproval: true } };
}

/** Looks, then pays back, then says so. */
const script = [
  [call("find_order", { order: "A-17" })],
  [call("refund", { order: "A-17" })],
  "Your money is on its way.",
];
const clerk = new Agent({
  name: "Clerk",
  model: model("gpt-5-mini", ({ toolResults }) => script[toolResults.length] ?? "I am done."),
  sdkTools: shopTools,
});

const runtime = createRuntime({
  workflows: { clerk: clerk.workflow },
  store: sqliteStore(database),
  leaseMs: 1_000,
});
await runtime.start();
const run = runtime.run("clerk", { input: "Please pay my order A-17 back." }, { runId: "a-17" });

/** To the process that has started this one. */
const tell = (message: object) => process.send?.(message);

process.on("message", (promptId: string) => void run.answer(promptId, { approved: true }));
for await (const { event, promptId } of run.streamEvents())
  if (QuestionEvent.is(event)) tell({ promptId, question: event.details as AgentQuestion });
tell({ content: (await run).content });
await runtime.stop();
process.exit(); // its connection to the server is still open
