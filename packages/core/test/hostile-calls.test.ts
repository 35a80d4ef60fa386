/** Snapshots and ticks of calls are read from untrusted JSON: every field is checked. */
import { describe, expect, it } from "vitest";
import { compileWorkflow, decodeTick, encodeTick, type Tick } from "../src/entries/engine.js";
import { Context, WorkflowError } from "../src/index.js";
import { failing, flowOf, inMinutes } from "./support/failing-calls.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

type Json = Record<string, unknown>;

const flow = flowOf((ctx) => ctx.run("pay", failing(9), { retry: inMinutes(9), label: "Pay" }));
const clock = withVirtualClock(flow);

async function snapshot(): Promise<Json> {
  const run = flow.run({});
  await settle();
  const dict = JSON.parse(JSON.stringify(run.context.toDict())) as Json;
  run.cancel("enough");
  return dict;
}

function recordIn(dict: Json): Json {
  const [item] = dict["items"] as [{ calls: [Json] }];
  return item.calls[0];
}

function codeOf(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    return WorkflowError.is(error) ? error.code : String(error);
  }
}

describe("a call in a snapshot", () => {
  it("is read as it was written", async () => {
    const dict = await snapshot();

    expect(recordIn(dict)).toEqual({
      kind: "effect",
      call: "run=pay",
      label: "Pay",
      openedAtMs: clock.now(),
      status: "open",
      attempts: 1,
      failures: 1,
      sinceMs: clock.now(),
      lastError: expect.objectContaining({ message: "attempt 1 fails" }),
      dueAtMs: clock.now() + 60_000,
    });
    expect(Context.fromDict(flow, dict).toDict()).toEqual(dict);
  });

  it.each<[string, unknown]>([
    ["call", 5],
    ["label", ""],
    ["label", 5],
    ["label", "x".repeat(201)],
    ["status", "asleep"],
    ["status", "working"], // its timer would be of nothing that waits
    ["attempts", -1],
    ["attempts", 1.5],
    ["attempts", "1"],
    ["failures", -1],
    ["sinceMs", Number.MAX_VALUE],
    ["openedAtMs", "now"],
    ["lastError", { name: 5 }],
    ["dueAtMs", null],
    ["dueAtMs", "soon"],
  ])("is refused with `%s` of %j", async (field, value) => {
    const dict = await snapshot();
    recordIn(dict)[field] = value;

    expect(codeOf(() => Context.fromDict(flow, dict))).toBe("SNAPSHOT_INVALID");
  });

  it("is refused without its timer, and a timer without it", async () => {
    const [noTimer, noCall] = [await snapshot(), await snapshot()];
    noTimer["timers"] = [];
    (noCall["items"] as Json[])[0]!["calls"] = [];

    expect(codeOf(() => Context.fromDict(flow, noTimer))).toBe("SNAPSHOT_INVALID");
    expect(codeOf(() => Context.fromDict(flow, noCall))).toBe("SNAPSHOT_INVALID");
  });
});

describe("a tick of a call", () => {
  const compiled = compileWorkflow(flow);
  const of = { atMs: 5, item: 1, attempt: 1, call: "run=pay" };
  const ticks: readonly Tick[] = [
    { type: "effect.opened", ...of },
    { type: "effect.opened", ...of, callAttempt: 2, label: "Pay" },
    { type: "effect.failed", ...of, error: { name: "Error", message: "no" }, retryAtMs: null, elapsedMs: 3 },
    { type: "effect.failed", ...of, callAttempt: 7, error: { name: "E", message: "" }, retryAtMs: 9, elapsedMs: 0 },
    { type: "effect.recorded", ...of, callAttempt: 2, label: "Pay", value: [1], elapsedMs: 4 },
    { type: "effect.recorded", ...of, value: 1, change: { patches: [{ op: "replace", path: ["edits"], value: 1 }] } },
  ];

  it.each(ticks)("%j is read as it was written", (tick) => {
    expect(decodeTick(JSON.parse(JSON.stringify(encodeTick(tick, compiled))), compiled)).toEqual(tick);
  });

  it.each<[string, Json]>([
    ["a number of 0", { type: "effect.opened", ...of, callAttempt: 0 }],
    ["a number that is text", { type: "effect.opened", ...of, callAttempt: "2" }],
    ["a long label", { type: "effect.opened", ...of, label: "x".repeat(201) }],
    ["a label of null", { type: "effect.opened", ...of, label: null }],
    ["no error", { type: "effect.failed", ...of, retryAtMs: null, elapsedMs: 1 }],
    [
      "a time that is text",
      { type: "effect.failed", ...of, error: { name: "E", message: "" }, retryAtMs: "1", elapsedMs: 1 },
    ],
    ["no duration", { type: "effect.failed", ...of, error: { name: "E", message: "" }, retryAtMs: null }],
    ["a change of nothing", { type: "effect.recorded", ...of, value: { json: 1 }, change: {} }],
    ["shown text", { type: "effect.recorded", ...of, value: { json: 1 }, shown: ["x"] }],
  ])("is refused with %s", (_, tick) => {
    expect(codeOf(() => decodeTick(tick, compiled))).toMatch(/^SNAPSHOT_|^EVENT_/);
  });
});
