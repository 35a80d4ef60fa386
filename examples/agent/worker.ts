/** The process that is killed: runs the agent, or continues what another process has left. */
import type { AgentQuestion } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { PiecesEvent, QuestionEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { researcherAt } from "./researcher.js";

const [, , database = "", modelUrl = "", bill = "", after = "-1"] = process.argv;
const { workflow } = researcherAt(modelUrl, bill);
const runtime = createRuntime({ workflows: { workflow }, store: sqliteStore(database), leaseMs: 1_000 });
await runtime.start();
const run = runtime.run("workflow", { input: "Which rivers are the longest and the widest?" }, { runId: "research" });

/** To the process that has started this one. */
const tell = (message: object) => process.send?.(message);

process.on("message", ({ promptId, ...answer }: { readonly promptId: string; readonly approved: boolean }) => {
  void run.answer(promptId, answer);
});
for await (const { event, promptId, sequence, writer } of run.streamEvents({ after: Number(after) })) {
  if (PiecesEvent.is(event)) tell({ written: event.toJSON(), writer, sequence });
  if (QuestionEvent.is(event)) tell({ promptId, question: event.details as AgentQuestion });
}
const { content, metrics } = await run;
tell({ content, tokens: metrics.totalTokens });
await runtime.stop();
process.disconnect();
