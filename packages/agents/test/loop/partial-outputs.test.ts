/** What an answer with an output schema says before it is whole. */
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type PartialOutput, partialOutputs } from "../../src/index.js";
import { chunks, finish, openaiServer, send } from "../support/openai-server.js";

const Recipe = z.object({ title: z.string(), steps: z.array(z.string()) });
type Recipe = z.infer<typeof Recipe>;

const words = ['{"title": "So', 'up", "st', 'eps": ["cut"', ', "cook"]}'];
const grown = [
  { title: "So" },
  { title: "Soup" },
  { title: "Soup", steps: ["cut"] },
  { title: "Soup", steps: ["cut", "cook"] },
];

/** What the reader has seen: the model says no other piece before. */
class Seen<Item> {
  readonly items: Item[] = [];
  #wake: () => void = () => {};

  add(item: Item): void {
    this.items.push(item);
    this.#wake();
  }

  async reach(count: number): Promise<void> {
    while (this.items.length < count) await new Promise<void>((wake) => (this.#wake = wake));
  }
}

/** Says each piece when the one before was read. */
const slowly = (seen: Seen<unknown>, texts: readonly string[], cutAfter = texts.length) =>
  chunks([], async (response) => {
    const before = seen.items.length;
    const say = (delta: object, reason: string | null = null) =>
      send(response, { choices: [{ index: 0, delta, finish_reason: reason }] });
    for (const [index, content] of texts.slice(0, cutAfter).entries()) {
      say({ content });
      await seen.reach(before + index + 1);
    }
    if (cutAfter < texts.length) return void response.destroy();
    finish("stop")(response);
  });

async function watch(replies: (seen: Seen<unknown>) => Parameters<typeof openaiServer>[0]) {
  const seen = new Seen<PartialOutput<Recipe>>();
  await using server = await openaiServer(replies(seen));
  const agent = new Agent({ name: "cook", model: server.model, outputSchema: Recipe });
  const runtime = createRuntime({ workflows: { cook: agent.workflow }, store: memoryStore() });
  await runtime.start();
  const run = runtime.run("cook", { input: "soup" });
  for await (const partial of partialOutputs<Recipe>(run.streamEvents())) seen.add(partial);
  const later: unknown[] = [];
  for await (const { output } of partialOutputs(run.streamEvents())) later.push(output);
  const { content } = await run;
  await runtime.stop();
  return { seen: seen.items, later, content };
}

it("grows with the words of the model, and readers that come later get it whole", async () => {
  const { seen, later, content } = await watch((read) => [slowly(read, words)]);

  expect(seen.map(({ output }) => output)).toEqual(grown);
  expect(seen.map(({ at }) => at)).toEqual([13, 21, 33, 43]);
  expect(later).toEqual([content]);
});

it("begins anew with the call", async () => {
  const { seen, content } = await watch((read) => [slowly(read, words, 2), slowly(read, words)]);

  expect(content).toEqual(grown.at(-1));
  expect(seen.map(({ output }) => output)).toEqual([...grown.slice(0, 2), ...grown]);
  expect(new Set(seen.map(({ call }) => call)).size).toBe(1);
  expect(new Set(seen.map(({ attempt }) => attempt)).size).toBe(2);
});

it("is in the events of a run in memory", async () => {
  const seen = new Seen<unknown>();
  await using server = await openaiServer([slowly(seen, words)]);
  const agent = new Agent({ model: server.model, outputSchema: Recipe });

  for await (const event of agent.stream("soup"))
    if (event.event === "RunContent" && event.partialOutput !== undefined) seen.add(event.partialOutput);

  expect(seen.items).toEqual(grown);
});
