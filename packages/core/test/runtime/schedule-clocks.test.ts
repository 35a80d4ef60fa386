/** Schedules in time zones, over daylight saving, and under clocks that somebody sets. */
import { describe, expect, it } from "vitest";
import { lastWithin, nextAfter } from "../../src/runtime/schedules/stored-schedule.js";
import { Machine } from "../support/processes.js";
import { HOUR, MINUTE, scheduled, startedAt } from "../support/scheduled.js";
import { settle } from "../support/virtual-clock.js";

const report = { workflow: "report", input: { of: "the day" } } as const;

/** What starts of a schedule that is set at a time, hour by hour for two days. */
async function startedFrom(iso: string, cron: string, timezone: string): Promise<string[]> {
  const machine = new Machine();
  machine.clock.skip(Date.parse(iso) - machine.clock.now());
  const { runtime } = machine.open(scheduled, { leaseMs: 24 * HOUR }); // few looks
  await runtime.schedules.set("zoned", { ...report, cron, timezone });
  const expected = await runtime.schedules.next("zoned", 48);
  const untilMs = machine.clock.now() + 48 * HOUR;
  await machine.clock.advance(48 * HOUR);
  const started = await startedAt(runtime);
  const told = expected.filter((date) => date.getTime() <= untilMs);
  expect(started).toHaveLength(told.length); // what `next` says comes true
  return started;
}

describe("a time of day", () => {
  it.each<[string, string, string, string, string[]]>([
    // the clock goes from 02:00 to 03:00 on March 31, 2030
    [
      "that is left out in Berlin comes at the end of the gap",
      "2030-03-30T00:00Z",
      "30 2 * * *",
      "Europe/Berlin",
      ["03-30 01:30", "03-31 01:00"],
    ],
    // and from 03:00 to 02:00 on October 27, 2030
    [
      "that comes twice in Berlin occurs the first time",
      "2030-10-26T12:00Z",
      "30 2 * * *",
      "Europe/Berlin",
      ["10-27 00:30", "10-28 01:30"],
    ],
    [
      "that is left out in New York",
      "2030-03-09T12:00Z",
      "30 2 * * *",
      "America/New_York",
      ["03-10 07:00", "03-11 06:30"],
    ],
    [
      "that comes twice in New York",
      "2030-11-02T12:00Z",
      "30 1 * * *",
      "America/New_York",
      ["11-03 05:30", "11-04 06:30"],
    ],
    // half an hour: from 02:00 to 02:30 on October 6, 2030
    [
      "in the half hour that Lord Howe leaves out",
      "2030-10-05T00:00Z",
      "15 2 * * *",
      "Australia/Lord_Howe",
      ["10-05 15:30", "10-06 15:15"],
    ],
    [
      "in the half hour that Lord Howe has twice",
      "2030-04-06T00:00Z",
      "45 1 * * *",
      "Australia/Lord_Howe",
      ["04-06 14:45", "04-07 15:15"],
    ],
    ["in Kolkata, half an hour off", "2030-03-30T00:00Z", "0 9 * * *", "Asia/Kolkata", ["03-30 03:30", "03-31 03:30"]],
    ["in UTC", "2030-03-30T00:00Z", "30 2 * * *", "UTC", ["03-30 02:30", "03-31 02:30"]],
    [
      "of a list, in the gap as alone",
      "2030-03-30T12:00Z",
      "30 2,14 * * *",
      "Europe/Berlin",
      ["03-30 13:30", "03-31 01:00", "03-31 12:30", "04-01 00:30"],
    ],
    [
      "of a list, in the hour that comes twice as alone",
      "2030-10-26T23:00Z",
      "30 2,14 * * *",
      "Europe/Berlin",
      ["10-27 00:30", "10-27 13:30", "10-28 01:30", "10-28 13:30"],
    ],
  ])("%s", async (_, from, cron, timezone, started) => {
    expect(await startedFrom(from, cron, timezone)).toEqual(started);
  });
});

describe("every hour", () => {
  it.each<[string, string, string]>([
    ["of a day that is too short", "2030-03-30T23:30Z", "Europe/Berlin"],
    ["of a day that is too long", "2030-10-26T22:30Z", "Europe/Berlin"],
  ])("%s occurs once", async (_, from, timezone) => {
    expect(await startedFrom(from, "0 * * * *", timezone)).toHaveLength(48);
  });
});

describe("what is caught up", () => {
  // A day before and after every change of a clock in 2030.
  const changes = {
    "Europe/Berlin": ["2030-03-31T01:00Z", "2030-10-27T01:00Z"],
    "America/New_York": ["2030-03-10T07:00Z", "2030-11-03T06:00Z"],
    "Australia/Lord_Howe": ["2030-04-06T15:00Z", "2030-10-05T15:30Z"],
    "Asia/Kolkata": ["2030-03-31T01:00Z"],
    UTC: ["2030-03-31T01:00Z"],
  };
  const crons = [
    "30 2 * * *",
    "*/20 * * * *",
    "0 * * * *",
    "15,45 1-3 * * *",
    "30 2,14 * * *",
    "0 0 L * *",
    "10 */2 * * 7",
  ];
  const cases = Object.entries(changes).flatMap(([timezone, times]) =>
    times.flatMap((time) => crons.map((cron) => [cron, timezone, time] as const)),
  );

  it.each(cases)("is what would have occurred: %s in %s around %s", (cron, timezone, time) => {
    const [fromMs, toMs] = [Date.parse(time) - 26 * HOUR, Date.parse(time) + 26 * HOUR];
    const timetable = { cron, timezone };
    const forward: number[] = [];
    for (
      let atMs = nextAfter(timetable, fromMs - 1) ?? toMs;
      atMs <= toMs;
      atMs = nextAfter(timetable, atMs) ?? toMs + 1
    )
      forward.push(atMs);

    expect(lastWithin(timetable, { fromMs, toMs }, 1_000)).toEqual(forward);
    expect(lastWithin(timetable, { fromMs, toMs }, 2)).toEqual(forward.slice(-2));
  });
});

describe("a clock that is set", () => {
  const hourly = { ...report, cron: "0 * * * *" } as const;

  async function running() {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    await runtime.schedules.set("hourly", hourly);
    await machine.clock.advance(HOUR + MINUTE);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00"]);
    return { machine, runtime };
  }

  it("back starts nothing twice", async () => {
    const { machine, runtime } = await running();
    machine.clock.setBy(-HOUR);
    await machine.clock.advance(HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00"]);
    await machine.clock.advance(HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 02:00"]);
  });

  it("back starts nothing twice, also of a schedule that counts from then", async () => {
    const { machine, runtime } = await running();
    machine.clock.setBy(-HOUR);
    await runtime.schedules.pause("hourly");
    expect(await runtime.schedules.resume("hourly")).toMatchObject({ nextAtMs: machine.clock.now() + 59 * MINUTE });
    await machine.clock.advance(HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00"]);
    expect(await runtime.schedules.get("hourly")).toMatchObject({ nextAtMs: machine.clock.now() + 59 * MINUTE });
    await machine.clock.advance(HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 02:00"]);
  });

  it("forward is heard of with the next look, and the last occurrence is caught up", async () => {
    const { machine, runtime } = await running();
    machine.clock.setBy(3 * HOUR);
    await machine.clock.advance(MINUTE);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 04:00"]);
    await machine.clock.advance(HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 04:00", "01-01 05:00"]);
  });

  it("forward and back again starts each occurrence once", async () => {
    const { machine, runtime } = await running();
    machine.clock.setBy(3 * HOUR);
    await machine.clock.advance(MINUTE);
    machine.clock.setBy(-3 * HOUR);
    await machine.clock.advance(5 * HOUR);
    // Those up to 04:00 were dealt with while the clock said so.
    expect(await startedAt(runtime)).toEqual(["01-01 01:00", "01-01 04:00", "01-01 05:00", "01-01 06:00"]);
  });

  it("differently in two processes starts each occurrence once", async () => {
    const machine = new Machine();
    const ahead = machine.open(scheduled);
    await ahead.runtime.schedules.set("hourly", hourly);
    machine.clock.skip(HOUR + MINUTE);
    await ahead.runtime.start();
    await settle();
    ahead.kill();
    machine.clock.setBy(-5 * MINUTE);
    const { runtime } = machine.open(scheduled);
    await runtime.start();
    await machine.clock.advance(HOUR);
    expect(await startedAt(runtime)).toEqual(["01-01 01:00"]);
  });
});
