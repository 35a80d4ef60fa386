/** What an answer with an output schema says before it is whole. */
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type PartialOutput, partialOutputs } from "../../src/index.js";
import { chunks, openaiServer } from "../support/openai-server.js";

const Recipe = z.object({ title: z.string(), steps: z.array(z.string()) });
type Recipe = z.infer<typeof Recipe>;

const words = ['{"title": "So', 'up", "st', 'eps": ["cut"', ', "cook"]}'];
const grown = [
  { title: "So" },
  { title: "Soup" },
  { title: "Soup", steps: ["cut"] },
  { title: "Soup", steps: ["cut", "cook"] },
];

/** Each piece comes by itself, as a slow model sends it. */
const slowly = (texts: readonly string[], cutAfter = texts.length) =>
  chunks([], async (response) => {
    const send = (delta: object, reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: "c1", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`,
      );
    for (const content of texts.slice(0, cutAfter)) {
      send({ content });
      await new Promise((go) => setTimeout(go, 20));
    }
    if (cutAfter < texts.length) return void response.destroy();
    send({}, "stop");
    response.end("data: [DONE]\n\n");
  });

async function watch(replies: Parameters<typeof openaiServer>[0]) {
  await using server = await openaiServer(replies);
  const agent = new Agent({ name: "cook", model: server.model, outputSchema: Recipe });
  const runtime = createRuntime({ workflows: { cook: agent.workflow }, store: memoryStore() });
  await runtime.start();
  const run = runtime.run("cook", { input: "soup" });
  const seen: PartialOutput<Recipe>[] = [];
  for await (const partial of partialOutputs<Recipe>(run.streamEvents())) seen.push(partial);
  const later: unknown[] = [];
  for await (const { output } of partialOutputs(run.streamEvents())) later.push(output);
  const { content } = await run;
  await runtime.stop();
  return { seen, later, content };
}

it("grows with the words of the model, and readers that come later get it whole", async () => {
  const { seen, later, content } = await watch([slowly(words)]);

  expect(seen.map(({ output }) => output)).toEqual(grown);
  expect(seen.map(({ at }) => at)).toEqual([13, 21, 33, 43]);
  expect(later).toEqual([content]);
});

it("begins anew with the call", async () => {
  const { seen, content } = await watch([slowly(words, 2), slowly(words)]);

  expect(content).toEqual(grown.at(-1));
  expect(seen.map(({ output }) => output)).toEqual([...grown.slice(0, 2), ...grown]);
  expect(new Set(seen.map(({ call }) => call)).size).toBe(1);
  expect(new Set(seen.map(({ attempt }) => attempt)).size).toBe(2);
});

it("is in the events of a run in memory", async () => {
  await using server = await openaiServer([slowly(words)]);
  const agent = new Agent({ model: server.model, outputSchema: Recipe });

  const partials: unknown[] = [];
  for await (const event of agent.stream("soup"))
    if (event.event === "RunContent" && event.partialOutput !== undefined) partials.push(event.partialOutput);

  expect(partials).toEqual(grown);
});
