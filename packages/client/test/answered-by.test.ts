/** Who answered a prompt over HTTP, as it is stored and as later answers hear it. */
import { bearerAuth, createServer, type ServerOptions } from "@millrace/server";
import { type Context, defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createClient } from "../src/index.js";

const tokens = [
  { token: "a", user: "ada" },
  { token: "b", client: "billing" },
  { token: "c", client: "x".repeat(300) },
];

async function open({ auth }: Pick<ServerOptions, "auth"> = { auth: bearerAuth({ tokens }) }) {
  const asking = defineWorkflow("asking")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx: Context) => {
      const { ok } = await ctx.ask({ title: "Ship it?", schema: { ok: z.boolean() } });
      await ctx.sleep("1h");
      return new StopEvent({ result: ok });
    })
    .build();
  const runtime = createRuntime({ workflows: { asking }, store: memoryStore() });
  onTestFinished(() => runtime.stop());
  const handle = runtime.run("asking", {});
  const outcome = await handle.idle();
  const promptId = outcome.status === "waiting" ? (outcome.prompts[0]?.promptId as string) : "";
  const app = createServer({ runtime, ...(auth !== undefined && { auth }) });
  const clientOf = (token: string) =>
    createClient({
      baseUrl: "http://here",
      headers: { authorization: `Bearer ${token}` },
      fetch: async (url, init) => app.fetch(new Request(url, init)),
    });
  const client = (token: string) => clientOf(token).handle(handle.runId);
  return { runtime, handle, promptId, app, client, clientOf };
}

async function stored({ runtime, handle }: Awaited<ReturnType<typeof open>>) {
  const ticks = await all(runtime.history(handle.runId));
  return ticks.flatMap(({ tick }) => (tick.type === "event.received" ? [tick.by] : []));
}

describe("an answer over HTTP", () => {
  it.each([
    ["a", { user: "ada", door: "http" }],
    ["b", { user: "billing", door: "http" }],
    ["c", { door: "http" }],
  ])("is stored with the caller of token %s", async (token, by) => {
    const opened = await open();
    await opened.client(token).answer(opened.promptId, { ok: true });

    expect(await stored(opened)).toEqual([by]);
  });

  it("without `auth` has a door alone, whatever its body says", async () => {
    const opened = await open({});
    const url = `/handlers/${opened.handle.runId}/prompts/${encodeURIComponent(opened.promptId)}`;
    const body = JSON.stringify({ fields: { ok: true }, by: { user: "boss", door: "chat" } });
    await opened.app.request(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    await opened.client("").answer(opened.promptId, { ok: true });

    expect(await stored(opened)).toEqual([{ door: "http" }]);
  });

  it("that comes late hears who answered and when", async () => {
    const { client, promptId } = await open();
    await client("a").answer(promptId, { ok: true });

    const receipt = await client("b").answer(promptId, { ok: false });

    expect(receipt).toMatchObject({
      code: "PROMPT_CLOSED",
      details: { answered: { by: { user: "ada", door: "http" } } },
    });
    const { details } = receipt as { readonly details: { readonly answered: { readonly atMs: number } } };
    expect(Math.abs(details.answered.atMs - Date.now())).toBeLessThan(60_000);
  });

  it("is shown with the waits of the attempt", async () => {
    const { client, clientOf, promptId, handle } = await open();
    await client("a").answer(promptId, { ok: true });

    const [attempt] = await all(clientOf("a").attempts(handle.runId));
    expect(attempt?.waits[0]).toMatchObject({ promptId, by: { user: "ada", door: "http" } });
  });

  it("of a caller whose `auth` gives no name as `user` is the fault of the server", async () => {
    const { client, promptId } = await open({ auth: () => ({ user: "" }) });

    await expect(client("a").answer(promptId, { ok: true })).rejects.toMatchObject({ code: "INTERNAL" });
  });
});

it("refuses tokens whose user is no name", () => {
  expect(() => bearerAuth({ tokens: [{ token: "a", user: "x".repeat(256) }] })).toThrow(/token 0 has a `user`/);
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("the audit", () => {
  it("tells who did what, to a caller who may operate", async () => {
    const { promptId, handle, client, clientOf } = await open();
    await client("a").answer(promptId, { ok: true });
    await client("b").cancel({ reason: "late" });
    const { entries, cursor } = await clientOf("a").audit();

    const of = { handlerId: handle.runId, workflow: "asking", atMs: expect.any(Number) };
    expect(entries).toEqual([
      { ...of, action: "cancel", by: { user: "billing", door: "http" } },
      { ...of, action: "answer", promptId, by: { user: "ada", door: "http" } },
    ]);
    expect(cursor).toBeNull();
    expect((await clientOf("a").audit({ user: "ada", workflow: ["asking"], limit: 1 })).entries).toHaveLength(1);
    expect((await clientOf("a").audit({ workflow: [] })).entries).toEqual([]);
    await expect(clientOf("a").audit({ users: ["ada"] } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
