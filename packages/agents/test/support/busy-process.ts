/** A process that asks a model until it answers or its attempts are used up, if nobody kills it. */
import { setTimeout as sleep } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { Agent } from "../../src/index.js";

const [, , database = "", url = ""] = process.argv;
const model = createOpenAICompatible({ name: "local", baseURL: url, apiKey: "k", includeUsage: true })("m");
const { workflow } = new Agent({ name: "Clerk", model });
const runtime = createRuntime({ workflows: { flow: workflow }, store: sqliteStore(database), leaseMs: 500 });
await runtime.start();
const handle = runtime.run("flow", { input: "go" }, { runId: "r1" });
const attempts = async (): Promise<number> => {
  let number = 0;
  for await (const { calls } of runtime.attempts("r1")) number = calls[0]?.attempts ?? 0;
  return number;
};
for (let state = await handle.idle(); state.status === "waiting"; state = await handle.idle()) {
  console.log(`WAITS ${await attempts()}`);
  await sleep(50);
}
const outcome = await handle.then(
  ({ content }) => content,
  (error: Error) => error.message,
);
console.log(JSON.stringify({ outcome, attempts: await attempts() }));
await runtime.stop();
