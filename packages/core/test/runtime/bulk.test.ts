/** One action on all runs that match. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type BulkResult, createRuntime, memoryStore, type RunHandle } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  WorkflowError,
} from "../../src/index.js";
import { historyOf, Machine, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { text: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { ok: z.boolean() }) {}

/** `refund` fails while the bank is down; `ask` waits for a person; `quick` ends at once. */
function world() {
  const bank = { isDown: true, paid: [] as string[] };
  const flows = {
    refund: defineWorkflow("refund")
      .step("pay", { on: StartEvent, emits: StopEvent }, (_ev, ctx) => {
        bank.paid.push(ctx.runId);
        if (bank.isDown) throw new Error("bank is down");
        return new StopEvent({ result: "paid" });
      })
      .build(),
    ask: defineWorkflow("ask")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
        const { ok } = await ctx.waitForEvent(Answer, { prompt: new Ask({ text: "sure?" }) });
        return new StopEvent({ result: ok });
      })
      .build(),
    quick: defineWorkflow("quick")
      .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build(),
  };
  const machine = new Machine();
  return { bank, flows, machine, runtime: machine.open(flows).runtime };
}

type World = ReturnType<typeof world>;

async function failed({ runtime, bank, machine }: World, count: number, labels = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `r${String(index + 1).padStart(4, "0")}`);
  for (const runId of ids) {
    await rejection(runtime.run("refund", {}, { runId, labels }));
    await machine.clock.advance(1);
  }
  bank.paid.length = 0;
  return ids;
}

/** A job sleeps between its pages. */
async function ended({ machine }: World, job: RunHandle<BulkResult>): Promise<BulkResult> {
  let isOver = false;
  const result = job.finally(() => (isOver = true));
  while (!isOver) {
    await settle();
    if (!isOver) await machine.clock.advance(10);
  }
  return result;
}

describe("a job", () => {
  it("retries each failed run once, the oldest first, and says so in its progress", async () => {
    const here = world();
    const ids = await failed(here, 120);
    here.bank.isDown = false;
    const job = here.runtime.bulk({ action: "retry", where: { status: "failed" }, by: { door: "http", user: "ada" } });
    expect(await ended(here, job)).toEqual({
      ...{ action: "retry", matched: 120, done: 120, skipped: 0, failed: 0, codes: {}, problems: [] },
    });
    expect([...here.bank.paid].sort()).toEqual(ids);
    const progress = [];
    for await (const { event } of here.runtime.handle(job.runId).streamEvents())
      if (event.type === "millrace.bulk.progress") progress.push((event as unknown as { done: number }).done);
    expect(progress).toEqual([0, 50, 100, 120]);
    const { entries } = await here.runtime.audit.list({ action: "retry", limit: 1_000 });
    expect(new Set(entries.map(({ by }) => by.user))).toEqual(new Set(["ada"]));
    expect(entries).toHaveLength(120);
  });

  it("does not come back to a run that fails again", async () => {
    const here = world();
    const ids = await failed(here, 60);
    const job = here.runtime.bulk({ action: "retry", where: { status: "failed" } });
    expect(await ended(here, job)).toMatchObject({ done: 60, failed: 0 });
    await settle();
    expect([...here.bank.paid].sort()).toEqual(ids);
  });

  // temporalio/temporal#1522: a selection by time
  it("leaves out runs that were started after it, or had failed after it", async () => {
    const here = world();
    await failed(here, 2);
    const late = here.runtime.run("ask", {}, { runId: "late" });
    await late.idle();
    const job = here.runtime.bulk({ action: "cancel", where: { createdBefore: here.machine.clock.now() + 1_000_000 } });
    await here.machine.clock.advance(1);
    here.runtime.run("ask", {}, { runId: "later" });
    expect(await ended(here, job)).toMatchObject({ matched: 1, done: 1 });
    expect((await here.runtime.handle("later").summary()).status).toBe("waiting");
  });

  it("acts on the runs of a workflow, a label and a tenant only, and never on jobs", async () => {
    const here = world();
    await failed(here, 3, { team: "berlin" });
    const other = here.runtime.run("refund", {}, { runId: "other", tenant: "t", labels: { team: "berlin" } });
    await rejection(other);
    const where = { status: "failed", workflow: "refund", labels: { team: "berlin" } } as const;
    expect(await here.runtime.matching({ action: "retry", where })).toEqual({ count: 3, isAll: true });
    expect(await here.runtime.matching({ action: "retry", where, most: 2 })).toEqual({ count: 2, isAll: false });
    expect(await here.runtime.matching({ action: "retry", where: { ...where, workflows: ["ask"] } })).toEqual({
      ...{ count: 0, isAll: true },
    });
    expect(await ended(here, here.runtime.bulk({ action: "retry", where, tenant: "t" }))).toMatchObject({ done: 1 });
    const all = { createdBefore: here.machine.clock.now() + 1 };
    expect(await ended(here, here.runtime.bulk({ action: "delete", where: all }))).toMatchObject({ done: 3 });
    const left = await here.runtime.runs();
    expect(left.runs.map(({ workflow }) => workflow)).toEqual(["millrace.bulk"]);
  });

  it("skips what has ended meanwhile, and says why", async () => {
    const here = world();
    const runs = ["a", "b", "c"].map((runId) => here.runtime.run("ask", {}, { runId }));
    for (const run of runs) await run.idle();
    const done = here.runtime.run("quick", {}, { runId: "d" });
    await done;
    const job = here.runtime.bulk({ action: "cancel", runIds: ["a", "d", "c", "gone"], reason: "out of stock" });
    const result = await ended(here, job);
    expect(result).toMatchObject({
      matched: 4,
      done: 2,
      skipped: 2,
      failed: 0,
      codes: { RUN_FINISHED: 1, RUN_UNKNOWN: 1 },
    });
    expect(result.problems.map(({ runId }) => runId).sort()).toEqual(["d", "gone"]);
    expect(await here.runtime.handle("a").outcome()).toEqual({ status: "cancelled", reason: "out of stock" });
    expect((await here.runtime.handle("b").summary()).status).toBe("waiting");
  });

  it("cancels runs that wait for a place of their queue, and begins none of them", async () => {
    const here = world();
    const { runtime } = here.machine.open(here.flows, { queues: { letters: { concurrency: 1 } } });
    await runtime.queues.pause("letters");
    await runtime.run("ask", {}, { runId: "waits" }).idle();
    await runtime.run("refund", {}, { runId: "queued", queue: "letters" }).accepted;
    expect((await runtime.handle("queued").summary()).status).toBe("queued");

    const result = await ended(here, runtime.bulk({ action: "cancel", where: { status: "queued" } }));

    expect(result).toMatchObject({ matched: 1, done: 1 });
    expect(await runtime.handle("queued").outcome()).toMatchObject({ status: "cancelled" });
    expect((await runtime.handle("waits").summary()).status).toBe("waiting");
    expect(here.bank.paid).toEqual([]);
  });

  it("answers with a Date where the answer of a question, an event or a child has one", async () => {
    class When extends InputRequiredEvent.define("When", {}) {}
    class Then extends HumanResponseEvent.define("Then", { on: z.date(), note: z.string() }) {}
    const asking = defineWorkflow("asking")
      .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const schema = { on: z.date(), note: z.string() };
        return new StopEvent({ result: await ctx.ask({ title: "When?", schema }) });
      })
      .build();
    const waiting = defineWorkflow("waiting")
      .step("wait", { on: StartEvent, emits: StopEvent, waits: Then, streams: When }, async (_ev, ctx) => {
        const { on, note } = await ctx.waitForEvent(Then, { prompt: new When({}) });
        return new StopEvent({ result: { on, note } });
      })
      .build();
    const outer = defineWorkflow("outer", { children: { waiting } })
      .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        return new StopEvent({ result: await ctx.runChild("waiting", {}) });
      })
      .build();
    const here = world();
    const { runtime } = here.machine.open({ asking, waiting, outer });
    const runs = (["asking", "waiting", "outer"] as const).map((name) => runtime.run(name, {}, { runId: name }));
    for (const run of runs) await run.idle();
    const fields = { on: "2026-11-29T14:30:00+01:00", note: "2026-11-29" };

    const result = await ended(here, runtime.bulk({ action: "answer", where: { status: "waiting" }, fields }));

    expect(result).toMatchObject({ done: 3, failed: 0 });
    const on = new Date("2026-11-29T13:30:00Z");
    for (const run of runs) expect(await run).toEqual({ on, note: "2026-11-29" });
  });

  it("resumes, answers and deletes", async () => {
    const here = world();
    const ids = ["a", "b", "c"];
    for (const runId of ids) await here.runtime.run("ask", {}, { runId }).idle();
    await ended(here, here.runtime.bulk({ action: "cancel", where: { workflow: "ask" } }));
    expect(await ended(here, here.runtime.bulk({ action: "resume", where: { workflow: "ask" } }))).toMatchObject({
      ...{ matched: 3, done: 3 },
    });
    await settle();
    const refused = here.runtime.bulk({ action: "answer", where: { workflow: "ask" }, fields: { ok: "maybe" } });
    expect(await ended(here, refused)).toMatchObject({ failed: 3, codes: { EVENT_INVALID: 3 } });
    const none = here.runtime.bulk({ action: "answer", where: { workflow: "ask" }, prompt: "Other" });
    expect(await ended(here, none)).toMatchObject({ skipped: 3, codes: { PROMPT_CLOSED: 3 } });
    const by = { door: "studio", user: "eve" };
    const yes = here.runtime.bulk({ action: "answer", where: { status: "waiting" }, fields: { ok: true }, by });
    expect(await ended(here, yes)).toMatchObject({ done: 3 });
    for (const runId of ids) expect(await here.runtime.handle(runId)).toBe(true);
    const { entries } = await here.runtime.audit.list({ action: "answer" });
    expect(entries.map((entry) => entry.by)).toEqual([by, by, by]);
    expect(await ended(here, here.runtime.bulk({ action: "delete", where: { workflow: "ask" } }))).toMatchObject({
      done: 3,
    });
    expect(await rejection(here.runtime.handle("a").summary())).toMatchObject({ code: "RUN_UNKNOWN" });
  });

  it("resumes the runs that another job has cancelled, and no others", async () => {
    const here = world();
    const { runtime } = here;
    const idsOf = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index}`);
    const ids = idsOf("a", 60);
    for (const runId of [...ids, "before", "own"])
      await runtime.run("ask", {}, { runId, labels: { team: "x" } }).idle();
    await runtime.run("ask", {}, { runId: "foreign", tenant: "t" }).idle();
    await runtime.handle("before").cancel();
    await here.machine.clock.advance(1);
    const where = { status: "waiting", labels: { team: "x" }, createdBefore: here.machine.clock.now() + 1 } as const;
    const own = runtime.handle("own");
    await own.answer((await own.prompts())[0]?.promptId as string, { ok: true });
    const cancel = runtime.bulk({ action: "cancel", where, runId: "job" });
    expect(await ended(here, cancel)).toMatchObject({ done: 60 });
    await here.machine.clock.advance(90_000);
    await runtime.resume("a7").idle();
    await runtime.resume("a8").idle();
    await runtime.handle("a8").cancel("by a person, later");

    expect(await runtime.matching({ action: "resume", cancelledBy: "job" })).toEqual({ count: 58, isAll: true });
    expect(await runtime.matching({ action: "resume", cancelledBy: "job", where: { workflows: ["refund"] } })).toEqual({
      ...{ count: 0, isAll: true },
    });
    const undo = runtime.bulk({ action: "resume", cancelledBy: "job" });
    expect(await ended(here, undo)).toMatchObject({ matched: 58, done: 58, skipped: 0, failed: 0 });
    const counts = await runtime.counts({ workflow: "ask" });
    expect(Object.fromEntries(counts.map(({ status, count }) => [status, count]))).toEqual({
      ...{ waiting: 59, cancelled: 2, completed: 1 },
    });
    expect(await runtime.matching({ action: "resume", cancelledBy: "job" })).toEqual({ count: 0, isAll: true });
  });

  it("resumes the named runs that a stopped job has cancelled so far", async () => {
    const here = world();
    const { runtime } = here;
    for (const runId of ["a", "b", "c"]) await runtime.run("ask", {}, { runId }).idle();
    const cancel = runtime.bulk({ action: "cancel", runIds: ["a", "b", "c"], perSecond: 1, runId: "job" });
    const stopped = expect(cancel).rejects.toMatchObject({ code: "RUN_CANCELLED" });
    await expect
      .poll(async () => {
        await here.machine.clock.advance(10);
        return (await runtime.handle("a").summary()).status;
      })
      .toBe("cancelled");
    await cancel.cancel();
    await stopped;

    const { count } = await runtime.matching({ action: "resume", cancelledBy: "job" });
    expect(count).toBeLessThan(3);
    expect(await ended(here, runtime.bulk({ action: "resume", cancelledBy: "job" }))).toMatchObject({ done: count });
    expect((await runtime.handle("a").summary()).status).toBe("waiting");
  });

  it("says what is no job that cancels", async () => {
    const here = world();
    const { runtime } = here;
    await runtime.run("quick", {}, { runId: "quick" });
    await ended(here, runtime.bulk({ action: "delete", runIds: ["quick"], runId: "deletes" }));
    for (const cancelledBy of ["quick", "deletes", "none"]) {
      await expect(runtime.matching({ action: "resume", cancelledBy })).rejects.toMatchObject({
        code: "OPTION_INVALID",
      });
      await expect(runtime.bulk({ action: "resume", cancelledBy })).rejects.toMatchObject({
        message: expect.stringContaining("not a job of `cancel`"),
      });
    }
    const wrong = { action: "retry", cancelledBy: "", runIds: ["a"], where: { status: "failed" } } as never;
    expect(() => runtime.bulk(wrong)).toThrow(
      /`cancelledBy` is only for `resume`; `cancelledBy` excludes `runIds`; `cancelledBy` excludes `where.status`; .*`cancelledBy`/,
    );
  });

  it("skips a run with several open prompts", async () => {
    const here = world();
    const two = defineWorkflow("two")
      .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const schema = { ok: z.boolean() };
        const both = ["one", "two"].map((title) => ctx.ask({ title, schema, key: title }));
        return new StopEvent({ result: await Promise.all(both) });
      })
      .build();
    const { runtime } = here.machine.open({ two });
    await runtime.run("two", {}, { runId: "x" }).idle();
    const job = runtime.bulk({ action: "answer", where: { workflow: "two" }, fields: { ok: true } });
    expect(await ended(here, job)).toMatchObject({ skipped: 1, codes: { PROMPT_CLOSED: 1 } });
  });

  // felixmosh/bull-board#155, OptimalBits/bull#352: not all at the same time
  it("acts on no more runs per second than it may", async () => {
    const here = world();
    await failed(here, 30);
    here.bank.isDown = false;
    const startedAtMs = here.machine.clock.now();
    await ended(here, here.runtime.bulk({ action: "retry", where: { status: "failed" }, perSecond: 10 }));
    expect(here.machine.clock.now() - startedAtMs).toBeGreaterThanOrEqual(2_000);
  });

  it("stops when it is cancelled, and does the rest when it is resumed", async () => {
    const here = world();
    await failed(here, 40);
    here.bank.isDown = false;
    const job = here.runtime.bulk({ action: "retry", where: { status: "failed" }, perSecond: 10, runId: "job" });
    await here.machine.clock.advance(1_500);
    await settle();
    await here.runtime.handle("job").cancel();
    expect(await rejection(job)).toMatchObject({ code: "RUN_CANCELLED" });
    const before = here.bank.paid.length;
    expect(before).toBeGreaterThanOrEqual(10);
    expect(before).toBeLessThan(40);
    await here.machine.clock.advance(60_000);
    expect(here.bank.paid).toHaveLength(before);
    const again = here.runtime.resume<BulkResult>("job");
    expect(await ended(here, again)).toMatchObject({ matched: 40, done: 40, skipped: 0 });
    expect(new Set(here.bank.paid).size).toBe(40);
    expect(here.bank.paid).toHaveLength(40);
  });

  it("continues in another process at the page where the first one died", async () => {
    const here = world();
    await failed(here, 100);
    here.bank.isDown = false;
    await here.runtime.stop();
    for (const diesAt of [3, 12, 25, 40, 60]) {
      const process = here.machine.open(here.flows, { diesAt, leaseMs: 1_000 });
      process.runtime.start().catch(() => {});
      process.runtime.bulk({ action: "retry", where: { status: "failed" }, runId: "job" }).catch(() => {});
      await Promise.race([process.death, here.machine.clock.advance(200)]);
      process.kill();
      await here.machine.clock.advance(5_000);
    }
    const { runtime } = here.machine.open(here.flows, { leaseMs: 1_000 });
    runtime.start().catch(() => {});
    const result = await ended({ ...here }, runtime.handle<BulkResult>("job"));
    expect(result).toMatchObject({ matched: 100, done: 100, skipped: 0, failed: 0 });
    for (let index = 1; index <= 100; index++) {
      const runId = `r${String(index).padStart(4, "0")}`;
      await runtime.handle(runId);
      const retries = (await historyOf(runtime, runId)).filter(({ tick }) => tick.type === "run.retried");
      expect(retries, runId).toHaveLength(1);
    }
  });

  it("reports a run whose workflow its process does not have, and goes on", async () => {
    const here = world();
    await failed(here, 2);
    await here.runtime.stop();
    const { refund: _, ...others } = here.flows;
    const { runtime } = here.machine.open(others);
    const job = runtime.bulk({ action: "retry", where: { status: "failed" } });
    expect(await ended(here, job)).toMatchObject({ failed: 2, codes: { WORKFLOW_UNKNOWN: 2 } });
  });

  it("does not wait for ever for a process that has a run and says nothing", async () => {
    const here = world();
    for (const runId of ["a", "b"]) await here.runtime.run("ask", {}, { runId }).idle();
    await here.runtime.stop();
    const nowMs = here.machine.clock.now();
    const ghost = { owner: "ghost", nowMs, untilMs: nowMs + 3_600_000 };
    expect(await here.machine.store.claim({ tenant: "", runId: "a" }, ghost)).not.toBeNull();
    const { runtime } = here.machine.open(here.flows);
    const job = runtime.bulk({ action: "cancel", where: { workflow: "ask" } });
    await settle();
    await here.machine.clock.advance(60_000);
    expect(await ended(here, job)).toMatchObject({ done: 1, failed: 1, codes: { CALL_TIMEOUT: 1 } });
  });

  it("waits for a store that cannot be reached, instead of reporting its runs", async () => {
    const here = world();
    await failed(here, 3);
    await here.runtime.stop();
    here.bank.isDown = false;
    let refusals = 0;
    const store = withMethods(here.machine.store, {
      post: async (...args) => {
        if (refusals++ < 5) throw new WorkflowError({ code: "STORE_UNREACHABLE", message: "away", hint: "Wait." });
        return here.machine.store.post(...args);
      },
    });
    const { runtime } = here.machine.open(here.flows, { store });
    const job = runtime.bulk({ action: "retry", where: { status: "failed" } });
    expect(await ended(here, job)).toMatchObject({ matched: 3, done: 3, failed: 0 });
    expect(refusals).toBeGreaterThan(5);
  });
});

describe("at the door", () => {
  it.each([
    [
      { action: "stop", where: { status: "failed" } },
      '`action` is "stop", none of retry, resume, cancel, answer, delete',
    ],
    // triggerdotdev/trigger.dev#4105: no condition would be all runs
    [{ action: "cancel", where: {} }, "`where` has no condition"],
    [{ action: "cancel", where: { labels: {}, search: " " } }, "`where` has no condition"],
    [{ action: "cancel" }, "exactly one of `where` and `runIds` is needed"],
    [{ action: "cancel", where: { status: "failed" }, runIds: ["a"] }, "exactly one of"],
    [{ action: "cancel", runIds: [] }, "`runIds` has 0 ids; it must have 1 to 1000"],
    // temporalio/temporal#9782: a malformed condition, and a job that hangs
    [{ action: "delete", where: { status: "()" } }, '`status` is "()", not one of'],
    [{ action: "delete", where: { createdAfter: Number.NaN } }, "no point in time"],
    [{ action: "delete", where: { limit: 3 } }, "`where` has no condition `limit`"],
    [{ action: "delete", where: { status: "failed" }, reason: "x" }, "`reason` is only for `cancel`"],
    [{ action: "cancel", where: { status: "failed" }, fields: {} }, "`fields` is only for `answer`"],
    [{ action: "retry", where: { status: "failed" }, perSecond: 0 }, "`perSecond` is 0"],
  ])("%j is refused", async (options, problem) => {
    const { runtime } = world();
    const error = await rejection(Promise.resolve().then(() => runtime.bulk(options as never)));
    expect(error).toMatchObject({ code: "OPTION_INVALID" });
    expect(error.message).toContain(problem);
  });

  it("all problems are named at once, and unknown options, too", async () => {
    const { runtime } = world();
    const error = await rejection(
      Promise.resolve().then(() => runtime.bulk({ action: "x", where: {}, perSecond: 0 } as never)),
    );
    expect(error.details?.["problems"]).toHaveLength(3);
    const unknown = await rejection(
      Promise.resolve().then(() => runtime.bulk({ action: "retry", status: "failed" } as never)),
    );
    expect(unknown).toMatchObject({ code: "OPTION_INVALID" });
  });

  it("a second start of a job with its id is that job", async () => {
    const here = world();
    await failed(here, 2);
    const options = { action: "retry", where: { status: "failed" }, runId: "job" } as const;
    const both = [here.runtime.bulk(options), here.runtime.bulk(options)];
    for (const job of both) expect(await ended(here, job)).toMatchObject({ done: 2 });
    expect(here.bank.paid).toHaveLength(2);
    const other = here.runtime.bulk({ ...options, perSecond: 7 });
    expect(await rejection(other)).toMatchObject({ code: "RUN_ID_CONFLICT" });
  });

  it("a store whose runs are elsewhere has no jobs", async () => {
    const store = withMethods(memoryStore(), { runsElsewhere: true } as never);
    const runtime = createRuntime({ workflows: world().flows, store });
    const call = Promise.resolve().then(() => runtime.bulk({ action: "retry", where: { status: "failed" } }));
    expect(await rejection(call)).toMatchObject({ code: "OPTION_INVALID" });
  });

  it("the name of the workflow of jobs is taken", async () => {
    const { machine, flows } = world();
    const error = await rejection(Promise.resolve().then(() => machine.open({ "millrace.bulk": flows.quick })));
    expect(error.message).toContain('"millrace.bulk" is reserved');
  });
});
