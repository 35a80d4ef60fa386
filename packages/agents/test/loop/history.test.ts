import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import { Agent } from "../../src/index.js";
import { answers, says } from "../support/turns.js";

it("a workflow of an agent takes messages before its input, and stores them once", async () => {
  const model = answers(says("Again."));
  const agent = new Agent({ name: "Clerk", model });
  const history = [
    { role: "user" as const, content: "First." },
    { role: "assistant" as const, content: [{ type: "text" as const, text: "Of course." }] },
  ];
  const runtime = createRuntime({ workflows: { clerk: agent.workflow }, store: memoryStore() });
  await runtime.start();

  await runtime.run("clerk", { input: "Second.", history }, { runId: "r" });

  expect(model.doStreamCalls[0]?.prompt.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  const ticks: unknown[] = [];
  for await (const entry of runtime.history("r", { raw: true })) ticks.push(entry);
  expect(JSON.stringify(ticks).split("Of course.")).toHaveLength(2);
  await runtime.stop();
});
