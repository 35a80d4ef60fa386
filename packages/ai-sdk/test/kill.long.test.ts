/**
 * The server is killed between two chunks, over SQLite. The messages then equal those of an undisturbed chat byte by
 * byte, and the model was asked again only for the answer that was under way.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Chat } from "@ai-sdk/react";
import { parseJsonEventStream, type UIMessage, uiMessageChunkSchema } from "ai";
import { expect, it } from "vitest";
import { ChatTransport, isAnswered } from "../src/client.js";
import { faults, lastText, openApprovals } from "./support/chats.js";
import { DeskServer } from "./support/desk-server.js";
import { scriptedModel } from "./support/scripted-model.js";

const script = [
  'think Let me see.; call look {"q":1}; call look {"q":2}; call pay {"n":5}',
  'think Nearly.; call look {"q":3}',
  "say It is all done now.",
].join(" | ");

/** A chat that tells of each chunk, and resumes until its answer has ended. */
function pageOf(url: string, onChunk: (count: number) => void) {
  let count = 0;
  let ids = 0;
  const counted: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null || !response.ok) return response;
    const [body, copy] = response.body.tee();
    void (async () => {
      for await (const part of parseJsonEventStream({ stream: copy, schema: uiMessageChunkSchema })) {
        if (!part.success) faults.push(part.error);
        onChunk(++count);
      }
    })().catch(() => {}); // it is cut off with its server
    return new Response(body, response);
  };
  const api = `${url}/api/chat`;
  const transport = new ChatTransport({ api, fetch: counted });
  return new Chat<UIMessage>({ id: "c1", generateId: () => `m${ids++}`, transport, sendAutomaticallyWhen: isAnswered });
}

async function untilReady(chat: Chat<UIMessage>): Promise<void> {
  for (;;) {
    if (chat.status === "error") await chat.resumeStream();
    else if (chat.status === "ready") return;
    await sleep(20);
  }
}

/** As text: byte by byte. */
const answersOf = (messages: readonly UIMessage[]): string =>
  JSON.stringify(messages.filter(({ role }) => role === "assistant"));

/** @param killAt Number of the chunk after which the server is killed; 0: never. */
async function play(killAt: number) {
  await using model = await scriptedModel({ tokenMs: 2 });
  await using server = await DeskServer.start(model.url);
  let chunks = 0;
  let killed: Promise<void> | null = null;
  const chat = pageOf(server.url, (count) => {
    chunks = count;
    if (count === killAt) killed = server.kill().then(() => server.start());
  });
  await chat.sendMessage({ text: script }).then(() => killed);
  await untilReady(chat);
  for (const id of openApprovals(chat)) await chat.addToolApprovalResponse({ id, approved: true });
  while (!lastText(chat).endsWith("now.")) {
    await killed;
    await untilReady(chat);
    await sleep(20);
  }
  await killed;
  await untilReady(chat);
  const stored = (await (await fetch(`${server.url}/api/chat/c1`)).json()) as UIMessage[];
  const requests = model.requests.map((messages) => JSON.stringify(messages));
  return { chunks, page: answersOf(chat.messages), stored: answersOf(stored), requests, executed: server.executed };
}

it("the messages are those of an undisturbed chat, wherever the server is killed", async () => {
  const calm = await play(0);
  expect(calm.page).toBe(calm.stored);
  expect(calm.requests).toHaveLength(3);

  for (let killAt = 1; killAt <= calm.chunks; killAt += 3) {
    const { page, stored, requests, executed } = await play(killAt);

    expect([killAt, stored]).toEqual([killAt, calm.stored]);
    expect([killAt, page]).toEqual([killAt, calm.page]);
    expect(new Set(requests)).toEqual(new Set(calm.requests));
    expect(requests.length).toBeLessThanOrEqual(calm.requests.length + 1);
    expect(new Set(executed)).toEqual(new Set(calm.executed));
  }
  expect(faults).toEqual([]);
}, 600_000);
