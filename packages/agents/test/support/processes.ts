/** Two processes one after the other, over one store. */
import { createRuntime, memoryStore } from "millrace/runtime";
import type { Agent, AgentOutcome, AgentQuestion, Team } from "../../src/index.js";
import { type Answered, promptsOf } from "./people.js";

/**
 * Runs the first agent until it waits, and ends its process. Then a person answers what it has asked, each question in a
 * process of its own, with the next agent.
 */
export async function overRestarts(
  first: Agent | Team,
  others: readonly (Agent | Team)[],
  reply: (question: AgentQuestion) => Answered,
): Promise<AgentOutcome & { readonly asked: readonly AgentQuestion[] }> {
  const store = memoryStore();
  const open = async (agent: Agent | Team) => {
    const runtime = createRuntime({ workflows: { flow: agent.workflow }, store });
    await runtime.start();
    return runtime;
  };
  const asked: AgentQuestion[] = [];
  let runtime = await open(first);
  const run = runtime.run("flow", { input: "go" }, { runId: "r" });
  await promptsOf(run);
  for (const [index, agent] of others.entries()) {
    await runtime.stop();
    runtime = await open(agent);
    const handle = runtime.handle("r");
    const [prompt] = await handle.prompts();
    if (prompt === undefined) throw new TypeError(`nothing is asked in process ${index + 2}`);
    const question = (prompt.event as unknown as { readonly details: AgentQuestion }).details;
    asked.push(question);
    await handle.answer(prompt.promptId, { ...reply(question) });
    if (index + 1 < others.length) await promptsOf(handle);
  }
  const outcome = (await runtime.handle("r")) as AgentOutcome;
  await runtime.stop();
  return { ...outcome, asked };
}
