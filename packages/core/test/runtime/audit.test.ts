/** Who did what: in the journal of each run, and over all runs. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, promptIds } from "../support/processes.js";
import { rejection } from "../support/runs.js";

class Ask extends InputRequiredEvent.define("Ask", { text: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}

const flows = () => ({
  ask: defineWorkflow("ask")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({ text: "sure?" }) });
      if (text === "break") throw new Error("broken");
      return new StopEvent({ result: text });
    })
    .build(),
});

const by = (user: string, door = "http") => ({ by: { user, door } });

async function asked(runId = "r") {
  const machine = new Machine();
  const { runtime } = machine.open(flows());
  const run = runtime.run("ask", {}, { runId, ...by("ada") });
  await run.idle();
  return { machine, runtime, run, promptId: (await promptIds(run))[0] as string };
}

type Asked = Awaited<ReturnType<typeof asked>>;

async function actions({ runtime }: Pick<Asked, "runtime">, filter = {}): Promise<string[]> {
  const { entries } = await runtime.audit.list(filter);
  return entries.map(({ action, by: { user, door }, runId }) => `${action} ${runId} ${user} ${door}`);
}

describe("the journal says who", () => {
  it("started, cancelled, resumed, answered, retried and forked a run", async () => {
    const { runtime, run, promptId } = await asked();
    await run.cancel("stop", by("bob"));
    await runtime.resume("r", by("cid")).idle();
    await run.answer(promptId, { text: "break" }, by("dan", "chat"));
    await expect(run).rejects.toThrow("broken");
    await runtime.retry("r", by("eve")).idle();
    const fork = runtime.fork("r", { at: 1, runId: "f", ...by("fay") });
    await fork.idle();

    const done = [];
    for await (const { tick } of runtime.history("r")) if ("by" in tick) done.push([tick.type, tick.by?.user]);
    expect(done).toEqual([
      ["run.started", "ada"],
      ["run.cancelled", "bob"],
      ["run.resumed", "cid"],
      ["event.received", "dan"],
      ["run.retried", "eve"],
    ]);
    for await (const { tick } of runtime.history("f")) {
      expect(tick).toMatchObject({ type: "run.forked", by: { user: "fay", door: "http" } });
      break;
    }
    expect(await actions({ runtime })).toEqual([
      "fork f fay http",
      "retry r eve http",
      "answer r dan chat",
      "resume r cid http",
      "cancel r bob http",
      "start r ada http",
    ]);
  });
});

describe("the audit", () => {
  it("keeps who deleted a run, and no entry of a deletion that was refused", async () => {
    const { runtime, run } = await asked();
    expect(await rejection(runtime.delete("other", by("mal")))).toMatchObject({ code: "RUN_UNKNOWN" });
    await run.cancel();
    await runtime.delete("r", by("bob"));
    expect(await actions({ runtime })).toEqual(["delete r bob http", "start r ada http"]);
  });

  it("has one entry of two answers to one prompt, and none of a second start", async () => {
    const { runtime, run, promptId } = await asked();
    await Promise.all([
      run.answer(promptId, { text: "yes" }, by("bob")),
      run.answer(promptId, { text: "no" }, by("cid")),
    ]);
    await runtime.run("ask", {}, { runId: "r", ...by("mal") });
    expect(await actions({ runtime })).toEqual(["answer r bob http", "start r ada http"]);
  });

  it("has entries of starts that begin later, in a queue, or once per key", async () => {
    const { runtime } = new Machine().open(flows(), { queues: { line: { concurrency: 1 } } });
    await runtime.run("ask", {}, { runId: "later", startAt: 1e12, ...by("ada") }).accepted;
    await runtime.run("ask", {}, { runId: "queued", queue: "line", ...by("bob") }).accepted;
    const once = runtime.run("ask", {}, { dedupe: { key: "k", for: "1h" }, ...by("cid") });
    await once.accepted;
    await runtime.run("ask", {}, { dedupe: { key: "k", for: "1h" }, ...by("mal") }).accepted;
    await runtime.handle("queued").idle();
    const all = ["start later ada http", "start queued bob http", `start ${once.runId} cid http`];
    expect((await actions({ runtime })).sort()).toEqual(all.sort());
  });

  it("finds by user, door, action, run and workflow, of one tenant, in pages", async () => {
    const { runtime, run, promptId } = await asked();
    await run.answer(promptId, { text: "yes" }, by("bob", "chat"));
    await runtime.run("ask", {}, { runId: "s", tenant: "acme", ...by("bob") }).idle();
    expect(await actions({ runtime }, { user: "bob" })).toEqual(["answer r bob chat"]);
    expect(await actions({ runtime }, { door: "http" })).toEqual(["start r ada http"]);
    expect(await actions({ runtime }, { action: "answer", runId: "r" })).toEqual(["answer r bob chat"]);
    expect(await actions({ runtime }, { workflows: ["other"] })).toEqual([]);
    expect(await actions({ runtime }, { tenant: "acme" })).toEqual(["start s bob http"]);
    const first = await runtime.audit.list({ limit: 1 });
    expect(first.entries).toHaveLength(1);
    const rest = await runtime.audit.list({ limit: 1, cursor: first.cursor as string });
    expect([rest.entries[0]?.action, rest.cursor]).toEqual(["start", null]);
    expect(await rejection(runtime.audit.list({ action: "read" as never }))).toMatchObject({ code: "OPTION_INVALID" });
  });

  it("has no entry of what a program does itself, and deletes old ones", async () => {
    const { machine, runtime, run, promptId } = await asked();
    await run.answer(promptId, { text: "yes" });
    expect(await actions({ runtime })).toEqual(["start r ada http"]);
    expect(await runtime.audit.delete({ olderThan: "1h" })).toBe(0);
    await machine.clock.advance(3_600_001);
    expect(await runtime.audit.delete({ olderThan: "1h" })).toBe(1);
    expect(await actions({ runtime })).toEqual([]);
  });

  it("refuses who is no name", async () => {
    const { runtime, run } = await asked();
    const wrong = { by: { user: "", door: "http", role: "admin" } } as never;
    const refused = { code: "OPTION_INVALID" };
    expect(await rejection(run.cancel("stop", wrong))).toMatchObject(refused);
    expect(await rejection(runtime.delete("r", wrong))).toMatchObject(refused);
    for (const call of [
      () => runtime.run("ask", {}, wrong),
      () => runtime.resume("r", wrong),
      () => runtime.retry("r", wrong),
      () => runtime.fork("r", { at: 1, ...(wrong as object) }),
    ])
      expect(call).toThrow(/by\.user.*is empty.*no field "role"/s);
  });
});
