/** The list of chats, and the deletion of one. */
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { memoryStore, type RunStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { lastText, openDesk } from "./support/chats.js";
import { openAgent } from "./support/open-agent.js";

const echo = defineWorkflow("echo")
  .step("say", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: String(ev.get("message")) }))
  .build();

interface Listed {
  readonly chats: readonly { readonly id: string; readonly title: string; readonly updatedAt: string }[];
  readonly cursor: string | null;
}

async function openEcho(store: RunStore = memoryStore()) {
  const world = await openDesk({ echo }, { workflow: "echo" }, store);
  onTestFinished(() => world[Symbol.asyncDispose]());
  const list = async (query = "") => (await (await world.fetch(`/api/chat${query}`)).json()) as Listed;
  const say = (id: string, text: string) => world.page(id).sendMessage({ text });
  const remove = async (id: string) => (await world.fetch(`/api/chat/${id}`, { method: "DELETE" })).status;
  return { ...world, list, say, remove };
}

const ids = ({ chats }: Listed): string[] => chats.map(({ id }) => id);

describe.each([
  ["in memory", memoryStore],
  ["on SQLite", () => sqliteStore(":memory:")],
])("%s", (_name, makeStore) => {
  it("lists chats with the latest message first, by the beginning of their first message", async () => {
    const world = await openEcho(makeStore());
    await world.say("c1", "  One\n flight ");
    await world.say("c2", "Two");
    const page = world.page("c1", { messages: await world.messages("c1") });
    await page.sendMessage({ text: "And back" });

    const { chats, cursor } = await world.list();

    expect(chats).toMatchObject([
      { id: "c1", title: "One flight" },
      { id: "c2", title: "Two" },
    ]);
    expect(chats.map(({ updatedAt }) => new Date(updatedAt).toISOString() === updatedAt)).toEqual([true, true]);
    expect(cursor).toBeNull();
  });

  it("pages the list, with every chat once", async () => {
    const world = await openEcho(makeStore());
    for (const number of [1, 2, 3, 4, 5]) await world.say(`c${number}`, "Hello");

    const first = await world.list("?limit=2");
    const second = await world.list(`?limit=2&cursor=${encodeURIComponent(first.cursor ?? "")}`);
    const third = await world.list(`?limit=2&cursor=${encodeURIComponent(second.cursor ?? "")}`);

    expect([first, second, third].map(ids)).toEqual([["c5", "c4"], ["c3", "c2"], ["c1"]]);
    expect(third.cursor).toBeNull();
  });

  it("deletes a chat with its runs and records, also those of replaced turns", async () => {
    const world = await openEcho(makeStore());
    const page = world.page("c1");
    await page.sendMessage({ text: "One" });
    await page.regenerate();
    await world.say("c2", "Two");
    await world.messages("c1");

    expect(await world.remove("c1")).toBe(204);

    expect(ids(await world.list())).toEqual(["c2"]);
    expect(await world.messages("c1")).toEqual([]);
    expect((await world.runtime.runs()).runs.map(({ runId }) => runId)).toEqual(["chat.c2.1"]);
    const kinds = await Promise.all(
      ["chat", "chat.turn", "chat.recent"].map((kind) => world.runtime.records.list({ kind })),
    );
    expect(kinds.map(({ records }) => records.length)).toEqual([1, 1, 1]);
    expect(await world.remove("c1")).toBe(404);
  });
});

it("begins anew under the id of a chat that was deleted", async () => {
  const world = await openEcho();
  await world.say("c1", "One");
  await world.remove("c1");

  const page = world.page("c1");
  await page.sendMessage({ text: "Other" });

  expect(lastText(page)).toBe("Other");
  expect((await world.list()).chats).toMatchObject([{ id: "c1", title: "Other" }]);
});

it("the title is that of an edited first message, cut by letters", async () => {
  const world = await openEcho();
  const page = world.page("c1");
  await page.sendMessage({ text: "One" });
  await page.sendMessage({ text: "🚀".repeat(100), messageId: "c1-m0" });

  expect((await world.list()).chats[0]?.title).toBe(`${"🚀".repeat(79)}…`);
});

it("a chat whose first message was refused is not in the list", async () => {
  const world = await openDesk({ echo }, { workflow: "echo", input: () => ({ message: () => {} }) });
  onTestFinished(() => world[Symbol.asyncDispose]());
  await world.page("c1").sendMessage({ text: "One" });

  expect(await (await world.fetch("/api/chat")).json()).toEqual({ chats: [], cursor: null });
});

it("deletes a chat whose answer is at work, and one that waits for a person", async () => {
  let reached = (): void => {};
  const half = new Promise<void>((resolve) => (reached = resolve));
  await using world = await openAgent({ tokenMs: 5, onToken: (count) => count === 10 && reached() });
  const page = world.page("c1");
  const sent = page.sendMessage({ text: `say ${"word ".repeat(2000)}` });
  await half;

  expect((await world.fetch("/api/chat/c1", { method: "DELETE" })).status).toBe(204);
  await sent;
  await world.page("c2").sendMessage({ text: 'call pay {"n":1} | say Paid.' });
  expect((await world.fetch("/api/chat/c2", { method: "DELETE" })).status).toBe(204);

  expect((await world.runtime.runs()).runs).toEqual([]);
  expect(await world.messages("c1")).toEqual([]);
});

it("ends a deletion that a dead process has begun, and takes no message until then", async () => {
  const world = await openEcho();
  await world.say("c1", "One");
  const record = await world.runtime.records.read("chat", "c1");
  const { listed, ...rest } = record!.value as { readonly listed: { readonly updatedAtMs: number } };
  await world.runtime.records.write([
    { kind: "chat", id: "c1", expected: record!.version, value: { ...rest, isDeleting: true } },
    {
      kind: "chat.recent",
      id: `${9_999_999_999_999 - listed.updatedAtMs}.c1`,
      expected: 1,
      delete: true,
    },
  ]);
  const page = world.page("c1");

  await page.sendMessage({ text: "Two" });

  expect(JSON.parse(page.error?.message ?? "")).toMatchObject({ code: "CHAT_BUSY" });
  expect(await world.messages("c1")).toEqual([]);
  expect(await world.remove("c1")).toBe(204);
  expect((await world.runtime.runs()).runs).toEqual([]);
});
