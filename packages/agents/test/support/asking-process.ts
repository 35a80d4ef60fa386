/** A process that runs a pipeline until it asks, and then stays; or that answers what it has asked, and prints the end. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Parallel, Pipeline, Step, Steps } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import * as z from "zod";
import { Agent, tool } from "../../src/index.js";

const [, , mode = "ask", database = "", url = ""] = process.argv;
const model = createOpenAICompatible({ name: "local", baseURL: url, apiKey: "k", includeUsage: true })("m");

const asked = (name: string) =>
  tool({
    name,
    description: name,
    parameters: z.object({ n: z.number() }),
    requiresConfirmation: true,
    execute: (_args, { sessionState, idempotencyKey }) => void (sessionState[name] = idempotencyKey),
  });

const clerk = new Agent({ name: "Clerk", model, tools: [asked("left"), asked("right")] });
const inner = new Pipeline({ name: "Inner", steps: [new Step({ name: "clerk", executor: clerk })] });
const pipeline = new Pipeline({
  name: "Desk",
  store: sqliteStore(database),
  steps: [new Parallel("both", new Steps({ name: "nested", steps: [inner] }), () => "beside")],
});

if (mode === "ask") {
  const paused = await pipeline.run("count 1", { runId: "r1", sessionId: "s1" });
  console.log(`${paused.status} ${paused.requirements.length}`);
  setInterval(() => {}, 1_000);
} else {
  const paused = await pipeline.getRun("r1");
  for (const requirement of paused.requirements)
    requirement.data.tools[0]?.toolName === "left" ? requirement.confirm() : requirement.reject("not that");
  const { status, sessionState, answered, content } = await pipeline.continueRun(paused);
  console.log(`RESULT ${JSON.stringify({ status, sessionState, answered, content })}`);
  await pipeline.close();
}
