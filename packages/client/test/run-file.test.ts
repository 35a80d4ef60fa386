/** A run that is saved as a file is read as from its server, and no request leaves. */
import { createServer } from "@millrace/server";
import { type Context, collect, event, many, StartEvent, StopEvent, step, Workflow } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createClient } from "../src/index.js";
import { packRunFile, partsOf, type RunFile, readRunFile, runFileFetch, saveRun } from "../src/run-file.js";

class Order extends StartEvent.define("Order", { email: z.string(), parts: z.array(z.string()) }) {}
class Part extends event("Part", { name: z.string() }) {}
class Packed extends event("Packed", { name: z.string() }) {}
class Print extends StartEvent.define("Print", { text: z.string() }) {}

class Printer extends Workflow {
  @step({ on: Print, emits: StopEvent })
  print({ text }: Print) {
    return new StopEvent({ result: text.toUpperCase() });
  }
}

const state = { mails: z.array(z.string()).default(() => []), at: z.date().nullable().default(null) };

type Shipped = { mails: string[]; at: Date | null };

class Shipping extends Workflow.withState(state) {
  static children = [Printer];

  @step({ on: Order, emits: many(Part) })
  async split({ parts, email }: Order, ctx: Context<Shipped>) {
    await ctx.store.set("mails", [email]);
    await ctx.store.set("at", new Date(0));
    return parts.map((name) => new Part({ name }));
  }

  @step({ on: Part, emits: Packed })
  async pack({ name }: Part, ctx: Context) {
    const printed = await ctx.runChild(Printer, { text: name });
    return new Packed({ name: String(printed) });
  }

  @step({ on: collect(Packed), emits: StopEvent })
  async send(all: readonly Packed[], ctx: Context<Shipped>) {
    const { ok } = await ctx.ask({ title: `Send ${all.length}?`, schema: { ok: z.boolean() } });
    const to = (await ctx.store.get("mails"))[0];
    const receipt = await ctx.run("mail", async () => `mail to ${to}`);
    return new StopEvent({ result: { ok, receipt } });
  }
}

const baseUrl = "http://millrace.test";
const runtime = createRuntime({ workflows: { shipping: new Shipping() }, store: memoryStore() });
const server = createServer({ runtime });
const fetch: typeof globalThis.fetch = async (input, init) => server.fetch(new Request(input, init));
const live = createClient({ baseUrl, fetch });

beforeAll(async () => {
  for (const runId of ["open", "ended"]) {
    const run = runtime.run("shipping", { email: "ada@example.com", parts: ["ada", "bolt", "cog"] }, { runId });
    const outcome = await run.idle();
    if (runId === "open" || outcome.status !== "waiting") continue;
    await run.answer(outcome.prompts[0]?.promptId ?? "", { ok: true });
    await run;
  }
});
afterAll(() => runtime.stop());

/** As it is read by somebody else, from bytes. */
async function sent(file: RunFile): Promise<RunFile> {
  return readRunFile(await packRunFile(file));
}

async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe.each(["ended", "open"])("the file of a run that is %s", (runId) => {
  it("answers as the server does: the run, its ticks, attempts, moments and graphs", async () => {
    const file = await sent(await saveRun(runId, { baseUrl, fetch }));
    const saved = createClient({ baseUrl, fetch: runFileFetch(file) });
    const children = await live.children(runId);

    for (const client of [live, saved]) expect(await client.children(runId)).toHaveLength(3);
    expect(await saved.handle(runId).summary()).toEqual(await live.handle(runId).summary());
    expect(await saved.children(runId)).toEqual(children);
    const ticks = await listOf(live.history(runId, { changes: true }));
    expect(await listOf(saved.history(runId, { changes: true }))).toEqual(ticks);
    const attempts = await listOf(live.attempts(runId));
    expect(await listOf(saved.attempts(runId))).toEqual(attempts);
    for (const { number } of ticks) expect(await saved.at(runId, number)).toEqual(await live.at(runId, number));
    for (const { startedTick, item, runId: of } of attempts) {
      const options = { item, ...(of !== runId && { childId: of }) };
      expect(await saved.at(runId, startedTick, options)).toEqual(await live.at(runId, startedTick, options));
    }
    for (const name of ["shipping", "Printer"]) {
      const known = await live.representation(name).catch(() => null);
      if (known !== null) expect(await saved.representation(name)).toEqual(known);
    }
    expect(await saved.representation("shipping")).toEqual(await live.representation("shipping"));
    expect((await saved.runs()).runs).toHaveLength(1);
  });

  it("counts a run that waits for a place of its queue as queued", async () => {
    const file = await saveRun("open", { baseUrl, fetch });
    const queued = { ...file, handler: { ...file.handler, queued: true } };
    const reader = createClient({ baseUrl, fetch: runFileFetch(queued) });

    expect((await reader.counts()).status).toMatchObject({ queued: 1, waiting: 0, running: 0 });
  });

  it("has a snapshot only while there is something to continue", async () => {
    const { snapshot } = await sent(await saveRun(runId, { baseUrl, fetch }));

    expect(snapshot === null).toBe(runId === "ended");
  });

  it("is imported with the same history, state and attempts, and ends as the run does", async () => {
    const file = await sent(await saveRun(runId, { baseUrl, fetch }));
    const other = createRuntime({ workflows: { shipping: new Shipping() }, store: memoryStore() });
    onTestFinished(() => other.stop());
    const app = createServer({ runtime: other });
    const there = createClient({ baseUrl, fetch: async (input, init) => app.fetch(new Request(input, init)) });

    expect(await other.import(partsOf(file))).toMatchObject({ runId, isNew: true });
    expect(await other.import(partsOf(file))).toMatchObject({ isNew: false });
    const outcome = await other.handle(runId).idle();
    const ticks = await listOf(live.history(runId, { changes: true }));
    expect((await listOf(there.history(runId, { changes: true }))).slice(0, ticks.length)).toEqual(ticks);
    for (const { number } of ticks) expect(await there.at(runId, number)).toEqual(await live.at(runId, number));
    if (outcome.status === "waiting")
      await other.handle(runId).answer(outcome.prompts[0]?.promptId ?? "", { ok: true });
    expect(await other.handle(runId)).toEqual({ ok: true, receipt: "mail to ada@example.com" });
  });
});

type Changed = (file: RunFile) => Partial<RunFile>;

it.each<[why: string, changed: Changed]>([
  ["the texts of email were replaced", () => ({ redacted: ["email"] })],
  ["the run is a fork", ({ handler }) => ({ handler: { ...handler, forked_from: { handler_id: "a", at: 1 } } })],
  ["the first ticks of the run are not in it", ({ entries }) => ({ entries: entries.slice(3) })],
])("is not imported if %s", async (why, changed) => {
  const file = await saveRun("ended", { baseUrl, fetch });

  expect(() => partsOf({ ...file, ...changed(file) })).toThrow(
    expect.objectContaining({ code: "RUN_FILE_UNFIT", message: expect.stringContaining(why) }),
  );
});

describe("what nobody may see", () => {
  it("has no text of a named field, wherever it occurs", async () => {
    const file = await saveRun("ended", { baseUrl, fetch, redact: ["email"] });

    expect(JSON.stringify(await saveRun("ended", { baseUrl, fetch }))).toContain("ada@example.com");
    expect(JSON.stringify(file)).not.toContain("ada@example.com");
    expect(file.redacted).toEqual(["email"]);
  });

  it("has the texts of the state, of messages and of results replaced, and the names of steps kept", async () => {
    const file = await sent(await saveRun("ended", { baseUrl, fetch, redact: ["email"] }));
    const client = createClient({ baseUrl, fetch: runFileFetch(file) });
    const run = await client.handle("ended").summary();
    const { state: after } = await client.at("ended", run.ticks?.last ?? 0);

    expect(run.status === "completed" && run.result).toEqual({ ok: true, receipt: "mail to redacted-1" });
    expect(after).toMatchObject({ mails: ["redacted-1"] });
  });
});

describe("a file of a stranger", () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

  it.each([
    ["no JSON", "it is no JSON"],
    ["[]", "not an object"],
    ['{"format":"zip"}', "`format`"],
    ['{"format":"millrace.run","version":2}', "`version` is 2"],
    ['{"format":"millrace.run","version":1}', "`saved_at` is null, not a time"],
  ])("is refused with what is wrong: %s", async (text, problem) => {
    const refused = readRunFile(bytesOf(text));

    await expect(refused).rejects.toMatchObject({ code: "RUN_FILE_INVALID" });
    await expect(refused).rejects.toThrow(problem);
  });

  it("is refused with the list that has a wrong item", async () => {
    const file = await saveRun("ended", { baseUrl, fetch });
    const entries = [...file.entries, { ...file.entries[0], number: -1 }];

    await expect(readRunFile(bytesOf(JSON.stringify({ ...file, entries })))).rejects.toThrow("a list of ticks");
  });

  it("is refused when its bytes are damaged, or become too many", async () => {
    const packed = await packRunFile(await saveRun("ended", { baseUrl, fetch }));
    const zeros = new Blob([new Uint8Array(2_000_000)]).stream().pipeThrough(new CompressionStream("gzip"));
    const bomb = new Uint8Array(await new Response(zeros).arrayBuffer());

    await expect(readRunFile(packed.slice(0, -20))).rejects.toThrow("damaged");
    expect(bomb.length).toBeLessThan(10_000);
    await expect(readRunFile(bomb, { maxBytes: 1_000_000 })).rejects.toThrow("more than 1000000 bytes");
  });

  it("changes no prototype with its names", async () => {
    const file = await saveRun("ended", { baseUrl, fetch });
    const json = JSON.stringify(file).replace('"fields":{', '"fields":{"__proto__":{"polluted":true},');
    const client = createClient({ baseUrl, fetch: runFileFetch(await readRunFile(bytesOf(json))) });

    await client.at("ended", 1);
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });

  it("may be changed by nobody", async () => {
    const client = createClient({ baseUrl, fetch: runFileFetch(await saveRun("open", { baseUrl, fetch })) });

    await expect(client.handle("open").cancel()).rejects.toMatchObject({ code: "READ_ONLY" });
    await expect(client.handle("other").summary()).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
  });
});
