/** Pages show the lines of the programs beside this file, and what two of these share is the same in both. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const docs = join(import.meta.dirname, "..", "..", "docs", "how-to");

it.each(["support-desk", "research-report", "nightly-import"])("the page of %s has its lines", (name) => {
  const page = readFileSync(join(docs, `build-a-${name}.md`), "utf8");
  const folder = join(import.meta.dirname, name);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  const code = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const blocks = [...page.matchAll(/^```ts fragment\n([\s\S]*?)^```/gm)].map(([, block]) => block as string);

  expect(blocks.length).toBeGreaterThan(3);
  for (const block of blocks) expect(code).toContain(block);
});

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8");
const chats = readFileSync(join(docs, "show-an-agent-in-a-chat.md"), "utf8");

it.each([
  "chat-next/app/chat/[id]/chat.tsx",
  "chat-next/app/chat/[id]/page.tsx",
  "chat-hono-vite/page/chat.tsx",
  "chat-hono-vite/page/tool.tsx",
])("the page of chats has %s", (path) => {
  expect(chats).toContain(`\`\`\`tsx\n${read(path)}\`\`\`\n`);
});

it("the page of chats has the routes of Hono", () => {
  const [routes = ""] = /app\.get\([\s\S]*app\.delete\(.*\n/.exec(read("chat-hono-vite/server.ts")) ?? [];

  expect(routes.split("\n")).toHaveLength(4);
  expect(chats).toContain(routes);
});

it.each(["agent.ts", "scripted-model.ts"])("both chats have the same %s", (name) => {
  expect(read(`chat-next/${name}`)).toBe(read(`chat-hono-vite/${name}`));
});
