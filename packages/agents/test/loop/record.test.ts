/** What a run keeps: everything that was asked, and each text once. */
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentOptions, tool } from "../../src/index.js";
import { answering } from "../support/people.js";
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

it("keeps of a redacted request all but instructions and messages, unless a redactor says more", async () => {
  const dict = await waitingRun({ record: "redacted" });

  expect(dict).not.toContain("You know waters of Peru.");
  expect(dict).not.toContain('Which waters are there?"}]');
  for (const part of ["mock/answers", "Looks something up.", '"record":"redacted"']) expect(dict).toContain(part);
});

it("keeps nothing of a request with `record: off`", async () => {
  const dict = await waitingRun({ record: "off" });

  for (const part of ["You know waters of Peru.", '"temperature"', "Looks something up."])
    expect(dict).not.toContain(part);
  expect(dict.split('"record":"off"')).toHaveLength(2);
});

it("records no headers, which may hold credentials", async () => {
  const dict = await waitingRun({ modelSettings: { temperature: 0.1, headers: { "x-key": "s3cret" } } });

  expect(dict).toContain('"temperature":0.1');
  expect(dict).not.toContain("s3cret");
});

it("asks again with the instructions themselves after a redacted record", async () => {
  const model = answers(calls(["stop", {}]), says("done"));
  const agent = new Agent({
    model,
    tools: [stop],
    instructions: "Be exact.",
    redact: (asked) => ({ ...asked, instructions: "hidden" }),
  });
  await answering(agent.workflow.run({ input: "go" }), () => ({ approved: true }));

  expect(JSON.stringify(model.doStreamCalls[1]?.prompt)).toContain("Be exact.");
});

it("records the cost of a call where the price of the model is known", async () => {
  const prices = { "mock/answers": { input: 2, output: 10 } };
  const dict = await waitingRun({ prices });

  expect(JSON.parse(dict.match(/"cost":[\d.e-]+/)?.[0].slice(7) ?? "0")).toBeCloseTo((10 * 2 + 5 * 10) / 1e6);
  expect(await waitingRun()).not.toContain('"cost"');
});

it.each([
  [{ record: "some" }, '`record` is "some", not one of full'],
  [{ record: "off", redact: (asked: object) => asked }, "`redact` is only called"],
  [{ redact: 7 }, "`redact` is 7, not a function"],
] as const)("refuses %j", (options, problem) => {
  expect(() => new Agent({ model: answers(), ...(options as object) })).toThrow(problem);
});
