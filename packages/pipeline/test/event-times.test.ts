/** When events were told, where somebody sets the clock of the machine. */
import { memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Parallel, Pipeline, type PipelineEvent, type PipelineOptions, type StepFunction } from "../src/index.js";
import { Gate } from "./support/gate.js";
import { eventsOf, namesOf, pipeline, step } from "./support/pipelines.js";

const HOUR_MS = 3_600_000;
const startMs = Date.UTC(2026, 5, 1);
const everything = { streamEvents: true };

/** The clock of this machine, which stands still until it is set. */
function machineClock(): { setTo(ms: number): void } {
  let nowMs = startMs;
  const now = vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  onTestFinished(() => now.mockRestore());
  return {
    setTo(ms) {
      nowMs = ms;
    },
  };
}

const timesOf = (events: readonly object[]): number[] =>
  events.map((event) => (event as Pick<PipelineEvent, "createdAtMs">).createdAtMs);
const sorted = (times: readonly number[]): number[] => times.toSorted((one, other) => one - other);

describe("the times of events", () => {
  it("are of the clock as it is, though it was ahead in an earlier run of the process", async () => {
    const clock = machineClock();
    const tested = pipeline([step("a")], { storeEvents: true });
    clock.setTo(startMs + HOUR_MS);
    await tested.run("in");

    clock.setTo(startMs);
    const run = tested.run("in", everything);
    const seen = await eventsOf(run);
    const { events } = await run;

    expect(new Set(timesOf(events))).toEqual(new Set([startMs]));
    expect(new Set(timesOf(seen))).toEqual(new Set([startMs]));
  });

  it("never go back within a run, nor within what a reader is shown", async () => {
    const clock = machineClock();
    const ahead: StepFunction = (_input, { emit }) => {
      clock.setTo(startMs + HOUR_MS);
      emit("Ahead");
      clock.setTo(startMs);
      emit("SetBack");
    };
    const run = pipeline([step("a"), step("b", { executor: ahead }), step("c")], { storeEvents: true }).run(
      "in",
      everything,
    );
    const seen = await eventsOf(run);
    const { events } = await run;

    for (const times of [timesOf(events), timesOf(seen)]) {
      expect(times).toEqual(sorted(times));
      expect([times[0], times.at(-1)]).toEqual([startMs, startMs + HOUR_MS]);
    }
    expect(namesOf(events)).toEqual(namesOf(seen));
  });

  it("never go back where an event of a nested pipeline comes into the stream later than one that was told after it", async () => {
    const clock = machineClock();
    const begun = new Gate();
    let tellOuter = (): void => {};
    const outer: StepFunction = async (_input, { emit }) => {
      tellOuter = () => emit("Outer");
      await begun.passed;
    };
    const inner: StepFunction = (_input, { emit }) => {
      emit("Inner");
      clock.setTo(startMs + 1);
      tellOuter();
      begun.pass();
    };
    const nested = new Pipeline({ name: "Nested", steps: [step("inner", { executor: inner })] });
    const run = pipeline([new Parallel("both", step("outer", { executor: outer }), nested)]).run("in", everything);

    const seen = await eventsOf(run);

    expect(namesOf(seen).indexOf("Outer outer")).toBeLessThan(namesOf(seen).indexOf("> Inner inner"));
    expect(timesOf(seen)).toEqual(sorted(timesOf(seen)));
    expect(seen.map(({ createdAt }) => createdAt)).toEqual(timesOf(seen).map((ms) => Math.floor(ms / 1_000)));
  });

  it("never go back for a run that goes on in another process, whose clock is behind", async () => {
    const clock = machineClock();
    const store = memoryStore();
    const steps: PipelineOptions["steps"] = [step("a"), step("b", { humanReview: { requiresConfirmation: true } })];
    const first = pipeline(steps, { store, storeEvents: true });
    clock.setTo(startMs + HOUR_MS);
    const paused = await first.run("in", everything);
    await first.close();

    clock.setTo(startMs);
    const second = pipeline(steps, { store, storeEvents: true });
    for (const requirement of paused.requirements) requirement.confirm();
    const { events, runId } = await second.continueRun(paused);
    const seen = await eventsOf(second.handle(runId));

    expect(new Set(timesOf(events))).toEqual(new Set([startMs + HOUR_MS]));
    expect(timesOf(seen)).toEqual(sorted(timesOf(seen)));
    expect(namesOf(events)).toEqual(namesOf(seen));
  });

  it("never go back either where the run keeps no events", async () => {
    const clock = machineClock();
    const store = memoryStore();
    const steps: PipelineOptions["steps"] = [step("a"), step("b", { humanReview: { requiresConfirmation: true } })];
    const first = pipeline(steps, { store });
    clock.setTo(startMs + HOUR_MS);
    const paused = await first.run("in", everything);
    await first.close();

    clock.setTo(startMs);
    const second = pipeline(steps, { store });
    for (const requirement of paused.requirements) requirement.confirm();
    const { runId } = await second.continueRun(paused);

    expect(new Set(timesOf(await eventsOf(second.handle(runId))))).toEqual(new Set([startMs + HOUR_MS]));
  });
});
