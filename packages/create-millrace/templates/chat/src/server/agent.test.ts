/** The chat as a page uses it, without a browser: `Chat` is what `useChat` works with. */
import { Chat } from "@ai-sdk/react";
import { chatHandler } from "@millrace/ai-sdk";
import { ChatTransport, isAnswered } from "@millrace/ai-sdk/client";
import { isToolUIPart, type UIMessage } from "ai";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import { support } from "./agent.ts";

async function openChat() {
  const runtime = createRuntime({ workflows: { support: support.workflow }, store: memoryStore() });
  await runtime.start();
  const { GET, POST } = chatHandler(runtime, { agent: "support" });
  const api = "http://localhost/api/chat";
  const ask: typeof fetch = (url, init) => (init?.method === "POST" ? POST : GET)(new Request(url, init));
  const transport = new ChatTransport({ api, fetch: ask });
  const chat = new Chat<UIMessage>({ transport, sendAutomaticallyWhen: isAnswered });
  return { chat, [Symbol.asyncDispose]: () => runtime.stop() };
}

const textOf = ({ messages }: Chat<UIMessage>): string =>
  (messages.at(-1)?.parts ?? []).flatMap((part) => (part.type === "text" ? part.text : [])).join(" ");

const callOf = ({ messages }: Chat<UIMessage>) => messages.at(-1)?.parts.find(isToolUIPart);

it.each([
  [true, "output-available", /48 euros are on their way/],
  [false, "output-denied", /nothing was paid back/],
])(
  "a refund that a person answers with %s is %s",
  async (approved, state, text) => {
    await using desk = await openChat();
    await desk.chat.sendMessage({ text: "My lamp is broken, I want a refund." });
    expect(callOf(desk.chat)).toMatchObject({ state: "approval-requested", input: { order: "L-1042", euros: 48 } });

    await desk.chat.addToolApprovalResponse({ id: callOf(desk.chat)?.approval?.id ?? "", approved });

    await expect.poll(() => textOf(desk.chat), { timeout: 10_000 }).toMatch(text);
    expect(callOf(desk.chat)).toMatchObject({ state });
  },
  20_000,
);
