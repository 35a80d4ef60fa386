/** Schedules that people edit and start by hand: what holds after the next deployment, and what an occurrence makes of it. */
import { describe, expect, it } from "vitest";
import { Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { DAY, HOUR, MINUTE, scheduled, startedAt, startedIds } from "../support/scheduled.js";
import { settle } from "../support/virtual-clock.js";

const calm = { leaseMs: 12 * HOUR };
const nightly = { cron: "0 3 * * *", workflow: "report", input: { of: "the day" } } as const;
const kim = { user: "kim", door: "studio" };

async function open(machine = new Machine()) {
  const process = machine.open(scheduled, calm);
  await process.runtime.start();
  const { schedules } = process.runtime;
  await schedules.set("nightly", nightly);
  return { machine, process, runtime: process.runtime, schedules };
}

describe("an edit of a schedule", () => {
  // harrowio/harrow#47: the old time went on beside the new one.
  it("changes when it occurs at once, and nothing occurs at the old time", async () => {
    const { machine, schedules, runtime } = await open();
    const edited = await schedules.edit("nightly", { cron: "0 5 * * *" }, { by: kim });

    expect(edited).toMatchObject({
      cron: "0 5 * * *",
      timezone: "UTC",
      edited: { cron: "0 3 * * *", by: kim },
      nextAtMs: Date.UTC(2030, 0, 1, 5),
    });
    expect(edited.edited).not.toHaveProperty("timezone");
    await machine.clock.advance(DAY);
    expect(await startedAt(runtime)).toEqual(["01-01 05:00"]);
  });

  it("changes the input, and keeps the next occurrence", async () => {
    const { machine, schedules, runtime } = await open();
    await machine.clock.advance(2 * HOUR);
    const edited = await schedules.edit("nightly", { input: { of: "the week" } });

    expect(edited).toMatchObject({
      start: { type: "Report", value: { of: "the week" } },
      edited: { start: { type: "Report", value: { of: "the day" } }, by: null },
      nextAtMs: Date.UTC(2030, 0, 1, 3),
    });
    await machine.clock.advance(2 * HOUR);
    const [runId] = await startedIds(runtime);
    expect(await runtime.handle(runId ?? "")).toBe("report of the week");
  });

  it("outlasts deployments whose code says the same, and gives way to one that says something else", async () => {
    const { machine, schedules, process } = await open();
    await schedules.edit("nightly", { cron: "0 5 * * *", timezone: "Europe/Berlin" });
    process.kill();

    const again = await open(machine);
    expect(await again.schedules.get("nightly")).toMatchObject({ cron: "0 5 * * *", timezone: "Europe/Berlin" });
    // Only what the code changed is as the code says.
    const set = await again.schedules.set("nightly", { ...nightly, cron: "0 4 * * *" });
    expect(set).toMatchObject({ cron: "0 4 * * *", timezone: "Europe/Berlin", edited: { timezone: "UTC" } });
    expect(set.edited).not.toHaveProperty("cron");
    const last = await again.schedules.set("nightly", { ...nightly, timezone: "Asia/Tokyo" });
    expect(last).toMatchObject({ cron: "0 3 * * *", timezone: "Asia/Tokyo", edited: null });
  });

  it("is no edit any more when it says what the code says, and is taken back by reset", async () => {
    const { schedules } = await open();
    await schedules.edit("nightly", { cron: "0 5 * * *", input: { of: "x" } });
    expect((await schedules.edit("nightly", { cron: "0 3 * * *" })).edited).not.toHaveProperty("cron");

    expect(await schedules.reset("nightly", { by: kim })).toMatchObject({
      start: { value: { of: "the day" } },
      edited: null,
      nextAtMs: Date.UTC(2030, 0, 1, 3),
    });
    expect(await schedules.reset("nightly")).toMatchObject({ edited: null });
  });

  // rundeck/rundeck#6793: the schedule was lost by an edit while it was off.
  it("keeps a pause, and holds when it is resumed", async () => {
    const { machine, schedules, runtime } = await open();
    await schedules.pause("nightly");
    expect(await schedules.edit("nightly", { cron: "0 5 * * *" })).toMatchObject({ paused: true, nextAtMs: null });
    await machine.clock.advance(DAY);
    expect(await startedIds(runtime)).toEqual([]);

    expect(await schedules.resume("nightly")).toMatchObject({ nextAtMs: Date.UTC(2030, 0, 2, 5) });
  });

  it("of two processes at once loses neither", async () => {
    const machine = new Machine();
    const [first, second] = [await open(machine), await open(machine)];
    await Promise.all([
      first.schedules.edit("nightly", { cron: "0 5 * * *" }),
      second.schedules.edit("nightly", { timezone: "Asia/Tokyo" }),
      second.schedules.pause("nightly"),
    ]);

    expect(await first.schedules.get("nightly")).toMatchObject({
      cron: "0 5 * * *",
      timezone: "Asia/Tokyo",
      paused: true,
    });
  });

  it("refuses what cannot be, and leaves the schedule as it is", async () => {
    const { schedules } = await open();
    const before = await schedules.get("nightly");

    expect(await rejection(schedules.edit("nightly", { cron: "often", timezone: "Mars" }))).toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringMatching(/timezone.*cron/s),
    });
    expect(await rejection(schedules.edit("nightly", {}))).toMatchObject({ code: "OPTION_INVALID" });
    expect(await rejection(schedules.edit("nightly", { input: { of: 3 } }))).toMatchObject({ code: "EVENT_INVALID" });
    expect(await rejection(schedules.edit("nightly", { overlap: "allow" } as never))).toMatchObject({
      code: "OPTION_INVALID",
    });
    expect(await rejection(schedules.edit("none", { cron: "0 5 * * *" }))).toMatchObject({ code: "SCHEDULE_UNKNOWN" });
    expect(await schedules.get("nightly")).toEqual(before);
  });
});

describe("a start of a schedule by hand", () => {
  it("starts a run now, also under a pause, and leaves the next occurrence", async () => {
    const { machine, schedules, runtime } = await open();
    await machine.clock.advance(HOUR);
    const runId = await schedules.start("nightly");

    expect(await runtime.handle(runId)).toBe("report of the day");
    expect(await runtime.handle(runId).summary()).toMatchObject({ labels: { schedule: "nightly" } });
    expect(await schedules.get("nightly")).toMatchObject({
      last: { atMs: machine.clock.now(), runId },
      nextAtMs: Date.UTC(2030, 0, 1, 3),
    });
    await schedules.pause("nightly");
    expect(await runtime.handle(await schedules.start("nightly"))).toBe("report of the day");
  });

  it("starts one run for one key", async () => {
    const { schedules, runtime } = await open();
    const [one, same] = await Promise.all([
      schedules.start("nightly", { key: "click" }),
      schedules.start("nightly", { key: "click" }),
    ]);

    expect(one).toBe("nightly@now-click");
    expect(same).toBe(one);
    await settle();
    expect(await startedIds(runtime)).toEqual([one]);
  });

  // temporalio/sdk-typescript#1594: an occurrence did not see the run that was started by hand.
  it("counts as under way for the next occurrence", async () => {
    const { machine, schedules, runtime } = await open();
    await schedules.set("slow", { cron: "*/5 * * * *", workflow: "slow", input: { of: "x" } } as never);
    const runId = await schedules.start("slow");
    await machine.clock.advance(6 * MINUTE);

    expect(await schedules.get("slow")).toMatchObject({
      last: { runId },
      skips: [{ atMs: Date.UTC(2030, 0, 1, 0, 5), reason: "overlap" }],
    });
    expect(await startedIds(runtime)).toEqual([runId]);
  });

  it("is refused where there is no schedule, and for a key that is too long", async () => {
    const { schedules } = await open();

    expect(await rejection(schedules.start("none"))).toMatchObject({ code: "SCHEDULE_UNKNOWN" });
    expect(await rejection(schedules.start("nightly", { key: "k".repeat(300) }))).toMatchObject({
      code: "OPTION_INVALID",
    });
  });

  it("and every change are in the audit, with who did it", async () => {
    const { schedules, runtime } = await open();
    const by = { by: kim };
    await schedules.pause("nightly", by);
    await schedules.resume("nightly", by);
    await schedules.edit("nightly", { cron: "0 5 * * *" }, by);
    await schedules.reset("nightly", by);
    const runId = await schedules.start("nightly", by);
    await schedules.set("nightly", { ...nightly, ...by });
    await schedules.delete("nightly", by);

    const { entries } = await runtime.audit.list();
    expect(entries.map(({ action, schedule, workflow, runId }) => [action, schedule, workflow, runId])).toEqual([
      ["schedule.delete", "nightly", "report", ""],
      ["schedule.set", "nightly", "report", ""],
      ["schedule.start", "nightly", "report", runId],
      ["schedule.reset", "nightly", "report", ""],
      ["schedule.edit", "nightly", "report", ""],
      ["schedule.resume", "nightly", "report", ""],
      ["schedule.pause", "nightly", "report", ""],
    ]);
  });
});
