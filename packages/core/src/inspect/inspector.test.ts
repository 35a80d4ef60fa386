import { describe, expect, it } from "vitest";
import type { Log } from "../engine/ports.js";
import { event } from "../event/event.js";
import { attemptFacts, Inspector, logVerbosely, runFacts, spanIdOf, traceIdOf } from "./inspector.js";

class MemoryLog implements Log {
  readonly lines: string[] = [];
  readonly errors: unknown[] = [];

  info(message: string): void {
    this.lines.push(message);
  }

  error(message: string, error?: unknown): void {
    this.lines.push(message);
    this.errors.push(error);
  }
}

class Joke extends event("Joke") {}
const runId = "4f0c2a91-7d11";
const root = { tenant: "", parentSpanId: null, trace: null, continuations: 0 };
const run = { ...root, workflow: "JokeFlow", runId, traceId: traceIdOf(runId) };
const facts = attemptFacts(run, { step: "judge", item: 3, attempt: 2 }, 1000);

describe("Inspector", () => {
  it("makes a payload only for those who listen to that name", () => {
    const inspector = new Inspector(new MemoryLog());
    const seen: number[] = [];
    const refuse = (): never => expect.fail("there is no listener");

    inspector.emit("run.resumed", refuse);
    expect(inspector.active).toBe(false);
    const off = inspector.on("step.restarted", (payload) => void seen.push(payload.attempt));
    inspector.emit("run.resumed", refuse);
    inspector.emit("step.restarted", () => facts);
    expect(inspector.active).toBe(true);
    off();
    inspector.emit("step.restarted", refuse);

    expect(seen).toEqual([2]);
    expect(inspector.active).toBe(false);
  });

  it("notifies every listener once, however often one is taken off", () => {
    const inspector = new Inspector(new MemoryLog());
    const seen: string[] = [];
    const off = inspector.on("run.resumed", () => void seen.push("first"));
    inspector.on("run.resumed", () => void seen.push("second"));

    inspector.emit("run.resumed", () => facts);
    off();
    off();
    inspector.emit("run.resumed", () => facts);

    expect(seen).toEqual(["first", "second", "second"]);
  });

  it("passes the name, too, to listeners of everything", () => {
    const inspector = new Inspector(new MemoryLog());
    const seen: string[] = [];
    inspector.onAny(({ name, payload }) => void seen.push(`${name} at ${payload.atMs}`));

    inspector.emit("run.resumed", () => facts);
    inspector.emit("step.restarted", () => facts);

    expect(seen).toEqual(["run.resumed at 1000", "step.restarted at 1000"]);
  });

  it("sends what a listener throws to the log, and notifies the others", async () => {
    const log = new MemoryLog();
    const inspector = new Inspector(log);
    const seen: string[] = [];
    inspector.on("run.resumed", () => {
      throw new Error("sync");
    });
    inspector.on("run.resumed", () => Promise.reject(new Error("async")));
    inspector.on("run.resumed", () => void seen.push("heard"));

    inspector.emit("run.resumed", () => facts);
    await new Promise((resolve) => setImmediate(resolve));

    expect(seen).toEqual(["heard"]);
    expect(log.lines).toEqual(['A listener of "run.resumed" failed.', 'A listener of "run.resumed" failed.']);
    expect(log.errors).toEqual([new Error("sync"), new Error("async")]);
  });
});

describe("trace ids", () => {
  it("have the form of the standard, and are the same every time", () => {
    expect(traceIdOf("run 1")).toMatch(/^[0-9a-f]{32}$/);
    expect(spanIdOf("run 1", 3, 1)).toMatch(/^[0-9a-f]{16}$/);
    expect(traceIdOf("run 1")).toBe(traceIdOf("run 1"));
    expect(
      new Set([
        spanIdOf("run 1"),
        spanIdOf("run 1", 1, 1),
        spanIdOf("run 1", 1, 2),
        spanIdOf("run 1", 2, 1),
        spanIdOf("run 2"),
        spanIdOf({ runId: "run 1", tenant: "a" }),
        spanIdOf({ runId: "run 1", tenant: "b" }),
      ]).size,
    ).toBe(7);
    expect(spanIdOf({ runId: "run 1", tenant: "" })).toBe(spanIdOf("run 1"));
    expect(traceIdOf({ runId: "run 1", tenant: "a" })).not.toBe(traceIdOf("run 1"));
  });

  it("put an attempt under its run, and a child under the attempt that started it", () => {
    const child = runFacts(
      { ...root, workflow: "Digest", runId: "c", traceId: facts.traceId, parentSpanId: facts.spanId },
      1000,
    );

    expect(facts).toMatchObject({
      traceId: traceIdOf(run.runId),
      parentSpanId: spanIdOf(run.runId),
      spanId: spanIdOf(run.runId, 3, 2),
    });
    expect(child).toMatchObject({ traceId: facts.traceId, parentSpanId: facts.spanId, spanId: spanIdOf("c") });
  });
});

describe("logVerbosely", () => {
  it("prints a line for every event until it is stopped", () => {
    const log = new MemoryLog();
    const inspector = new Inspector(log);
    const stop = logVerbosely(inspector, log);

    inspector.emit("step.completed", () => ({ ...facts, events: [new Joke()], elapsedMs: 12 }));
    inspector.emit("step.failed", () => ({
      ...facts,
      error: new TypeError("fetch\nfailed"),
      elapsedMs: 12,
      final: false,
    }));
    inspector.emit("run.idle", () => ({ ...runFacts(run, 1), wakeAtMs: null }));
    stop();
    inspector.emit("run.resumed", () => expect.fail("stopped"));

    expect(log.lines).toEqual([
      "[4f0c2a91] step.completed judge #3.2 events=[Joke{}], elapsedMs=12",
      "[4f0c2a91] step.failed judge #3.2 error=TypeError: fetch failed, elapsedMs=12, final=false",
      "[4f0c2a91] run.idle",
    ]);
  });

  it("prints a line of bounded length whatever it is shown", () => {
    const log = new MemoryLog();
    const inspector = new Inspector(log);
    logVerbosely(inspector, log);
    const circle: Record<string, unknown> = {};
    circle.self = circle;

    inspector.emit("run.cancelled", () => ({ ...runFacts(run, 1), reason: circle, elapsedMs: 1 }));
    inspector.emit("run.cancelled", () => ({ ...runFacts(run, 1), reason: "x".repeat(1000), elapsedMs: 1 }));
    inspector.emit("step.diverged", () => ({ ...facts, calls: ["wait:Joke:0", "sleep:0", "run:pay", "run:ship"] }));
    inspector.emit("run.timedOut", () => ({
      ...runFacts(run, 1),
      timeoutMs: 1,
      elapsedMs: 1,
      activeSteps: ["a", "b", "c"].map((name) => name.repeat(90)),
    }));

    expect(log.lines[0]).toBe("[4f0c2a91] run.cancelled reason=(unreadable), elapsedMs=1");
    expect(log.lines[1]).toMatch(/reason=x{49}…, elapsedMs=1$/);
    expect(log.lines[2]).toBe("[4f0c2a91] step.diverged judge #3.2 calls=[4 items]");
    expect(log.lines[3]?.length).toBeLessThanOrEqual(200);
    expect(log.errors).toEqual([]);
  });
});
