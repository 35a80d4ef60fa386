/** Runs that begin by the calendar: set, read, paused, and started once by whichever process is there. */
import { describe, expect, it } from "vitest";
import { Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { DAY, Done, HOUR, MINUTE, scheduled, startedAt, startedIds } from "../support/scheduled.js";
import { settle } from "../support/virtual-clock.js";

/** A process that looks seldom: a day of virtual time has few steps. */
const calm = { leaseMs: 12 * HOUR };
const nightly = { cron: "0 3 * * *", workflow: "report", input: { of: "the day" } } as const;

describe("a schedule", () => {
  it("starts a run at its time, with an id that says which occurrence it is", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled, calm);
    const set = await runtime.schedules.set("nightly", { ...nightly, labels: { team: "ops" }, timeout: "1h" });
    expect(set).toEqual({
      name: "nightly",
      tenant: "",
      cron: "0 3 * * *",
      timezone: "UTC",
      workflow: "report",
      start: { type: "Report", value: { of: "the day" } },
      edited: null,
      overlap: "skip",
      catchUp: "last",
      queue: null,
      paused: false,
      nextAtMs: Date.UTC(2030, 0, 1, 3),
      last: null,
      queuedAtMs: [],
      skips: [],
    });

    await machine.clock.advance(3 * HOUR - 1);
    expect(await startedIds(runtime)).toEqual([]);
    await machine.clock.advance(1);
    const runId = "nightly@2030-01-01T03:00:00.000Z";
    expect(await runtime.handle(runId)).toBe("report of the day");
    expect(await runtime.handle(runId).summary()).toMatchObject({ labels: { schedule: "nightly", team: "ops" } });
    expect(await runtime.schedules.get("nightly")).toMatchObject({
      last: { atMs: Date.UTC(2030, 0, 1, 3), runId },
      nextAtMs: Date.UTC(2030, 0, 2, 3),
    });

    await machine.clock.advance(2 * DAY);
    expect(await startedAt(runtime)).toEqual(["01-01 03:00", "01-02 03:00", "01-03 03:00"]);
  });

  it("is started once by many processes, and goes on when the one that set it is gone", async () => {
    const machine = new Machine();
    const processes = [1, 2, 3, 4].map(() => machine.open(scheduled, calm));
    for (const { runtime } of processes) await runtime.start();
    for (const { runtime } of processes) await runtime.schedules.set("nightly", nightly);
    const [first, second] = processes;

    await machine.clock.advance(DAY);
    first?.kill();
    await machine.clock.advance(DAY);
    expect(await startedAt(second?.runtime as never)).toEqual(["01-01 03:00", "01-02 03:00"]);
    expect(processes.flatMap(({ log }) => log.lines)).toEqual([]);
  });

  it.each([1, 2, 3, 4])("is started once where the process dies with its commit %i", async (diesAt) => {
    const machine = new Machine();
    const mortal = machine.open(scheduled, { diesAt, leaseMs: 60_000 });
    await mortal.runtime.schedules.set("nightly", nightly);
    await machine.clock.advance(3 * HOUR);
    const { runtime } = machine.open(scheduled);
    await runtime.start();
    await machine.clock.advance(2 * MINUTE);

    expect(await runtime.handle("nightly@2030-01-01T03:00:00.000Z")).toBe("report of the day");
    expect(await startedAt(runtime)).toEqual(["01-01 03:00"]);
  });

  it("belongs to a tenant, whose runs it starts", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    for (const tenant of ["", "acme", "b"]) await runtime.schedules.set("nightly", { ...nightly, tenant });
    await runtime.schedules.delete("nightly", { tenant: "b" });

    await machine.clock.advance(3 * HOUR);
    const ids = ["nightly@2030-01-01T03:00:00.000Z"];
    expect(await startedIds(runtime)).toEqual(ids);
    expect(await startedIds(runtime, "acme")).toEqual(ids);
    expect(await startedIds(runtime, "b")).toEqual([]);
  });

  it("is listed in pages, and a process hears of one that another has set", async () => {
    const machine = new Machine();
    const [worker, other] = [machine.open(scheduled), machine.open(scheduled)];
    await worker.runtime.start();
    for (const name of ["b", "a", "c"]) await other.runtime.schedules.set(name, nightly);
    other.kill();

    const page = await worker.runtime.schedules.list({ limit: 2 });
    expect(page.schedules.map(({ name }) => name)).toEqual(["a", "b"]);
    const rest = await worker.runtime.schedules.list({ limit: 2, cursor: page.cursor as string });
    expect(rest).toMatchObject({ schedules: [{ name: "c" }], cursor: null });
    expect((await worker.runtime.schedules.list({ prefix: "b" })).schedules).toHaveLength(1);
    await machine.clock.advance(3 * HOUR);
    expect(await startedIds(worker.runtime)).toHaveLength(3);
  });

  it("does nothing while it is paused, and counts from now when it resumes", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled, calm);
    await runtime.schedules.set("nightly", nightly);
    expect(await runtime.schedules.pause("nightly")).toMatchObject({ paused: true, nextAtMs: null });
    expect(await runtime.due()).toEqual({ wakeAtMs: null });

    await machine.clock.advance(2 * DAY + HOUR);
    // As a process does that starts.
    expect(await runtime.schedules.set("nightly", nightly)).toMatchObject({ paused: true });
    expect(await startedIds(runtime)).toEqual([]);
    await runtime.schedules.resume("nightly");
    await machine.clock.advance(DAY);
    expect(await startedAt(runtime)).toEqual(["01-03 03:00"]);
  });

  it("counts from now with another time, and goes on where it stood with the same", async () => {
    const machine = new Machine();
    const first = machine.open(scheduled);
    await first.runtime.schedules.set("nightly", nightly);
    first.kill();
    await machine.clock.advance(4 * HOUR);
    const { runtime } = machine.open(scheduled, calm);

    await runtime.schedules.set("nightly", { ...nightly, input: { of: "the night" } });
    await settle();
    expect(await runtime.handle("nightly@2030-01-01T03:00:00.000Z")).toBe("report of the night");
    await runtime.schedules.set("nightly", { ...nightly, cron: "0 2 * * *" });
    await machine.clock.advance(DAY);
    expect(await startedAt(runtime)).toEqual(["01-01 03:00", "01-02 02:00"]);
  });

  it("begins again after it was deleted, and no occurrence has two runs", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    await runtime.schedules.set("nightly", nightly);
    await machine.clock.advance(3 * HOUR);
    await runtime.schedules.delete("nightly");
    expect(await runtime.schedules.get("nightly")).toBeNull();

    machine.clock.setBy(-HOUR);
    await runtime.schedules.set("nightly", nightly);
    await machine.clock.advance(2 * HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 03:00"]);
    expect(await runtime.schedules.get("nightly")).toMatchObject({ nextAtMs: Date.UTC(2030, 0, 2, 3) });
  });

  it("is left to a process that has its workflow", async () => {
    const machine = new Machine();
    const { report, slow } = scheduled;
    const setter = machine.open({ report });
    await setter.runtime.schedules.set("nightly", nightly);
    setter.kill();
    const other = machine.open({ slow });
    await other.runtime.start();
    await machine.clock.advance(4 * HOUR);
    expect(await startedIds(other.runtime)).toEqual([]);
    expect(await other.runtime.due()).toEqual({ wakeAtMs: null });

    const { runtime } = machine.open({ report });
    expect(await runtime.start()).toBe(1);
    expect(await runtime.handle("nightly@2030-01-01T03:00:00.000Z")).toBe("report of the day");
  });

  it("whose input the present code cannot read is tried again, and holds up no other", async () => {
    const machine = new Machine();
    const setter = machine.open(scheduled);
    await setter.runtime.schedules.set("broken", { cron: "0 1 * * *", workflow: "slow" });
    await setter.runtime.schedules.set("nightly", nightly);
    setter.kill();
    const { runtime, log } = machine.open({ ...scheduled, slow: scheduled.report });
    await runtime.start();
    await machine.clock.advance(3 * HOUR);

    expect(await startedAt(runtime)).toEqual(["01-01 03:00"]);
    expect(log.lines[0]).toBe('A run of the schedule "broken" could not be started; it will be retried.');
    const tries = log.lines.length;
    await machine.clock.advance(MINUTE);
    expect(log.lines.length - tries).toBe(2); // once in leaseMs
  });

  it("says when it occurs next, also to whoever wakes a process", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    await runtime.schedules.set("nightly", nightly);
    expect(await runtime.schedules.next("nightly", 3)).toEqual(
      [1, 2, 3].map((day) => new Date(Date.UTC(2030, 0, day, 3))),
    );
    expect(await runtime.schedules.next("nightly")).toHaveLength(1);
    expect(await runtime.due()).toEqual({ wakeAtMs: Date.UTC(2030, 0, 1, 3) });
  });
});

describe("an occurrence while the run before is under way", () => {
  const hourly = { cron: "0 * * * *", workflow: "slow" } as const;
  const run = (hour: number) => `slow@2030-01-01T0${hour}:00:00.000Z`;

  it("is left out, which the schedule says", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    await runtime.schedules.set("slow", hourly);
    await machine.clock.advance(3 * HOUR + MINUTE);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00"]);
    const skips = [2, 3].map((hour) => ({ atMs: Date.UTC(2030, 0, 1, hour), reason: "overlap" }));
    expect(await runtime.schedules.get("slow")).toMatchObject({ last: { runId: run(1) }, skips });

    await runtime.handle(run(1)).sendEvent(new Done({}));
    await machine.clock.advance(HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 04:00"]);
  });

  it("starts all the same, where that is allowed", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    await runtime.schedules.set("slow", { ...hourly, overlap: "allow" });
    await machine.clock.advance(3 * HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 02:00", "01-01 03:00"]);
  });

  it("waits for its end, and a later one takes its place", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    await runtime.schedules.set("slow", { ...hourly, overlap: "queue" });
    await machine.clock.advance(3 * HOUR + MINUTE);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00"]);
    expect(await runtime.schedules.get("slow")).toMatchObject({
      queuedAtMs: [Date.UTC(2030, 0, 1, 3)],
      skips: [{ atMs: Date.UTC(2030, 0, 1, 2), reason: "overlap" }],
    });

    await runtime.handle(run(1)).sendEvent(new Done({}));
    await runtime.handle(run(1));
    await settle();
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 03:00"]);
    await machine.clock.advance(HOUR);
    expect(await runtime.schedules.get("slow")).toMatchObject({ queuedAtMs: [Date.UTC(2030, 0, 1, 4)] });
  });

  it("waits for its end, and starts at once then, in a process that looks seldom", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled, calm);
    await runtime.schedules.set("slow", { ...hourly, overlap: "queue" });
    await machine.clock.advance(2 * HOUR);
    await runtime.handle(run(1)).sendEvent(new Done({}));
    await runtime.handle(run(1));
    await settle();
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 02:00"]);
  });

  it("starts in another process when the run before has ended there", async () => {
    const machine = new Machine();
    const first = machine.open(scheduled);
    await first.runtime.schedules.set("slow", { ...hourly, overlap: "queue" });
    await machine.clock.advance(2 * HOUR + MINUTE);
    first.kill();
    const { runtime } = machine.open(scheduled);
    await runtime.start();
    await machine.clock.advance(MINUTE);
    await runtime.handle(run(1)).sendEvent(new Done({}));
    await settle();
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 02:00"]);
  });

  it("each has its turn where all are to be caught up", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    await runtime.schedules.set("slow", { ...hourly, overlap: "queue", catchUp: "all" });
    await machine.clock.advance(4 * HOUR + MINUTE);
    expect(await runtime.schedules.get("slow")).toMatchObject({
      queuedAtMs: [2, 3, 4].map((hour) => Date.UTC(2030, 0, 1, hour)),
    });

    for (const hour of [1, 2, 3]) {
      await runtime.handle(run(hour)).sendEvent(new Done({}));
      await settle();
    }
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 02:00", "01-01 03:00", "01-01 04:00"]);
  });
});

describe("after a time without a process", () => {
  const hourly = { cron: "0 * * * *", workflow: "report", input: { of: "the hour" }, overlap: "allow" } as const;
  const missed = { atMs: Date.UTC(2030, 0, 1, 1), reason: "missed" };

  async function awayFor(ms: number, options: object) {
    const machine = new Machine();
    const setter = machine.open(scheduled);
    await setter.runtime.schedules.set("hourly", { ...hourly, ...options });
    setter.kill();
    machine.clock.skip(ms);
    const process = machine.open(scheduled);
    await process.runtime.start();
    await settle();
    return { ...process, machine };
  }

  it("the last occurrence starts", async () => {
    const { runtime } = await awayFor(5 * HOUR + 30 * MINUTE, {});
    expect(await startedAt(runtime)).toEqual(["01-01 05:00"]);
    expect(await runtime.schedules.get("hourly")).toMatchObject({ skips: [missed], nextAtMs: Date.UTC(2030, 0, 1, 6) });
  });

  it("all start, each with its id", async () => {
    const { runtime } = await awayFor(3 * HOUR + 30 * MINUTE, { catchUp: "all" });
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 02:00", "01-01 03:00"]);
    expect(await runtime.schedules.get("hourly")).toMatchObject({ skips: [], last: { atMs: Date.UTC(2030, 0, 1, 3) } });
  });

  it("the last thousand of all start, and the log says that others are left out", async () => {
    const { runtime, log, machine } = await awayFor(1_200 * HOUR + 30 * MINUTE, { catchUp: "all" });
    await machine.clock.advance(MINUTE);
    const ids = await startedIds(runtime);
    expect(ids).toHaveLength(1_000);
    expect(ids[0]).toBe(`hourly@${new Date(Date.UTC(2030, 0, 1, 201)).toISOString()}`);
    expect(log.lines).toEqual(['Schedule "hourly" missed more than 1000 occurrences: only the last 1000 start.']);
    expect(await runtime.schedules.get("hourly")).toMatchObject({ skips: [missed] });
  });

  it("none starts that was missed, one that is some seconds late does", async () => {
    const { runtime } = await awayFor(3 * HOUR + MINUTE, { catchUp: "none" });
    expect(await startedIds(runtime)).toEqual([]);
    expect(await runtime.schedules.get("hourly")).toMatchObject({ skips: [missed], nextAtMs: Date.UTC(2030, 0, 1, 4) });

    const late = await awayFor(3 * HOUR + MINUTE - 1, { catchUp: "none" });
    expect(await startedAt(late.runtime)).toEqual(["01-01 03:00"]);
  });

  it("of all that wait for each other, the first starts and the others are left out, unless they may queue", async () => {
    const skipping = await awayFor(3 * HOUR + 30 * MINUTE, { catchUp: "all", overlap: "skip" });
    expect(await startedAt(skipping.runtime)).toEqual(["01-01 01:00"]);
    const skips = [2, 3].map((hour) => ({ atMs: Date.UTC(2030, 0, 1, hour), reason: "overlap" }));
    expect(await skipping.runtime.schedules.get("hourly")).toMatchObject({ skips });

    const queueing = await awayFor(3 * HOUR + 30 * MINUTE, { catchUp: "all", overlap: "queue" });
    expect(await startedAt(queueing.runtime)).toEqual(["01-01 01:00", "01-01 02:00", "01-01 03:00"]);
  });
});

describe("at the door", () => {
  it.each<[string, object, string]>([
    ["no cron text", { cron: "61 * * * *" }, '`cron` is "61 * * * *" (CronPattern: Invalid value for minute: 61)'],
    ["no cron text at all", { cron: 5 }, "`cron` is 5, not a text such as"],
    ["a date", { cron: "2031-01-01T00:00:00" }, "not a text such as"],
    ["an empty text", { cron: "" }, '`cron` is "", not a text such as'],
    ["a day that never comes", { cron: "0 0 30 2 *" }, "which never occurs"],
    ["no time zone", { timezone: "Europe/Bärlin" }, "not an IANA time zone"],
    ["an empty time zone", { timezone: "" }, "not an IANA time zone"],
    ["an unknown overlap", { overlap: "wait" }, '`overlap` is "wait"'],
    ["an unknown catch-up", { catchUp: "some" }, '`catchUp` is "some"'],
    ["an option that nobody reads", { timeZone: "UTC" }, "did you mean `timezone`?"],
    ["a label that is not a string", { labels: { a: 1 } }, "the label"],
    ["a tenant that is not a string", { tenant: 1 }, "`tenant` is not a string"],
  ])("%s is refused", async (_, wrong, message) => {
    const { runtime } = new Machine().open(scheduled);
    const error = await rejection(runtime.schedules.set("nightly", { ...nightly, ...wrong } as never));
    expect(error).toMatchObject({ code: "OPTION_INVALID" });
    expect(error.message).toContain(message);
    expect(await runtime.schedules.list()).toEqual({ schedules: [], cursor: null });
  });

  it("an unknown workflow, a wrong input and a name that cannot be stored are refused", async () => {
    const { runtime } = new Machine().open(scheduled);
    const { schedules } = runtime;
    const refused: [() => Promise<unknown>, string][] = [
      // @ts-expect-error [2322] -- the workflows are known to the compiler
      [() => schedules.set("a", { ...nightly, workflow: "reports" }), "WORKFLOW_UNKNOWN"],
      // @ts-expect-error [2322] -- and so are their inputs
      [() => schedules.set("a", { ...nightly, input: { of: 5 } }), "EVENT_INVALID"],
      // @ts-expect-error [2345] -- also where one is missing
      [() => schedules.set("a", { cron: "0 3 * * *", workflow: "report" }), "EVENT_INVALID"],
      // @ts-expect-error [2322] -- no duration
      [() => schedules.set("a", { ...nightly, timeout: "soon" }), "OPTION_INVALID"],
      [() => schedules.set("", nightly), "OPTION_INVALID"],
      [() => schedules.set("a\0b", nightly), "OPTION_INVALID"],
      [() => schedules.set("a".repeat(231), nightly), "OPTION_INVALID"], // the ids of its runs are longer
      // @ts-expect-error [2345] -- no text
      [() => schedules.set(7, nightly), "OPTION_INVALID"],
    ];
    for (const [call, code] of refused) expect(await rejection(call())).toMatchObject({ code });
  });

  it("a schedule that there is not is named", async () => {
    const { runtime } = new Machine().open(scheduled);
    const { schedules } = runtime;
    const calls = [schedules.pause, schedules.resume, schedules.delete].map((call) => call.bind(schedules));
    for (const call of calls)
      expect(await rejection(call("none") as Promise<unknown>)).toMatchObject({ code: "SCHEDULE_UNKNOWN" });
    const error = await rejection(schedules.next("none", 5, { tenant: "acme" }));
    expect(error.message).toBe('There is no schedule "none" of tenant "acme".');
    expect(await schedules.get("none")).toBeNull();
    await schedules.set("nightly", nightly);
    for (const count of [0, 1.5, 1_001, "5" as never])
      expect(await rejection(schedules.next("nightly", count))).toMatchObject({ code: "OPTION_INVALID" });
    expect(await rejection(schedules.list({ limit: 0 }))).toMatchObject({ code: "OPTION_INVALID" });
  });

  it("is shut once the runtime has stopped", async () => {
    const { runtime } = new Machine().open(scheduled);
    await runtime.stop();
    for (const call of [() => runtime.schedules.set("nightly", nightly), () => runtime.schedules.list()])
      expect(await rejection(call() as Promise<unknown>)).toMatchObject({ code: "RUNTIME_STOPPED" });
  });
});
