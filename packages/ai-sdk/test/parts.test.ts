/** What models and calls may show besides text and calls of tools. */
import { Agent } from "@millrace/agents";
import type { UIMessage } from "ai";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { afterEach, expect, it } from "vitest";
import { answers } from "../../agents/test/support/turns.js";
import { faults, openDesk } from "./support/chats.js";
import { modelAt, scriptedModel } from "./support/scripted-model.js";

afterEach(() => expect(faults.splice(0)).toEqual([]));

it("shows sources, files, and a call that the provider has made, with its result", async () => {
  const input = JSON.stringify({ q: "Bern" });
  const model = answers({
    content: [
      { type: "tool-call", toolCallId: "s1", toolName: "web_search", input, providerExecuted: true, dynamic: true },
      { type: "tool-result", toolCallId: "s1", toolName: "web_search", result: { hits: 1 }, dynamic: true },
      { type: "source", sourceType: "url", id: "u1", url: "https://bern.example", title: "Bern" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
      { type: "text", text: "It is in Switzerland." },
    ],
  });
  const agent = new Agent({ name: "Desk", model });
  await using world = await openDesk({ desk: agent.workflow }, { agent: "desk" });
  const page = world.page("c1");

  await page.sendMessage({ text: "Where is Bern?" });

  expect(page.messages[1]?.parts).toEqual([
    { type: "step-start" },
    expect.objectContaining({
      state: "output-available",
      input: { q: "Bern" },
      output: { hits: 1 },
      providerExecuted: true,
    }),
    { type: "source-url", sourceId: "u1", url: "https://bern.example", title: "Bern" },
    { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" },
    expect.objectContaining({ type: "text", text: "It is in Switzerland." }),
  ]);
  expect(page.status).toBe("ready");
});

it("does not show objects of calls that are no parts", async () => {
  const flow = defineWorkflow("odd")
    .step("say", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.run("write", (call) => {
        for (const piece of [{ type: "text" }, { kind: "x", text: "hidden" }, { type: "toString" }]) call.write(piece);
      });
      return new StopEvent({ result: "Shown." });
    })
    .build();
  await using world = await openDesk({ odd: flow }, { workflow: "odd", input: () => ({}) });
  const page = world.page("c1");

  await page.sendMessage({ text: "go" });

  expect(page.messages[1]?.parts).toEqual([
    { type: "step-start" },
    expect.objectContaining({ type: "text", text: "Shown." }),
  ]);
});

it("agents that speak at the same time each keep their text in one part", async () => {
  await using model = await scriptedModel({ tokenMs: 5 });
  const speaker = (name: string) => new Agent({ name, model: modelAt(model.url) });
  const flow = defineWorkflow("both")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const speak = (name: string) => speaker(name).run(`say ${name} says one two three four.`, { ctx });
      await Promise.all([speak("Ada"), speak("Bob")]);
      return new StopEvent({ result: "not shown" });
    })
    .build();
  await using world = await openDesk({ both: flow }, { workflow: "both", input: () => ({}) });
  const page = world.page("c1");

  await page.sendMessage({ text: "go" });

  const textsOf = (message: UIMessage | undefined) =>
    message?.parts.flatMap((part) => (part.type === "text" ? part.text : [])).sort();
  const both = ["Ada says one two three four.", "Bob says one two three four."];
  expect(textsOf(page.messages[1])).toEqual(both);
  expect(textsOf((await world.messages("c1"))[1])).toEqual(both);
});
