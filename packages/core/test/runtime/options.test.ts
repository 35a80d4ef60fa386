/** Options that nobody reads are slips of the pen: refused at the door, all at once. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createRuntime, type Runtime } from "../../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent, WorkflowError } from "../../src/index.js";
import { rejection } from "../support/runs.js";

const flow = defineWorkflow("flow")
  .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .build();

describe("options", () => {
  it("of a runtime are checked all at once, with the name that was meant", () => {
    const options = { workflows: { flow }, idleRelease: "50ms", leaseMs: 5, colour: "red" };

    expect(() => createRuntime(options)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        details: {
          problems: [
            "`idleRelease` is not an option (did you mean `idleReleaseMs`?)",
            "`colour` is not an option",
            "`leaseMs` is 5, not a number of milliseconds from 100",
          ],
        },
      }),
    );
  });

  it.each([
    ["store", {}, "`store` is an object, not a store of runs, such as `sqliteStore(path)`"],
    ["store", null, "`store` is null, not a store of runs, such as `sqliteStore(path)`"],
    ["clock", Date, "`clock` is a function, not a clock"],
    ["log", {}, "`log` is an object, not a log, as `{ info, error }`"],
    ["telemetry", 3, "`telemetry` is 3, not an object"],
    ["history", {}, '`history` is neither "all" nor `{ keep }`'],
    ["history", 3, '`history` is neither "all" nor `{ keep }`'],
    ["history", { keep: null }, "`history.keep` is null, not a whole number from 0"],
  ])(
    "of a runtime are no %s that is %j: its runs would fail, or be lost with the process",
    (option, value, problem) => {
      expect(() => createRuntime({ workflows: { flow }, [option]: value } as never)).toThrow(
        expect.objectContaining({ code: "OPTION_INVALID", details: { problems: [problem] } }),
      );
    },
  );

  it("name the workflow that is none, and say where a pipeline has its workflow", () => {
    const create = (article: unknown) => () => createRuntime({ workflows: { flow, article: article as typeof flow } });
    const wrong = (hint: string) =>
      expect.objectContaining({
        code: "OPTION_INVALID",
        message: expect.stringMatching(/^`workflows.article` is .+: This is not a workflow.$/),
        hint: expect.stringContaining(hint),
      });

    expect(create({ workflow: flow })).toThrow(wrong("`pipeline.workflow`"));
    expect(create({ workflow: 5 })).toThrow(wrong("defineWorkflow"));
    expect(create(null)).toThrow(wrong("defineWorkflow"));
    expect(create("flow")).toThrow(wrong("defineWorkflow"));
  });

  it("of a run are checked before anything is stored", async () => {
    const runtime = createRuntime({ workflows: { flow } });
    onTestFinished(() => runtime.stop());
    const options: object = { runid: "one", label: { a: "b" } };

    expect(() => runtime.run("flow", {}, options)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        message:
          "The options of `run` are wrong: `runid` is not an option (did you mean `runId`?); `label` is not an option (did you mean `labels`?).",
      }),
    );
    expect((await runtime.runs()).runs).toEqual([]);
  });

  it("of a call say whether what they refuse was text, as it comes from a URL", async () => {
    const runtime = createRuntime({ workflows: { flow } });
    onTestFinished(() => runtime.stop());
    await runtime.run("flow", {}, { runId: "one" });

    await expect(runtime.stateAt("one", "1" as never)).rejects.toThrow('Run "one" has no tick "1": it has 2.');
    const entries = runtime.history("one", { after: "1" as never })[Symbol.asyncIterator]();
    await expect(entries.next()).rejects.toThrow('`after` is "1"; it must be');
  });
});

const read = (items: AsyncIterable<unknown>) => items[Symbol.asyncIterator]().next();

describe("a value of a wrong kind is named, and never as [object Object]:", () => {
  const odd: never = {} as never;
  const calls: [string, (runtime: Runtime) => unknown, string][] = [
    ["the name of a workflow", (runtime) => runtime.run(odd), "The runtime has no workflow an object: flow."],
    ["`limit`", (runtime) => runtime.retain({ olderThan: "1d", limit: odd }), "`limit` is an object; it must be"],
    ["`after`", (runtime) => read(runtime.history("one", { after: odd })), "`after` is an object"],
    ["a tick", (runtime) => runtime.stateAt("one", odd), 'Run "one" has no tick an object: it has 2.'],
    ["a tick without a text", (runtime) => runtime.at("one", Symbol("t") as never), "has no tick Symbol(t): it has"],
    ["`item`", (runtime) => runtime.fork("one", { at: 1, event: {}, item: odd }).accepted, "`item` is an object"],
    ["`count`", (runtime) => runtime.schedules.next("nightly", odd), "`count` is an object; it must be"],
    ["`edits`", (runtime) => runtime.records.write(odd), "`edits` is not a list of objects"],
    ["one of `edits`", (runtime) => runtime.records.write([null as never]), "`edits` is not a list of objects"],
    [
      "`records` of an export",
      (runtime) => read(runtime.export("one", { records: odd })),
      "`records` is not a list of objects",
    ],
    ["`signal` of idle", (runtime) => runtime.handle("one").idle({ signal: odd }), "`signal` is not an `AbortSignal`"],
    [
      "`signal` of a history",
      (runtime) => read(runtime.history("one", { details: true, signal: odd })),
      "`signal` is not an `AbortSignal`",
    ],
    ["options of a stream", (runtime) => runtime.handle("one").streamEvents(null as never), "`streamEvents` are wrong"],
    ["options of a history", (runtime) => read(runtime.history("one", null as never)), "`history` are wrong"],
    ["`dedupe`", (runtime) => runtime.run("flow", {}, { dedupe: null as never }), "`run.dedupe` are wrong"],
    [
      "`dedupe.failed`",
      (runtime) => runtime.run("flow", {}, { dedupe: { key: "k", for: "1s", failed: 1n as never } }),
      "is 1, not",
    ],
    ["`edit`", (runtime) => runtime.fork("one", { at: 1, edit: odd }).accepted, "`edit` is not a function"],
    ["`runId`", (runtime) => runtime.handle(Symbol("id") as never).summary(), "`runId` is"],
    ["`runId` of a history", (runtime) => read(runtime.history(Object.create(null))), "`runId` is an object"],
    ["`tenant`", (runtime) => runtime.handle("one", { tenant: odd }).summary(), "`tenant` is"],
    ["a duration", (runtime) => runtime.run("flow", {}, { timeout: Object.create(null) }), "`timeout` is an object"],
    ["`records`", (runtime) => runtime.import([], { records: 1n as never }), "`records` is 1"],
  ];
  it.each(calls)("%s", async (_, call, message) => {
    const runtime = createRuntime({ workflows: { flow } });
    onTestFinished(() => runtime.stop());
    await runtime.run("flow", {}, { runId: "one" });

    const error = await rejection((async () => call(runtime as Runtime))());

    expect(error.message).toContain(message);
    expect(WorkflowError.is(error)).toBe(true);
  });
});
