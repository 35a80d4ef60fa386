/** What a careless user does: it works, or is refused at the door. */
import { memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  Condition,
  image,
  Loop,
  Parallel,
  Pipeline,
  Router,
  type RunContext,
  Step,
  type StepFunction,
  Steps,
  stepOutput,
} from "../src/index.js";
import { Gate } from "./support/gate.js";

const fails: StepFunction = () => {
  throw new Error("no");
};

describe("an end condition", () => {
  it("has the session state, the signal and the number of the iteration", async () => {
    await using counts = new Pipeline({
      name: "counts",
      sessionState: { n: 0 },
      steps: [
        new Loop({
          maxIterations: 9,
          steps: [(_input, { sessionState }) => (sessionState["n"] = Number(sessionState["n"]) + 1)],
          endCondition: (_outputs, { sessionState, signal, iteration }) =>
            !signal.aborted && iteration + 1 === sessionState["n"] && sessionState["n"] >= 2,
        }),
      ],
    });

    expect((await counts.run("")).content).toBe(2);
  });
});

describe("names", () => {
  it("that begin with another name keep their own policy", async () => {
    const ok = new Step({ name: "research", onError: "skip", executor: () => "ok" });
    await using strict = new Pipeline({
      name: "strict",
      steps: [ok, new Step({ name: "research: web", executor: fails })],
    });

    expect(await strict.run("").output()).toMatchObject({ status: "ERROR", error: { stepName: "research: web" } });
  });

  it("that core steps of others have are told apart", async () => {
    const step = (name: string) => new Step({ name, executor: () => name });
    await using same = new Pipeline({
      name: "same",
      steps: [
        new Loop({ name: "L", maxIterations: 1, steps: [step("x")] }),
        step("L: again"),
        new Parallel({ name: "P", steps: [step("y")] }),
        step("P: gather"),
        step("a"),
        step("a"),
        step("a (5)"),
        step("begin"),
        step("finish"),
        new Loop({ name: "empty", steps: [] }),
      ],
    });

    expect((await same.run("")).stepResults.map(({ stepName }) => stepName)).toEqual([
      "L",
      "L: again",
      "P",
      "P: gather",
      "a",
      "a",
      "a (5)",
      "begin",
      "finish",
      "empty",
    ]);
  });

  it("that no record has are refused", () => {
    for (const name of ["prototype", "constructor", "__proto__"])
      expect(() => new Pipeline({ name: "p", steps: [new Step({ name, executor: () => 1 })] })).toThrow(
        expect.objectContaining({ code: "OPTION_INVALID" }),
      );
  });
});

describe("session state", () => {
  it("that an attempt has changed before its timeout is stored as it is live", async () => {
    const [timedOut, changed] = [new Gate(), new Gate()];
    const slow: StepFunction = async (_input, { sessionState }) => {
      sessionState["a"] = 1;
      sessionState["list"] = ["x"];
      await timedOut.passed;
      try {
        sessionState["late"] = true;
      } finally {
        changed.pass();
      }
    };
    await using timed = new Pipeline({
      name: "timed",
      steps: [
        new Step({ name: "slow", timeout: 40, onError: "skip", executor: slow }),
        async (_input, { sessionState }) => {
          timedOut.pass();
          await changed.passed;
          (sessionState["list"] as unknown[]).push("y");
          return JSON.parse(JSON.stringify(sessionState));
        },
      ],
    });

    const { content, sessionState } = await timed.run("");
    expect(sessionState).toEqual(content);
    expect(sessionState).toEqual({ a: 1, list: ["x", "y"] });
    expect(await timed.getSessionState()).toEqual(content);
  });

  it("is changed no more by a step that has returned, in place as little as with editState", async () => {
    const [ended, changed] = [new Gate(), new Gate()];
    const refused: unknown[] = [];
    const forgets: StepFunction = (_input, context) => {
      const { sessionState, editState } = context;
      const late: readonly (() => unknown)[] = [
        () => (sessionState["late"] = { list: [1] }),
        () => delete sessionState["early"],
        () => (sessionState["early"] as unknown[]).push("late"),
        () => (context.sessionState = {}),
        () => editState((state) => (state["late"] = true)),
        () => context.emit("Late"),
      ];
      void ended.passed.then(async () => {
        for (const change of late)
          await Promise.resolve()
            .then(change)
            .catch((error) => refused.push(error.code));
        changed.pass();
      });
      sessionState["early"] = ["early"];
    };
    await using forgetful = new Pipeline({
      name: "forgetful",
      steps: [
        forgets,
        async (_input, { sessionState }) => {
          ended.pass();
          await changed.passed;
          return JSON.parse(JSON.stringify(sessionState));
        },
      ],
    });

    const { content, sessionState } = await forgetful.run("");
    expect(refused).toEqual(Array.from({ length: 6 }, () => "ATTEMPT_ENDED"));
    expect(content).toEqual({ early: ["early"] });
    expect(sessionState).toEqual(content);
    expect(await forgetful.getSessionState()).toEqual(content);
  });

  it("that was changed before an edit that throws is stored", async () => {
    const tries: StepFunction = async (_input, { sessionState, editState }) => {
      sessionState["a"] = 1;
      await editState(() => Promise.reject(new Error("no"))).catch(() => {});
    };
    await using edits = new Pipeline({ name: "edits", steps: [tries] });

    expect((await edits.run("")).sessionState).toEqual({ a: 1 });
  });

  it("has a plain copy, for what takes no live objects", async () => {
    const copies: StepFunction = ({ input }, { sessionState, snapshot }) => {
      (sessionState["cart"] as { items: unknown[] }).items.push(input);
      const { cart } = snapshot();
      (cart as { copied?: boolean }).copied = true;
      return structuredClone(cart);
    };
    await using made = new Pipeline({ name: "copies", sessionState: { cart: { items: [] } }, steps: [copies] });

    expect(await made.run("milk")).toMatchObject({
      content: { items: ["milk"], copied: true },
      sessionState: { cart: { items: ["milk"] } },
    });
  });

  it("may be what an edit gives", async () => {
    await using gives = new Pipeline({
      name: "gives",
      sessionState: { list: [1] },
      steps: [(_input, { editState }) => editState((state) => Object.assign(state["list"], { 1: 2 }))],
    });

    expect((await gives.run("")).content).toEqual([1, 2]);
  });
});

it("two pipelines that share a session know their own history", async () => {
  const store = memoryStore();
  const one = new Pipeline({ name: "one", store, steps: [() => "one"] });
  await one.run("1", { sessionId: "s" });
  const two = new Pipeline({ name: "two", store, numHistoryRuns: 5, steps: [(input) => input.getWorkflowHistory()] });

  await two.run("2", { sessionId: "s" });
  expect((await two.run("3", { sessionId: "s" })).content).toEqual([["2", "[]"]]);
});

it.each([[undefined], [null], [Object.create(null)], ["text"]])("a step may throw %j", async (thrown) => {
  await using throws = new Pipeline({
    name: "throws",
    steps: [
      new Step({ name: "skips", onError: "skip", executor: () => Promise.reject(thrown) }),
      new Step({ name: "throws", executor: () => Promise.reject(thrown) }),
    ],
  });

  expect(await throws.run("").output()).toMatchObject({ status: "ERROR", error: { stepName: "throws" } });
});

it("a value that contains itself fails the step that gave it", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  await using gives = new Pipeline({ name: "gives", steps: [() => circular] });

  expect((await gives.run("").output()).error).toMatchObject({ code: "VALUE_UNSERIALIZABLE" });
});

it.each<[string, unknown, string]>([
  ["a function", () => {}, "a function"],
  ["a function inside", { a: [{ b: () => {} }] }, 'a function at "a.0.b"'],
  ["an instance of a class", { gate: new Gate() }, 'an instance of Gate at "gate"'],
  ["an error of a class", new (class Refused extends Error {})(), "an instance of Refused, a class that extends Error"],
  ["a function in a Map", new Map([["f", () => {}]]), 'a function at "f"'],
  ["a buffer", { bytes: Buffer.from("a") }, 'an instance of Buffer, a class that extends Uint8Array at "bytes"'],
  ["an invalid date", [new Date(Number.NaN)], 'an invalid date at "0"'],
])("a step that gives %s is told so, and is not tried again", async (_what, given, said) => {
  let calls = 0;
  const executor = (_input: unknown, { sessionState }: RunContext) => {
    sessionState["calls"] = ++calls;
    return given;
  };
  await using gives = new Pipeline({ name: "gives", steps: [new Step({ name: "bad", maxRetries: 3, executor })] });

  const { error, sessionState } = await gives.run("").output();

  expect(error).toMatchObject({
    code: "VALUE_UNSERIALIZABLE",
    message: `The step "bad" returned ${said}, which cannot be stored.`,
  });
  expect(calls).toBe(1);
  expect(sessionState).toEqual({ calls: 1 });
});

it("an event whose data cannot be stored is refused by its name", async () => {
  const emits = new Pipeline({ name: "emits", steps: [(_input, { emit }) => emit("Found", { gate: [new Gate()] })] });
  onTestFinished(() => emits.close());

  expect((await emits.run("").output()).error).toMatchObject({
    code: "VALUE_UNSERIALIZABLE",
    message: 'The event "Found" was given an instance of Gate at "gate.0", which cannot be stored.',
  });
});

it.each<[string, unknown, object, string]>([
  ["input", { gate: new Gate() }, {}, "The input is or holds"],
  ["additional data", "", { additionalData: { gate: new Gate() } }, "`additionalData` holds"],
  ["metadata", "", { metadata: { gate: new Gate() } }, "`metadata` holds"],
])("%s that cannot be stored is refused at the door, by its path", async (_what, input, options, subject) => {
  const plain = new Pipeline({ name: "plain", steps: [() => 1] });
  onTestFinished(() => plain.close());

  const failing = (async () => plain.run(input as never, options))();

  await expect(failing).rejects.toMatchObject({
    code: "VALUE_UNSERIALIZABLE",
    message: `${subject} an instance of Gate at "gate", which cannot be stored.`,
  });
});

it("a run has what promises have", async () => {
  await using breaks = new Pipeline({ name: "breaks", steps: [fails] });
  await using works = new Pipeline({ name: "works", steps: [() => "done"] });
  let ended = 0;

  expect(await breaks.run("").catch((error: unknown) => (error as { code: string }).code)).toBe("PIPELINE_FAILED");
  await expect(breaks.run("").finally(() => ended++)).rejects.toMatchObject({ code: "PIPELINE_FAILED" });
  const { content } = await works.run("").finally(() => ended++);
  expect([content, ended]).toEqual(["done", 2]);
});

it("a pipeline that is closed before its first run closes its store, and runs no more", async () => {
  const store = memoryStore();
  let isClosed = false;
  const close = store.close.bind(store);
  store.close = () => {
    isClosed = true;
    return close();
  };
  const unused = new Pipeline({ name: "unused", store, steps: [] });

  await unused.close();

  expect(isClosed).toBe(true);
  expect(() => unused.run("")).toThrow(expect.objectContaining({ code: "RUNTIME_STOPPED" }));
});

it("a run of another pipeline of the store is refused, with the name of the one that has it", async () => {
  const store = memoryStore();
  const one = new Pipeline({ name: "One", store, steps: [() => 1] });
  await using other = new Pipeline({ name: "Other", store, steps: [() => 2] });
  const { runId } = await one.run("");
  const refused = {
    code: "RUN_UNKNOWN",
    message: `The pipeline "other" has no run "${runId}": it is a run of "one".`,
  };

  await expect(other.getRun(runId)).rejects.toMatchObject(refused);
  await expect(other.handle(runId).output()).rejects.toMatchObject(refused);
  await expect(other.handle(runId).cancel()).rejects.toMatchObject(refused);
  const answers = [{ requirementId: "r", decision: { decision: "confirm" } }] as const;
  await expect(other.continueRun(runId, { answers })).rejects.toMatchObject(refused);
  expect((await one.getRun(runId)).content).toBe(1);
});

describe("options that cannot be", () => {
  const humanReview = (options: object) => () =>
    new Step({ name: "s", executor: () => 1, humanReview: options as never });

  it.each<[string, () => unknown]>([
    ["no name", () => new Pipeline({ steps: [] } as never)],
    ...[Pipeline, Step, Steps, Loop, Condition, Router].map((Kind): [string, () => unknown] => [
      `no options of a ${Kind.name}`,
      () => new (Kind as new (options: never) => object)(undefined as never),
    ]),
    ["no steps", () => new Pipeline({ name: "p" } as never)],
    ["a function for steps", () => new Pipeline({ name: "p", steps: (() => 1) as never })],
    ["null as a step", () => new Pipeline({ name: "p", steps: [null as never] })],
    ["text as a step", () => new Pipeline({ name: "p", steps: ["foo" as never] })],
    [
      "an unknown policy",
      () => new Pipeline({ name: "p", steps: [new Step({ executor: fails, onError: "ignore" as never })] }),
    ],
    ["an unknown onTimeout", humanReview({ requiresConfirmation: true, onTimeout: "explode" })],
    ["an unknown onReject", humanReview({ requiresConfirmation: true, onReject: "explode" })],
    ["an unknown type", humanReview({ requiresUserInput: true, userInputSchema: [{ name: "n", type: "str" }] })],
    ["null as questions", humanReview(null as never)],
    ["a text as questions", humanReview("yes" as never)],
    ["a text as fields", humanReview({ requiresUserInput: true, userInputSchema: "tone" })],
    ...Object.entries({
      "null as a field": [null],
      "a field without a name": [{ type: "string" }],
      "a field without a type": [{ name: "n" }],
      "two fields of one name": [
        { name: "n", type: "string" },
        { name: "n", type: "integer" },
      ],
      "a text for required": [{ name: "n", type: "string", required: "no" }],
      "a field that allows nothing": [{ name: "n", type: "string", allowedValues: [] }],
      "a text as allowed values": [{ name: "n", type: "string", allowedValues: "abc" }],
      "allowed values of another type": [{ name: "n", type: "integer", allowedValues: [1, "2"] }],
    }).map(([what, userInputSchema]): [string, () => unknown] => [
      what,
      humanReview({ requiresUserInput: true, userInputSchema }),
    ]),
    ["a symbol as a name", () => new Step({ name: Symbol("s") as never, executor: fails })],
    [
      "a review that groups do not have",
      () => new Steps({ steps: [], humanReview: { requiresOutputReview: true } as never }),
    ],
    ["a router without a selector", () => new Router({ choices: [] })],
    ["no list of steps", () => new Condition({ steps: undefined as never })],
    ["a text as a timeout that is none", () => new Step({ executor: fails, timeout: "soon" as never })],
    ["a text for true or false", () => new Step({ executor: fails, addWorkflowHistory: "no" as never })],
    ["a text as an evaluator", () => new Condition({ steps: [], evaluator: "yes" as never })],
    ["a number as an end condition", () => new Loop({ steps: [], endCondition: 5 as never })],
    ["a text that forwards", () => new Loop({ steps: [], forwardIterationOutput: "no" as never })],
    ["a pipeline that streams a text", () => new Pipeline({ name: "p", steps: [], streamEvents: "no" as never })],
    ["a text as a list of names", () => new Pipeline({ name: "p", steps: [], eventsToSkip: "StepStarted" as never })],
    ["null as a list of names", () => new Pipeline({ name: "p", steps: [], eventsToSkip: null as never })],
    ["a question for a text", humanReview({ requiresConfirmation: "no" })],
    ["a question for ever and a day", humanReview({ requiresConfirmation: true, timeout: "a day" })],
  ])("are refused: %s", (_what, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});

it("a run is told all that is wrong with its options at once, before anything is stored", async () => {
  await using strict = new Pipeline({ name: "strict", steps: [() => 1] });
  const wrong = { sessionID: "s", userId: 5, sessionState: [1], dependencies: "no", streamEvents: "no", runId: 7 };

  expect(() => strict.run("", wrong as never)).toThrow(
    expect.objectContaining({
      code: "OPTION_INVALID",
      details: {
        problems: [
          "`sessionID` is not an option (did you mean `sessionId`?)",
          "`runId` is 7, not a text",
          "`userId` is 5, not a text",
          "`sessionState` is a list, not an object",
          '`dependencies` is "no", not an object',
          '`streamEvents` is "no", not true or false',
        ],
      },
    }),
  );
  expect((await strict.runs()).runs).toEqual([]);
  expect((await strict.run("", { userId: null, sessionState: null } as never)).status).toBe("COMPLETED");
  expect((await strict.run("", { dependencies: null } as never)).status).toBe("COMPLETED");
  expect((await strict.run("", null as never)).status).toBe("COMPLETED");
});

it("a run that nobody names is not continued, nor with answers that are no list, and a session has no name of another kind", async () => {
  await using strict = new Pipeline({ name: "strict", steps: [() => 1] });
  await strict.run("", { sessionId: "s" });
  const invalid = expect.objectContaining({ code: "OPTION_INVALID" });

  expect(() => strict.continueRun(null as never)).toThrow(invalid);
  expect(() => strict.continueRun({} as never)).toThrow(invalid);
  expect(() => strict.continueRun("r", { answers: null as never })).toThrow(invalid);
  await expect(strict.sessions.setSessionName(undefined as never, "s")).rejects.toThrow(invalid);
  await expect(strict.sessions.setSessionName("Monday" as never, "s")).rejects.toThrow(invalid);
});

it.each<[string, (strict: Pipeline) => unknown]>([
  ["null as a filter of runs", (strict) => strict.runs(null as never)],
  ["an unknown filter of runs", (strict) => strict.runs({ sessionID: "s" } as never)],
  ["null as a filter of sessions", (strict) => strict.sessions.list(null as never)],
  ["an unknown filter of sessions", (strict) => strict.sessions.list({ user: "u" } as never)],
  ["a symbol as a run", (strict) => strict.getRun(Symbol("r") as never)],
  ["an object of no class as a run", (strict) => strict.getRun(Object.create(null))],
  ["an object of no class as a run to refer to", (strict) => strict.handle(Object.create(null)).look()],
  ["null as an output", () => stepOutput(null as never)],
  ["null as an image", () => image(null as never)],
  ["a number as an input schema", () => new Pipeline({ name: "p", steps: [], inputSchema: 5 as never })],
  ["an object as an output schema", () => new Pipeline({ name: "p", steps: [], outputSchema: {} as never })],
])("is refused: %s", async (_what, ask) => {
  await using strict = new Pipeline({ name: "strict", steps: [() => 1] });

  await expect((async () => ask(strict))()).rejects.toThrow(
    expect.objectContaining({ code: "OPTION_INVALID", message: expect.not.stringMatching(/undefined|\[object/) }),
  );
});

it("no answer at all is refused as one", async () => {
  await using strict = new Pipeline({ name: "strict", steps: [() => 1] });

  await expect(strict.run("").answer(null as never)).rejects.toMatchObject({ code: "REQUIREMENT_INVALID" });
});

it.each([
  ["nothing", undefined, "STEP_RESULT_INVALID", 'The executor "careless" returned undefined, not the result of a run.'],
  ["a text", "done", "STEP_RESULT_INVALID", 'The executor "careless" returned string, not the result of a run.'],
  [
    "a pause",
    { runId: "r", status: "PAUSED", content: null, metrics: null, error: null },
    "STEP_RESULT_INVALID",
    'The executor "careless" returned the status PAUSED, not the result of a run.',
  ],
  [
    "an error that is data",
    { runId: "r", status: "ERROR", content: "half", metrics: null, error: { message: "overloaded" } },
    null,
    "overloaded",
  ],
])("an executor that gives %s fails its step, which says so", async (_what, result, code, message) => {
  let calls = 0;
  const execute = async () => {
    calls++;
    return result as never;
  };
  await using careless = new Pipeline({ name: "careless", steps: [{ kind: "agent", name: "careless", execute }] });

  const { error } = await careless.run("in").output();

  expect(error).toMatchObject({ code, message, retryable: false });
  expect(calls).toBe(1);
});
