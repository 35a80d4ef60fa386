/** What a run keeps: everything that was asked, and each text once. */
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentOptions, tool } from "../../src/index.js";
import { answers, calls, says } from "../support/turns.js";

const look = tool({
  name: "look",
  description: "Looks something up.",
  parameters: z.object({ q: z.string() }),
  execute: ({ q }) => `a long result about ${q}`,
});
const stop = tool({ name: "stop", description: "Stops.", requiresConfirmation: true, execute: () => 1 });

/** The snapshot of a run that waits after three model calls. */
async function waitingRun(options: Partial<AgentOptions> = {}): Promise<string> {
  const texts = (text: string, made: ReturnType<typeof calls>) => ({
    content: [{ type: "text" as const, text }, ...made.content],
    finish: "tool-calls" as const,
  });
  const model = answers(
    texts("I shall look at rivers.", calls(["look", { q: "rivers" }])),
    texts("Now at lakes.", calls(["look", { q: "lakes" }])),
    texts("That is all.", calls(["stop", {}])),
    says("done"),
  );
  const agent = new Agent({
    name: "Scout",
    model,
    tools: [look, stop],
    instructions: "You know waters of {country}.",
    dependencies: { country: "Peru" },
    modelSettings: { temperature: 0.1 },
    ...options,
  });
  const run = agent.workflow.run({ input: "Which waters are there?" });
  await run.idle();
  const dict = JSON.stringify(run.context.toDict());
  await run.cancel();
  return dict;
}

it("records what was asked: model, settings, instructions as filled, tools", async () => {
  const dict = await waitingRun();

  for (const part of ["mock/answers", '"temperature":0.1', "You know waters of Peru.", "Looks something up."])
    expect(dict.split(part)).toHaveLength(2);
});

it("stores each text once, however many calls come after it", async () => {
  const dict = await waitingRun();

  for (const text of [
    "I shall look at rivers.",
    "Now at lakes.",
    "a long result about rivers",
    "a long result about lakes",
  ])
    expect(dict.split(text)).toHaveLength(2);
});

it("keeps of a request what `redact` leaves of it", async () => {
  const dict = await waitingRun({ redact: ({ instructions: _hidden, ...asked }) => asked });

  expect(dict).not.toContain("You know waters of Peru.");
  expect(dict).toContain("Looks something up.");
});
