/** Pages with `ai` 6 in front of the server, which has `ai` 7: what they show, and why no more is promised. */
import { Chat } from "@ai-sdk/react-3";
import { asSchema, type UIMessageChunk, uiMessageChunkSchema } from "ai";
import {
  uiMessageChunkSchema as chunkSchema6,
  DefaultChatTransport,
  asSchema as schemaOf6,
  type UIMessage,
} from "ai-6";
import { expect, it } from "vitest";
import { openAgent } from "./support/open-agent.js";

const transportOf = (fetch: typeof globalThis.fetch) =>
  new DefaultChatTransport<UIMessage>({ api: "http://desk.example/api/chat", fetch });

it("shows reasoning, calls, errors of tools, text and approvals, as `ai` 7 does", async () => {
  await using world = await openAgent();
  const page = new Chat<UIMessage>({ id: "c1", transport: transportOf(world.fetch) });

  await page.sendMessage({ text: 'think Hm.; call look {"q":1}; call broken {} | say All done.' });
  await page.sendMessage({ text: 'call pay {"n":1} | say Paid.' });

  expect([page.status, page.error]).toEqual(["ready", undefined]);
  expect(page.messages.at(-1)?.parts[1]).toMatchObject({ type: "tool-pay", state: "approval-requested" });
  const stored = await world.messages("c1");
  const shown = JSON.parse(JSON.stringify(page.messages)) as UIMessage[];
  expect(shown.map(withoutIds)).toEqual(stored.map((message) => withoutIds(message as UIMessage)));
});

/** Version 7 keeps ids of reasoning, and what a tool has shown before its result. */
function withoutIds({ parts, role }: UIMessage): unknown {
  return { role, parts: parts.map((part) => ({ ...part, id: undefined, preliminary: undefined })) };
}

const newChunks: readonly UIMessageChunk[] = [
  { type: "reset-step" },
  { type: "tool-approval-response", approvalId: "a", approved: true },
];

it.each(newChunks)("refuses a chunk that takes words back or says what was decided: $type", async (chunk) => {
  expect(await asSchema(uiMessageChunkSchema).validate?.(chunk)).toMatchObject({ success: true });
  expect(await schemaOf6(chunkSchema6).validate?.(chunk)).toMatchObject({ success: false });
});
