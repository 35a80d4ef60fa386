/** An agent in a chat: text, tools, messages, resume, stop. */
import { afterEach, expect, it } from "vitest";
import { faults, lastText, textOf, toolStates } from "./support/chats.js";
import { openAgent as opened } from "./support/open-agent.js";

afterEach(() => expect(faults.splice(0)).toEqual([]));

it("shows reasoning, a call with its preliminary and last output, an error of a tool, and text", async () => {
  await using world = await opened();
  const page = world.page("c1");

  await page.sendMessage({ text: 'think Hm. Well; call look {"q":1}; call broken {} | say All done.' });

  const { id, parts, metadata } = page.messages.at(-1)!;
  expect(id).toBe("chat.c1.1");
  expect(parts).toEqual([
    { type: "step-start" },
    expect.objectContaining({ type: "reasoning", text: "Hm. Well", state: "done" }),
    expect.objectContaining({ type: "tool-look", state: "output-available", input: { q: 1 }, output: { seen: 1 } }),
    expect.objectContaining({ type: "tool-broken", state: "output-error", errorText: "It is broken." }),
    { type: "step-start" },
    { type: "text", text: "All done.", state: "done" },
  ]);
  expect(metadata).toEqual({ usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 } });
  expect(page.status).toBe("ready");
});

it("gives the messages of the chat as every page has them, and the history to the model", async () => {
  await using world = await opened();
  const page = world.page("c1");
  await page.sendMessage({ text: 'call look {"q":1} | say First.' });
  await page.sendMessage({ text: "say Second." });

  const messages = await world.messages("c1");

  expect(messages).toEqual(JSON.parse(JSON.stringify(page.messages)));
  expect(messages.map(({ id }) => id)).toEqual(["c1-m0", "chat.c1.1", "c1-m2", "chat.c1.2"]);
  expect(world.model.requests.at(-1)?.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
});

it("resumes an answer at work in another page, and is 204 where nothing is to come", async () => {
  let reached = (): void => {};
  const half = new Promise<void>((resolve) => (reached = resolve));
  await using world = await opened({ tokenMs: 5, onToken: (count) => count === 20 && reached() });
  const first = world.page("c1");
  const sent = first.sendMessage({ text: `say ${"word ".repeat(40)}end.` });
  await half;

  const second = world.page("c1", { messages: await world.messages("c1") });
  expect(second.messages).toHaveLength(1);
  await second.resumeStream();
  await sent;

  expect(second.messages).toEqual(first.messages);
  expect(lastText(second)).toMatch(/^(word ){40}end\.$/);
  expect(world.model.requests).toHaveLength(1);
  await second.resumeStream();
  expect(second.status).toBe("ready");
});

it("stops an answer for all pages, and keeps what was said", async () => {
  let reached = (): void => {};
  const half = new Promise<void>((resolve) => (reached = resolve));
  await using world = await opened({ tokenMs: 5, onToken: (count) => count === 10 && reached() });
  const page = world.page("c1");
  const sent = page.sendMessage({ text: `say ${"word ".repeat(2000)}` });
  await half;

  const stopped = await world.fetch("/api/chat/c1/stream", { method: "DELETE" });
  await sent;

  expect(stopped.status).toBe(204);
  expect(lastText(page)).toMatch(/^(word )+$/);
  const [, answer] = await world.messages("c1");
  expect(answer?.metadata).toMatchObject({ stopped: true });
  expect(textOf(answer)).toMatch(/^(word )+$/);
  await page.sendMessage({ text: "say Next." });
  expect(lastText(page)).toBe("Next.");
});

it("a stop of the page itself ends its reading only", async () => {
  let reached = (): void => {};
  const half = new Promise<void>((resolve) => (reached = resolve));
  await using world = await opened({ tokenMs: 2, onToken: (count) => count === 10 && reached() });
  const page = world.page("c1");
  void page.sendMessage({ text: `say ${"word ".repeat(50)}end.` });
  await half;

  await page.stop();
  await world.runtime.handle("chat.c1.1");

  expect(textOf((await world.messages("c1"))[1])).toMatch(/end\.$/);
});

it("a failed answer is an error with a code, and stays in the chat", async () => {
  await using world = await opened();
  const page = world.page("c1");

  await page.sendMessage({ text: 'call look {"q":1} | fail' });

  expect([page.status, page.error?.message]).toEqual(["error", "AGENT_FAILED"]);
  expect(toolStates(page)).toEqual(["look: output-available"]);
  const [, answer] = await world.messages("c1");
  expect(answer?.metadata).toMatchObject({ error: "AGENT_FAILED" });
  expect(answer?.parts).toEqual(JSON.parse(JSON.stringify(page.messages[1]!.parts)));
});

it("a message that comes again gets the same answer, and a second model call is not made", async () => {
  await using world = await opened();
  const body = {
    id: "c1",
    trigger: "submit-message",
    messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "say Once." }] }],
  };
  const post = () =>
    world.fetch("/api/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  const texts = await Promise.all([post(), post()].map(async (response) => (await response).text()));
  const again = await (await post()).text();

  expect(texts.filter((text) => text.includes("Once.") || text.includes("CHAT_BUSY"))).toHaveLength(2);
  expect(again).toContain("Once.");
  expect(world.model.requests).toHaveLength(1);
});

it("a message whose run was not started before its process died is answered when it comes again", async () => {
  await using world = await opened();
  const parts = [{ type: "text", text: "say Late." }];
  await world.runtime.records.write([
    { kind: "chat", id: "c1", expected: 0, value: { count: 1, turns: [{ runId: "chat.c1.1", messageId: "m" }] } },
    {
      kind: "chat.turn",
      id: "chat.c1.1",
      expected: 0,
      value: { message: { id: "m", role: "user", parts }, answer: null },
    },
  ]);
  const page = world.page("c1");

  await page.sendMessage({ id: "m", parts: [{ type: "text", text: "say Late." }] });

  expect([lastText(page), page.messages[1]?.id]).toEqual(["Late.", "chat.c1.1"]);
});
