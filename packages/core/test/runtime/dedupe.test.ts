/** Starts that count once for a key, for a time. */
import { describe, expect, it } from "vitest";
import type { RunHandle } from "../../src/entries/runtime.js";
import { Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { Done, MINUTE, SECOND, scheduled, startedIds } from "../support/scheduled.js";
import { settle } from "../support/virtual-clock.js";

const first = { dedupe: { key: "customer-7", for: "10m" } } as const;

describe("the first start of a key", () => {
  it("is given to every other one within the time, whatever the input", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    const one = runtime.run("report", { of: "one" }, { ...first, labels: { by: "one" } });
    const other = runtime.run("report", { of: "other" }, { ...first, labels: { by: "other" } });
    expect([await one, await other]).toEqual(["report of one", "report of one"]);
    expect(other.runId).toBe(one.runId);
    expect(await other.summary()).toMatchObject({ runId: one.runId, labels: { by: "one" } });

    await machine.clock.advance(10 * MINUTE - 1);
    expect(await runtime.run("report", { of: "late" }, first)).toBe("report of one");
    await machine.clock.advance(1);
    expect(await runtime.run("report", { of: "new" }, first)).toBe("report of new");
    expect(await startedIds(runtime)).toHaveLength(2);
  });

  it("counts for its workflow, its tenant and its key", async () => {
    const { runtime } = new Machine().open(scheduled);
    await runtime.run("report", { of: "one" }, first);
    expect(await runtime.run("report", { of: "two" }, { ...first, tenant: "acme" })).toBe("report of two");
    expect(await runtime.run("report", { of: "three" }, { dedupe: { key: "customer-8", for: "10m" } })).toBe(
      "report of three",
    );
    expect(await runtime.run("slow", {}, first).idle()).toMatchObject({ status: "waiting" });
  });

  it("counts over processes, and one run is started by many that call at once", async () => {
    const machine = new Machine();
    const processes = [1, 2, 3].map(() => machine.open(scheduled));
    const runs = processes.flatMap(({ runtime }, index) =>
      [0, 1].map((call) => runtime.run("report", { of: `${index}${call}` }, first)),
    );
    const results = await Promise.all(runs);
    expect(new Set(results).size).toBe(1);
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(1);
    expect(await startedIds(processes[0]?.runtime as never)).toEqual([runs[0]?.runId]);
  });

  it.each([1, 2, 3])("is there, or is not, when the process dies with its commit %i", async (diesAt) => {
    const machine = new Machine();
    const mortal = machine.open(scheduled, { diesAt, leaseMs: SECOND });
    mortal.runtime.run("report", { of: "one" }, first);
    await machine.clock.advance(SECOND);
    mortal.kill();
    const { runtime } = machine.open(scheduled);
    await runtime.start();
    await machine.clock.advance(SECOND);
    expect(await runtime.run("report", { of: "two" }, first)).toBe("report of one");
    expect(await startedIds(runtime)).toHaveLength(1);
  });

  it("stands for nothing once its run is deleted", async () => {
    const { runtime } = new Machine().open(scheduled);
    const run = runtime.run("report", { of: "one" }, first);
    await run;
    await settle();
    await runtime.delete(run.runId);
    expect(await runtime.run("report", { of: "two" }, first)).toBe("report of two");
  });

  it.each([
    ["cancelled", (run: RunHandle) => run.cancel()],
    ["timed out", (_: RunHandle, machine: Machine) => machine.clock.advance(MINUTE)],
  ])("gives way to a new run once its run was %s, if it may be replaced", async (_, end) => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    const replace = { dedupe: { ...first.dedupe, failed: "replace" }, deadline: machine.clock.now() + SECOND } as const;
    const run = runtime.run("slow", {}, replace);
    await run.idle();
    await end(run, machine);
    await rejection(run);

    const kept = runtime.run("slow", {}, first);
    await kept.accepted;
    const other = runtime.run("slow", {}, { dedupe: replace.dedupe });
    await other.accepted;

    expect(kept.runId).toBe(run.runId);
    expect(other.runId).not.toBe(run.runId);
    expect(await other.idle()).toMatchObject({ status: "waiting" });
  });

  it("is the run that is written to", async () => {
    const { runtime } = new Machine().open(scheduled);
    await runtime.run("slow", {}, first).idle();
    const other = runtime.run("slow", {}, first);
    expect((await other.sendEvent(new Done({}))).status).toBe("accepted");
    expect(await other).toBe("done");
  });

  it("leaves nothing behind when its time is over", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(scheduled);
    const kept = async (kind: string, tenant: string = "") =>
      (await machine.store.records({ kind: `millrace:${kind}`, tenant, limit: 9 })).records.length;
    await runtime.run("report", { of: "one" }, { ...first, tenant: "acme" });
    await machine.clock.advance(5 * MINUTE);
    expect([await kept("dedupe", "acme"), await kept("expiry")]).toEqual([1, 1]);
    await machine.clock.advance(6 * MINUTE);
    expect([await kept("dedupe", "acme"), await kept("expiry")]).toEqual([0, 0]);
    expect(await runtime.run("report", { of: "two" }, { ...first, tenant: "acme" })).toBe("report of two");
  });
});

describe("at the door", () => {
  it.each<[string, object, string]>([
    ["a run id", { ...first, runId: "a" }, "it goes with no `runId`"],
    ["a time", { ...first, startAt: 1 }, "it goes with no `startAt`"],
    ["an unknown choice", { dedupe: { ...first.dedupe, failed: "all" } }, '`dedupe.failed` is "all"'],
    ["an option that nobody reads", { dedupe: { ...first.dedupe, fails: "keep" } }, "did you mean `failed`?"],
    ["no time at all", { dedupe: { key: "a", for: 0 } }, "`dedupe.for` is 0"],
    ["a time that has no end", { dedupe: { key: "a", for: 1e99 } }, "`dedupe.for` ends after the last valid date"],
    ["an empty key", { dedupe: { key: "", for: 1 } }, "`key` is empty"],
    ["a key that is not a string", { dedupe: { key: 5, for: 1 } }, "`key` is not a string"],
  ])("%s is refused", async (_, options, message) => {
    const { runtime } = new Machine().open(scheduled);
    const error = await rejection((async () => runtime.run("report", { of: "one" }, options as never))());
    expect(error).toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining(message) });
  });

  it("no duration is refused, and so is a key of more than 255 bytes", async () => {
    const { runtime } = new Machine().open(scheduled);
    // @ts-expect-error [2322] -- no duration
    const soon = async () => runtime.run("report", { of: "one" }, { dedupe: { key: "a", for: "soon" } });
    expect(await rejection(soon())).toMatchObject({ code: "OPTION_INVALID" });
    const long = async (key: string) => runtime.run("report", { of: "one" }, { dedupe: { key, for: "1d" } });
    expect(await rejection(long("ü".repeat(128)))).toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("`key` has 256 bytes; the limit is 255"),
    });
    expect(await long(`a${"ü".repeat(127)}`)).toBe("report of one");
  });
});
