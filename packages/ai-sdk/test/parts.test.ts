/** What models and calls may show besides text and calls of tools. */
import { Agent } from "@millrace/agents";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { afterEach, expect, it } from "vitest";
import { answers, says } from "../../agents/test/support/turns.js";
import { faults, openDesk } from "./support/chats.js";

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

it("agents that speak at the same time each keep their text", async () => {
  const speaker = (name: string) => new Agent({ name, model: answers(says(`${name} says one two three.`)) });
  const flow = defineWorkflow("both")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await Promise.all([speaker("Ada").run("go", { ctx }), speaker("Bob").run("go", { ctx })]);
      return new StopEvent({ result: "not shown" });
    })
    .build();
  await using world = await openDesk({ both: flow }, { workflow: "both", input: () => ({}) });
  const page = world.page("c1");

  await page.sendMessage({ text: "go" });

  const texts = page.messages[1]?.parts.flatMap((part) => (part.type === "text" ? part.text : [])) ?? [];
  const of = (name: string) => texts.filter((text) => text.includes(name) || texts.length === 2);
  expect([of("Ada").length > 0, of("Bob").length > 0, page.status]).toEqual([true, true, "ready"]);
  console.log(JSON.stringify(page.messages[1]?.parts), JSON.stringify((await world.messages("c1"))[1]?.parts));
});
