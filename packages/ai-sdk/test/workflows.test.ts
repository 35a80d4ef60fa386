/** Workflows and pipelines in a chat. */
import { Agent } from "@millrace/agents";
import { Pipeline, Step } from "@millrace/pipeline";
import { readUIMessageStream, type UIMessage } from "ai";
import { defineWorkflow, event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { afterEach, expect, it } from "vitest";
import * as z from "zod";
import { type MapEvent, type QuestionData, toUIMessageStream } from "../src/index.js";
import { faults, lastText, openDesk } from "./support/chats.js";
import { modelAt, scriptedModel } from "./support/scripted-model.js";

afterEach(() => expect(faults.splice(0)).toEqual([]));

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

class Found extends event("Found", { city: z.string() }) {}
class Ask extends StartEvent.define("Ask", { message: z.string() }) {}

async function messageOf(stream: ReturnType<typeof toUIMessageStream>): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  return last;
}

const questionsOf = (messages: readonly UIMessage[]): QuestionData[] =>
  (messages.at(-1)?.parts ?? []).flatMap((part) => (part.type === "data-question" ? (part.data as QuestionData) : []));

it("shows what the map says, texts of calls, and the result", async () => {
  const flow = defineWorkflow("search")
    .step("find", { on: Ask, emits: StopEvent, streams: [Found] }, async ({ message }, ctx) => {
      ctx.writeEventToStream(new Found({ city: message }));
      await ctx.run("write", (call) => ["It ", "is ", "there."].forEach((word) => void call.write(word)));
      return new StopEvent({ result: "not shown: there is text" });
    })
    .build();
  await using world = await openDesk(
    { search: flow },
    {
      workflow: "search",
      map: ({ event: shown }) => (Found.is(shown) ? { type: "data-found", data: { city: shown.city } } : undefined),
    },
  );
  const page = world.page("c1");

  await page.sendMessage({ text: "Bern" });

  expect(page.messages.at(-1)?.parts).toEqual([
    { type: "step-start" },
    { type: "data-found", data: { city: "Bern" } },
    { type: "step-start" },
    expect.objectContaining({ type: "text", text: "It is there." }),
  ]);
  expect(await world.messages("c1")).toEqual(plain(page.messages));
});

it("a step that begins again takes back what it had shown", async () => {
  let attempts = 0;
  const flow = defineWorkflow("twice")
    .step("find", { on: Ask, emits: StopEvent, streams: [Found], retry: { next: () => 1 } }, async (_ev, ctx) => {
      attempts++;
      ctx.writeEventToStream(new Found({ city: `attempt ${attempts}` }));
      if (attempts === 1) throw new TypeError("once more");
      return new StopEvent({ result: "Found." });
    })
    .build();
  const runtime = createRuntime({ workflows: { twice: flow }, store: memoryStore() });
  await runtime.start();
  const run = runtime.run("twice", { message: "go" });

  const message = await messageOf(
    toUIMessageStream(run as never, {
      map: ({ event: shown }) => (Found.is(shown) ? { type: "data-found", data: shown.city } : undefined),
    }),
  );
  await runtime.stop();

  expect(message?.parts.map((part) => ("data" in part ? part.data : "text" in part ? part.text : part.type))).toEqual([
    "step-start",
    "attempt 2",
    "step-start",
    "Found.",
  ]);
});

it("a map may give text, which comes in the place of the result", async () => {
  const flow = defineWorkflow("words")
    .step("say", { on: Ask, emits: StopEvent, streams: [Found] }, async (_ev, ctx) => {
      for (const city of ["Bern ", "and ", "Basel."]) ctx.writeEventToStream(new Found({ city }));
      return new StopEvent({ result: "other" });
    })
    .build();
  const map: MapEvent = ({ event: shown }) => (Found.is(shown) ? shown.city : undefined);
  await using world = await openDesk({ words: flow }, { workflow: "words", map });
  const page = world.page("c1");

  await page.sendMessage({ text: "go" });

  expect(page.messages[1]?.parts).toEqual([
    { type: "step-start" },
    expect.objectContaining({ type: "text", text: "Bern and Basel.", state: "done" }),
  ]);
});

it("asks a person with a form, and takes the answer that the page sends", async () => {
  const flow = defineWorkflow("order")
    .step("ask", { on: Ask, emits: StopEvent }, async (_ev, ctx) => {
      const schema = { size: z.enum(["S", "L"]), note: z.string().optional() };
      const { size } = await ctx.ask({ title: "Which size?", details: { item: "shirt" }, schema });
      return new StopEvent({ result: `A shirt in ${size}.` });
    })
    .build();
  await using world = await openDesk({ order: flow }, { workflow: "order" });
  const page = world.page("c1");
  await page.sendMessage({ text: "A shirt" });

  const [question] = questionsOf(page.messages);
  expect(question).toMatchObject({
    title: "Which size?",
    details: { item: "shirt" },
    status: "open",
    schema: { required: ["size"], properties: { size: { enum: ["S", "L"] } } },
  });
  const answer = (size: string) => ({ body: { answers: { [question?.promptId ?? ""]: { size } } } });
  await page.sendMessage(undefined, answer("XXL"));
  expect(JSON.parse(page.error?.message ?? "")).toMatchObject({ code: "EVENT_INVALID" });
  await page.sendMessage(undefined, answer("L"));

  expect(lastText(page)).toBe("A shirt in L.");
  expect(questionsOf(page.messages).map(({ status }) => status)).toEqual(["closed"]);
  expect(await world.messages("c1")).toEqual(plain(page.messages));
});

it("shows prompts that are events of the workflow", async () => {
  class Confirm extends InputRequiredEvent.define("Confirm", { price: z.number() }) {}
  class Answer extends HumanResponseEvent.define("Answer", { approved: z.boolean() }) {}
  const flow = defineWorkflow("booking")
    .step("book", { on: Ask, emits: StopEvent, waits: Answer, streams: [Confirm] }, async (_ev, ctx) => {
      const { approved } = await ctx.waitForEvent(Answer, { prompt: new Confirm({ price: 99 }) });
      return new StopEvent({ result: approved ? "Booked." : "Not booked." });
    })
    .build();
  await using world = await openDesk({ booking: flow }, { workflow: "booking" });
  const page = world.page("c1");
  await page.sendMessage({ text: "Bern" });

  const [question] = questionsOf(page.messages);
  expect(question).toMatchObject({ title: "Confirm", details: { price: 99 }, schema: null });
  await page.sendMessage(undefined, { body: { answers: { [question?.promptId ?? ""]: { approved: true } } } });

  expect(lastText(page)).toBe("Booked.");
});

it("a pipeline answers, with the chat as its session", async () => {
  await using model = await scriptedModel();
  const store = memoryStore();
  const clerk = new Agent({ name: "Clerk", model: modelAt(model.url) });
  const pipeline = new Pipeline({ name: "Desk", store, steps: [new Step({ name: "clerk", executor: clerk })] });
  await using world = await openDesk({ desk: pipeline.workflow as never }, { pipeline: "desk" }, store);
  const page = world.page("c1");

  await page.sendMessage({ text: "say Hello from a pipeline." });

  expect(lastText(page)).toBe("Hello from a pipeline.");
  expect(await world.messages("c1")).toEqual(plain(page.messages));
  expect((await world.runtime.handle("chat.c1.1").summary()).labels).toMatchObject({ chat: "c1", session: "c1" });
});

it("the input may be made by a function, which gets the turn", async () => {
  const flow = defineWorkflow("echo")
    .step("say", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: `${String(ev.get("said"))}.` }))
    .build();
  const input = ({ text, chatId, messages }: { text: string; chatId: string; messages: readonly unknown[] }) => ({
    said: `${chatId} ${messages.length} ${text}`,
  });
  await using world = await openDesk({ echo: flow }, { workflow: "echo", input });
  const page = world.page("c1");

  await page.sendMessage({ text: "one" });
  await page.sendMessage({ text: "two" });

  expect(page.messages.map(({ parts }) => parts.at(-1)).map((part) => (part as { text: string }).text)).toEqual([
    "one",
    "c1 0 one.",
    "two",
    "c1 2 two.",
  ]);
});

it("an answer that has failed is read anew once its run is retried", async () => {
  let isUp = false;
  const flow = defineWorkflow("flaky")
    .step("say", { on: Ask, emits: StopEvent }, () => {
      if (!isUp) throw new TypeError("down");
      return new StopEvent({ result: "Up." });
    })
    .build();
  await using world = await openDesk({ flaky: flow }, { workflow: "flaky" });
  const page = world.page("c1");
  await page.sendMessage({ text: "go" });
  const failed = await world.messages("c1");

  isUp = true;
  await world.runtime.retry("chat.c1.1");

  expect([page.status, failed[1]?.metadata]).toMatchObject(["error", { error: "STEP_FAILED" }]);
  await page.resumeStream();
  expect((await world.messages("c1"))[1]?.parts.at(-1)).toMatchObject({ text: "Up." });
});
