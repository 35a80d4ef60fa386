/** Messages to runs whose time or turn is to come, and to runs that have ended. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { historyOf, Machine, state } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}

const queues = { line: { concurrency: 1 } };

/** Fails while it is told to; then it waits for a poke. */
function open({ fails = false, isQueued = false } = {}) {
  const control = { fails, began: [] as string[] };
  const poked = defineWorkflow("poked")
    .step("work", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_ev, ctx) => {
      control.began.push(ctx.runId);
      if (control.fails) throw new Error("no luck");
      const { n } = isQueued ? { n: await work() } : await ctx.waitForEvent(Poke);
      return new StopEvent({ result: n });
    })
    .build();
  let finish: (n: number) => void = () => {};
  const work = () => new Promise<number>((resolve) => void (finish = resolve));
  const machine = new Machine();
  const flows = { poked };
  const process = (options: object = {}) => machine.open(flows, { queues, ...options }).runtime;
  return { machine, control, process, finish: (n: number) => finish(n) };
}

const typesOf = async (runtime: ReturnType<ReturnType<typeof open>["process"]>, runId = "one") =>
  (await historyOf(runtime as never, runId)).map(({ tick }) => tick.type);

describe("a run in the line of a full queue", () => {
  async function full() {
    const opened = open({ isQueued: true });
    const worker = opened.process();
    await worker.start();
    await worker.run("poked", {}, { runId: "first", queue: "line" }).accepted;
    await settle();
    await worker.run("poked", {}, { runId: "second", queue: "line" }).accepted;
    await settle();
    expect(opened.control.began).toEqual(["first"]);
    return { ...opened, worker, web: opened.process({ execute: false }) };
  }

  // plynx-team/plynx#59, enso-org/enso#4744: the request waited for a free worker.
  it("is cancelled at once, also from a process that executes nothing", async () => {
    const { web } = await full();

    expect(await state(web.handle("second").cancel("enough"))).toMatchObject({ value: { status: "accepted" } });
    expect(await rejection(web.handle("second"))).toMatchObject({ code: "RUN_CANCELLED" });
  });

  // z80dev/lemon#80: the cancelled work began when a slot was free.
  it("does not begin once it is cancelled, and leaves the place to the next", async () => {
    const { web, worker, control, finish } = await full();
    await worker.run("poked", {}, { runId: "third", queue: "line" }).accepted;
    await web.handle("second").cancel();
    finish(1);
    await settle();

    expect(control.began).toEqual(["first", "third"]);
  });

  // rails/mission_control-jobs#317: a retry ignored the limit.
  it("that is retried stands in line again", async () => {
    const { machine, control, web, worker, finish } = await full();
    control.fails = true;
    finish(1);
    expect((await rejection(worker.handle("second"))).message).toBe("no luck");
    control.fails = false;
    control.began.length = 0;
    await worker.run("poked", {}, { runId: "third", queue: "line" }).accepted;
    await settle();
    await web.retry("second").accepted;
    await machine.clock.advance(30_000);
    expect(control.began).toEqual(["third"]);

    finish(3);
    await settle();
    expect(control.began).toEqual(["third", "second"]);
    finish(2);
    expect(await worker.handle("second")).toBe(2);
  });
});

describe("a run that has ended", () => {
  async function cancelled() {
    const opened = open();
    const worker = opened.process();
    await worker.start();
    await worker.run("poked", {}, { runId: "one" }).idle();
    await worker.handle("one").cancel();
    await settle();
    return { ...opened, worker, web: opened.process({ execute: false }) };
  }

  // cschleiden/go-workflows#137: the second signal set the state back.
  it("stays as it is, whatever comes", async () => {
    const { machine, web, worker } = await cancelled();
    const before = await machine.row("one");
    for (const key of ["a", "b"]) {
      expect(await web.handle("one").sendEvent(new Poke({ n: 1 }), { key })).toMatchObject({ code: "RUN_FINISHED" });
      expect(await web.handle("one").cancel("again", { key })).toMatchObject({ code: "RUN_FINISHED" });
      expect(await rejection(web.retry("one", { key }).accepted)).toMatchObject({ code: "RUN_NOT_RETRYABLE" });
    }

    expect(await machine.row("one")).toEqual(before);
    expect(await typesOf(worker)).not.toContain("run.retried");
  });

  const posted = (kind: string, idempotencyKey: string | null = null) => ({
    idempotencyKey,
    atMs: 1,
    text: JSON.stringify({ kind, ...(kind === "cancel" && { reason: { json: null } }) }),
    urgent: true,
  });

  // langgenius/dify#40905: a cancellation from before stopped the run that was resumed.
  it("is resumed by a request, and not cancelled by what was posted before it", async () => {
    const { machine, worker, web } = await cancelled();
    const key = { tenant: "", runId: "one" };
    await Promise.all(["cancel", "retry", "resume"].map((kind) => machine.store.post(key, posted(kind, kind))));
    await settle();

    expect(await web.handle("one").idle()).toMatchObject({ status: "waiting" });
    expect(await machine.store.posts(key)).toEqual([]);
    expect(await machine.store.receipt(key, "cancel")).toContain("RUN_FINISHED");
    expect(await machine.store.receipt(key, "retry")).toContain("RUN_NOT_RETRYABLE");
    expect((await typesOf(worker)).filter((type) => type === "run.resumed")).toHaveLength(1);
  });

  it("is cancelled again by what was posted after the request to resume it", async () => {
    const { machine, web } = await cancelled();
    const key = { tenant: "", runId: "one" };
    await Promise.all(["resume", "cancel"].map((kind) => machine.store.post(key, posted(kind, kind))));
    await settle();

    expect((await web.handle("one").summary()).status).toBe("cancelled");
    expect(await machine.store.posts(key)).toEqual([]);
    expect(await machine.store.receipt(key, "cancel")).toContain("accepted");
  });

  // dbos-inc/dbos-transact-py#767: a cancellation that came with the end was lost without a word.
  it("answers a cancellation that was posted before the end, and found it ended", async () => {
    const { machine, worker, web } = await cancelled();
    await machine.store.post({ tenant: "", runId: "one" }, posted("cancel", "cancel x"));
    await settle();

    expect(await web.handle("one").cancel("", { key: "x" })).toMatchObject({ code: "RUN_FINISHED" });
    expect((await typesOf(worker)).filter((type) => type === "run.cancelled")).toHaveLength(1);
  });

  it("that ends while it is asked to go on does so after its end", async () => {
    const { machine, control, process } = open({ fails: true });
    const worker = process();
    await worker.start();
    const run = worker.run("poked", {}, { runId: "one" });
    run.catch(() => {});
    await rejection(run);
    control.fails = false;
    const asked = process({ execute: false }).retry("one").accepted; // its row may not say yet that it has ended
    await machine.clock.advance(30_000);

    await asked;
    expect(await state(worker.handle("one").idle())).toMatchObject({ value: { status: "waiting" } });
  });
});

it("a message of a newer version is refused, and does not keep an ended run busy", async () => {
  const { machine, process } = open();
  const worker = process();
  await worker.start();
  const run = worker.run("poked", {}, { runId: "one" });
  await run.idle();
  await run.cancel();
  await settle();
  const key = { tenant: "", runId: "one" };
  await machine.store.post(key, { idempotencyKey: "k", atMs: 1, text: '{"kind":"rewind"}', urgent: true });
  await machine.clock.advance(30_000);

  expect(await machine.store.posts(key)).toEqual([]);
  expect(await machine.store.receipt(key, "k")).toContain("RUN_FINISHED");
});
