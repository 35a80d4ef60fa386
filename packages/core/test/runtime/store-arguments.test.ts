/** What is not of the type that the contract of stores says is refused before a store sees it. */
import { describe, expect, it } from "vitest";
import { memoryStore, type RunStore, type Runtime, recordsOf } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { callOptions } from "../../src/runtime/options/call-options.js";
import { historyOf, Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";

class Go extends ExternalEvent.define("Go", {}) {}

const flow = defineWorkflow("flow")
  .step("end", { on: StartEvent, emits: StopEvent, waits: Go }, async (ev, ctx) => {
    await recordsOf(ctx).read("session", ev.get("sessionId") as string);
    return new StopEvent({ result: null });
  })
  .build();

/** A store that takes nothing but plain values in its arguments, as one that binds them to SQL does. */
function strict(): { readonly store: RunStore; readonly seen: unknown[]; readonly queries: object[] } {
  const seen: unknown[] = [];
  const queries: object[] = [];
  const store = new Proxy(memoryStore(), {
    get(target, name) {
      const member = target[name as keyof RunStore];
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (["run", "post", "list", "delete", "record", "records", "writeRecords", "claim"].includes(String(name)))
          seen.push(name);
        if (["list", "counts", "records"].includes(String(name))) queries.push(args[0] as object);
        return (member as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { store, seen, queries };
}

const calls: [string, string, (runtime: Runtime, wrong: never) => PromiseLike<unknown>][] = [
  ["handle(runId).outcome()", "runId", (runtime, wrong) => runtime.handle(wrong).outcome()],
  ["handle(runId)", "runId", (runtime, wrong) => runtime.handle(wrong)],
  ["handle(_, { tenant })", "tenant", (runtime, wrong) => runtime.handle("a", { tenant: wrong }).summary()],
  ["resume(runId)", "runId", (runtime, wrong) => runtime.resume(wrong)],
  ["retry(runId)", "runId", (runtime, wrong) => runtime.retry(wrong)],
  ["delete(runId)", "runId", (runtime, wrong) => runtime.delete(wrong)],
  ["history(runId)", "runId", (runtime, wrong) => historyOf(runtime, wrong)],
  ["stateAt(runId)", "runId", (runtime, wrong) => runtime.stateAt(wrong, 1)],
  ["fork(runId)", "runId", (runtime, wrong) => runtime.fork(wrong, { at: 1 })],
  ["runs({ tenant })", "tenant", (runtime, wrong) => runtime.runs({ tenant: wrong })],
  ["runs({ workflow })", "workflow", (runtime, wrong) => runtime.runs({ workflow: wrong })],
  ["runs({ status })", "status", (runtime, wrong) => runtime.runs({ status: wrong })],
  ["runs({ labels })", "labels.team", (runtime, wrong) => runtime.runs({ labels: { team: wrong } })],
  ["runs({ cursor })", "cursor", (runtime, wrong) => runtime.runs({ cursor: wrong })],
  ["retain({ tenant })", "tenant", (runtime, wrong) => runtime.retain({ olderThan: 0, tenant: wrong })],
  ["check({ tenant })", "tenant", (runtime, wrong) => runtime.check({ tenant: wrong })],
  ["records.read(kind)", "kind", (runtime, wrong) => runtime.records.read(wrong, "id")],
  ["records.read(_, id)", "id", (runtime, wrong) => runtime.records.read("kind", wrong)],
  [
    "records.write(expected)",
    "expected",
    (runtime, wrong) => runtime.records.write([{ kind: "kind", id: "id", expected: wrong, value: 1 }]),
  ],
  ["records.list({ prefix })", "prefix", (runtime, wrong) => runtime.records.list({ kind: "kind", prefix: wrong })],
  ["records.list({ cursor })", "cursor", (runtime, wrong) => runtime.records.list({ kind: "kind", cursor: wrong })],
];

describe.each(calls)("%s", (_name, option, call) => {
  it.each<[unknown]>([[true], [{}], [1.5]])("refuses %s, and no store is asked", async (wrong) => {
    const { store, seen } = strict();
    const { runtime } = new Machine(store).open({ flow });

    const error = await rejection(call(runtime, wrong as never));

    expect(error).toMatchObject({ code: "OPTION_INVALID" });
    expect(error.message).toContain(`\`${option}\` is`);
    expect(seen).toEqual([]);
  });
});

describe("a filter that is undefined", () => {
  it.each<[string, (runtime: Runtime, undefineds: never) => PromiseLike<unknown>, string]>([
    ["runs", (runtime, none) => runtime.runs(none), callOptions.runs],
    ["counts", (runtime, none) => runtime.counts(none), callOptions.counts],
    [
      "records.list",
      (runtime, none) => runtime.records.list(Object.assign(none, { kind: "kind" })),
      callOptions["records.list"],
    ],
    ["schedules.list", (runtime, none) => runtime.schedules.list(none), callOptions["schedules.list"]],
  ])("of %s counts as left out: no store gets it", async (_name, call, names) => {
    const { store, queries } = strict();
    const { runtime } = new Machine(store).open({ flow });
    const undefineds = Object.fromEntries(names.split(" ").map((name) => [name, undefined]));

    await call(runtime, undefineds as never);

    expect(queries).toHaveLength(1);
    expect(Object.values(queries[0] as object)).not.toContain(undefined);
  });
});

describe("run()", () => {
  it.each<[string, object]>([
    ["a run id", { runId: 5 }],
    ["a tenant", { tenant: 5 }],
    ["no labels", { labels: null }],
    ["a list of labels", { labels: ["a"] }],
    ["a label", { labels: { team: 5 } }],
    ["a label without a value", { labels: { team: undefined } }],
    ["a time", { startAt: "tomorrow" }],
  ])("refuses %s of another type", async (_name, options) => {
    const { store, seen } = strict();
    const { runtime } = new Machine(store).open({ flow });

    expect(() => runtime.run("flow", {}, options as never)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
    expect(seen).toEqual([]);
  });
});

describe("handle()", () => {
  it.each<[string, unknown]>([
    ["a symbol", Symbol("r")],
    ["an object of no class", Object.create(null)],
    ["a number", 5],
  ])("refuses %s as a run", async (_name, runId) => {
    const { runtime } = new Machine(strict().store).open({ flow });

    expect(await rejection(runtime.handle(runId as never).summary())).toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("records of a step", () => {
  it("are refused where a name comes from an input that lacks it", async () => {
    const { runtime } = new Machine(strict().store).open({ flow });

    expect(await rejection(runtime.run("flow", { input: "x" }))).toMatchObject({
      code: "OPTION_INVALID",
      message: "The arguments of the store are invalid: `id` is missing, not a string.",
    });
  });
});
