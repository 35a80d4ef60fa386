/** Queues, `dedupe` and schedules, against a server in this process. */
import { createServer, type ServerOptions } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createClient } from "../src/index.js";

class Report extends StartEvent.define("Report", { of: z.string() }) {}
const report = defineWorkflow("report")
  .step("write", { on: Report, emits: StopEvent }, ({ of }) => new StopEvent({ result: of }))
  .build();
const held = defineWorkflow("held")
  .step("hold", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", reject));
    return new StopEvent({ result: null });
  })
  .build();
const workflows = { report, held };

function open(options: Partial<ServerOptions> = {}) {
  const runtime = createRuntime({
    workflows,
    log: { info: () => {}, error: () => {} },
    queues: { llm: { concurrency: 1, priority: true } },
  });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const app = createServer({ runtime, schedules: true, queueOf: (asked) => asked, ...options });
  /** A connection that loses the first answer to everything that changes something. */
  const isLossy = new Set<string>();
  const fetch = async (...request: ConstructorParameters<typeof Request>): Promise<Response> => {
    const asked = new Request(...request);
    const id = `${asked.method} ${asked.url}`;
    const answer = await app.fetch(asked);
    if (asked.method === "GET" || isLossy.has(id)) return answer;
    isLossy.add(id);
    throw new TypeError("the connection is lost");
  };
  return {
    runtime,
    client: createClient<typeof workflows>({ baseUrl: "http://localhost", fetch, retry: { delayMs: 1 } }),
  };
}

describe("a run that was exported", () => {
  it("is said to be sealed, until it is released", async () => {
    const { client, runtime } = open();
    const run = client.run("report", { of: "it" });
    await run;
    expect((await run.summary()).isSealed).toBe(false);

    for await (const { type } of runtime.export(run.handlerId)) expect(type).toEqual(expect.any(String));

    expect((await run.summary()).isSealed).toBe(true);
    expect((await client.runs()).runs.map(({ isSealed }) => isSealed)).toEqual([true]);
    await runtime.release(run.handlerId);
    expect((await run.summary()).isSealed).toBe(false);
  });
});

describe("a run of a queue", () => {
  it("says where it waits, and is listed by it", async () => {
    const { client } = open();
    const first = client.run("held", {}, { queue: "llm", queueKey: "a" });
    await first.accepted;
    const second = client.run("report", { of: "it" }, { queue: "llm", queueKey: "b", priority: 7 });
    await second.accepted;
    await client.run("report", { of: "it" });

    expect((await second.summary()).queue).toEqual({ name: "llm", key: "b", priority: 7, hasPlace: false });
    const { runs } = await client.runs({ queue: "llm" });
    expect(runs.map(({ handlerId }) => handlerId).sort()).toEqual([first.handlerId, second.handlerId].sort());
    const none = await client.runs({ workflow: "report", status: "completed" });
    expect(none.runs.map(({ queue }) => queue)).toEqual([null]);
  });

  it("is refused where the server lets nobody choose, and where options make no sense", async () => {
    const { client } = open({ queueOf: () => false });

    await expect(client.run("held", {}, { queue: "llm" })).rejects.toMatchObject({ code: "FORBIDDEN", status: 403 });
    const wrong = { queue: 1, queueKey: 5, priority: Number.NaN, dedupe: "k" };
    expect(() => client.run("held", {}, wrong as never)).toThrow(
      expect.objectContaining({
        details: {
          problems: [
            "`queue` is 1, not a text",
            "`queueKey` is 5, not a text",
            "`priority` is NaN, not a number",
            '`dedupe` is "k", not an object',
          ],
        },
      }),
    );
    const dedupe = { key: "k", for: "1h", failed: "next" };
    await expect(client.run("held", {}, { dedupe } as never)).rejects.toMatchObject({
      code: "BODY_INVALID",
      details: { issues: [{ path: "dedupe.failed" }] },
    });
  });
});

describe("starts with one key of `dedupe`", () => {
  it("are one run, whose id the server gives, also where answers are lost", async () => {
    const { client } = open();
    const dedupe = { key: "order-7", for: "10m" };
    const first = client.run("report", { of: "first" }, { dedupe });
    expect(first.handlerId).toBe("");
    await first.accepted;
    const second = client.run("report", { of: "second" }, { dedupe });

    expect(await Promise.all([first, second])).toEqual(["first", "first"]);
    expect(second.handlerId).toBe(first.handlerId);
    expect((await second.summary()).handlerId).toBe(first.handlerId);
    const types: string[] = [];
    for await (const { event } of client.run("report", { of: "third" }, { dedupe }).stream()) types.push(event.type);
    expect(types).toEqual(["StopEvent"]);
    expect((await client.runs()).runs).toHaveLength(1);
    await expect(client.run("report", { of: "x" }, { dedupe, handlerId: "mine" })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });
});

describe("a schedule", () => {
  it("is set, read, listed, paused, resumed and deleted, also where answers are lost", async () => {
    const { client, runtime } = open();
    const { schedules } = client;

    const set = await schedules.set("nightly/1", {
      workflow: "report",
      input: { of: "the day" },
      cron: "0 3 * * *",
      timezone: "Europe/Berlin",
      catchUp: "all",
      queue: "llm",
      queueKey: "t1",
      priority: 2,
    });

    expect(set).toEqual({
      start: { type: "Report", value: { of: "the day" } },
      edited: null,
      name: "nightly/1",
      workflow: "report",
      cron: "0 3 * * *",
      timezone: "Europe/Berlin",
      overlap: "skip",
      catchUp: "all",
      queue: { name: "llm", key: "t1", priority: 2 },
      paused: false,
      nextAtMs: expect.any(Number),
      last: null,
      queuedAtMs: [],
      skips: [],
    });
    const next = await schedules.next("nightly/1", 3);
    expect(next.map((date) => date.getTime())[0]).toBe(set.nextAtMs);
    expect(next).toHaveLength(3);
    expect(await schedules.list({ prefix: "night", limit: 5 })).toEqual({ schedules: [set], cursor: null });
    expect(await schedules.pause("nightly/1")).toMatchObject({ paused: true, nextAtMs: null });
    expect(await schedules.resume("nightly/1")).toMatchObject({ paused: false });
    expect(await schedules.get("nightly/1")).toEqual(set);
    await schedules.delete("nightly/1");
    expect(await schedules.get("nightly/1")).toBeNull();
    expect((await runtime.schedules.list()).schedules).toEqual([]);
  });

  it("is refused for options that make no sense, and for a name that there is not", async () => {
    const { schedules } = open().client;

    await expect(schedules.set("a", { workflow: "held", cron: 5, overlap: ["no"] } as never)).rejects.toMatchObject({
      details: { problems: ["`cron` is 5, not a text", "`overlap` is a list, not a text"] },
    });
    const overlap = { workflow: "held", cron: "@daily", overlap: "no" };
    await expect(schedules.set("a", overlap as never)).rejects.toMatchObject({
      code: "BODY_INVALID",
      details: { issues: [{ path: "overlap" }] },
    });
    await expect(schedules.set("a", undefined as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(schedules.pause("a")).rejects.toMatchObject({ code: "SCHEDULE_UNKNOWN", status: 404 });
    await expect(schedules.next("a", 0)).rejects.toMatchObject({ code: "QUERY_INVALID", status: 400 });
  });

  it("is not set on a server that lets no caller", async () => {
    const { schedules } = open({ schedules: false }).client;

    const set = schedules.set("a", { workflow: "report", input: { of: "x" }, cron: "0 3 * * *" });

    await expect(set).rejects.toMatchObject({ code: "METHOD_NOT_ALLOWED" });
  });
});
