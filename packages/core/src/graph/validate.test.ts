import { describe, expect, it } from "vitest";
import type { Definition, StepDefinition, TriggerDefinition } from "../engine/definition.js";
import { optionalModules } from "../engine/optional-modules.js";
import type { EventRole } from "../event/event.js";
import { fanOutChecks } from "./check-fan-outs.js";
import { checkHandlers, type Finding, findGraphProblems, type GraphSettings } from "./validate.js";

Object.assign(optionalModules, { fanOutChecks, handlers: checkHandlers }); // as `collect()` and `catchError()` do

type Fields = Partial<Omit<StepDefinition, "name" | "trigger">>;

function step(name: string, on: TriggerDefinition | readonly string[], fields: Fields = {}): StepDefinition {
  const trigger: TriggerDefinition = "kind" in on ? on : { kind: "event", accepts: on };
  return { name, trigger, workers: 4, emits: [], fanOut: null, waits: [], streams: [], ...fields };
}

function split(name: string, on: readonly string[], elements: readonly string[], ...alone: string[]): StepDefinition {
  const fanOut = { elements, alone, collects: [], joins: [] };
  return step(name, on, { emits: [...new Set([...elements, ...alone])], fanOut });
}

function collect(...accepts: string[]): TriggerDefinition {
  return { kind: "collect", accepts, of: null, take: null, rest: "finish", order: "emitted", settle: false };
}

function join(slots: Record<string, string[]>): TriggerDefinition {
  return { kind: "join", slots: Object.entries(slots).map(([name, accepts]) => ({ name, accepts })), by: null };
}

function failure(steps: readonly string[] | null = null): TriggerDefinition {
  return { kind: "failure", steps, maxRecoveries: 1 };
}

const special: Record<string, EventRole> = {
  Start: "start",
  Stop: "stop",
  Ask: "inputRequired",
  Signal: "external",
  Answer: "humanResponse",
};
const strict: GraphSettings = { workflow: [], steps: new Map(), subclasses: new Set() };

function check(steps: readonly StepDefinition[], settings: Partial<GraphSettings> = {}): Finding[] {
  const types = steps.flatMap(({ trigger, emits, waits, streams }) => {
    const accepted =
      trigger.kind === "join"
        ? trigger.slots.flatMap((slot) => slot.accepts)
        : trigger.kind === "failure"
          ? []
          : trigger.accepts;
    return [...accepted, ...emits, ...waits, ...streams];
  });
  const roleOf = (type: string): EventRole => special[type] ?? "event";
  const definition: Definition = {
    workflow: "Test",
    inboxSize: 1,
    steps,
    roles: Object.fromEntries(types.map((type) => [type, roleOf(type)])),
  };
  return findGraphProblems(definition, { ...strict, ...settings });
}

/** `check step event` of each finding. */
function summary(steps: readonly StepDefinition[], settings: Partial<GraphSettings> = {}): string[] {
  return check(steps, settings).map((finding) => [finding.check, finding.step ?? "-", finding.event ?? "-"].join(" "));
}

describe("findGraphProblems: good workflows", () => {
  it("finds nothing in a chain", () => {
    expect(
      check([step("write", ["Start"], { emits: ["Joke"] }), step("judge", ["Joke"], { emits: ["Stop"] })]),
    ).toEqual([]);
  });

  it("finds nothing in a loop with a way out", () => {
    const steps = [
      step("begin", ["Start"], { emits: ["Draft"] }),
      step("judge", ["Draft"], { emits: ["Critique", "Stop"] }),
      step("rewrite", ["Critique"], { emits: ["Draft"] }),
    ];

    expect(check(steps)).toEqual([]);
  });

  it("pairs and collects what arises in one fan-out", () => {
    const steps = [
      split("split", ["Start"], ["Part"]),
      step("left", ["Part"], { emits: ["A"] }),
      step("right", ["Part"], { emits: ["B"] }),
      step("pair", join({ a: ["A"], b: ["B"] }), { emits: ["Pair"] }),
      step("all", collect("Pair"), { emits: ["Stop"] }),
    ];

    expect(check(steps)).toEqual([]);
  });

  it("lets events come from outside, and prompts leave", () => {
    const steps = [
      step("ask", ["Start"], { emits: ["Ask"] }),
      step("greet", ["Answer"], { emits: ["Stop"] }),
      step("log", ["Signal"]),
      step("pair", join({ signal: ["Signal"], answer: ["Answer"] }), { waits: ["Signal"] }),
    ];

    expect(check(steps)).toEqual([]);
  });

  it("counts an event as taken by a step that waits for it", () => {
    const steps = [
      step("main", ["Start"], { emits: ["Task", "Stop"], waits: ["Done"] }),
      step("work", ["Task"], { emits: ["Done"] }),
    ];

    expect(check(steps)).toEqual([]);
  });

  it("counts what an error handler emits", () => {
    const steps = [
      step("write", ["Start"], { emits: ["Stop"] }),
      step("recover", failure(), { emits: ["Joke"] }),
      step("judge", ["Joke"], { emits: ["Stop"] }),
    ];

    expect(check(steps)).toEqual([]);
  });

  it("needs only one of the events of a list that holds subclasses", () => {
    const steps = [
      step("write", ["Start"], { emits: ["PunJoke"] }),
      step("judge", ["Joke", "PunJoke"], { emits: ["Stop"] }),
    ];

    expect(check(steps, { subclasses: new Set(["judge"]) })).toEqual([]);
    expect(summary(steps, { subclasses: new Set(["write"]) })).toEqual(["unproduced judge Joke"]);
  });
});

describe("findGraphProblems: beginning and end", () => {
  it("reports a workflow without steps, and nothing else", () => {
    expect(summary([])).toEqual(["steps - -"]);
  });

  it("reports no start and no stop together, and nothing that follows from them", () => {
    expect(summary([step("a", ["Y"], { emits: ["X"] }), step("b", ["X"], { emits: ["Y"] })])).toEqual([
      "start - -",
      "stop - -",
    ]);
  });

  it("does not begin with a batch", () => {
    expect(summary([step("all", collect("Start"), { emits: ["Stop"] })])).toEqual(["start - -", "collect all Start"]);
  });
});

describe("findGraphProblems: events", () => {
  it("reports both ends of a mistaken name, each with the other", () => {
    const findings = check([
      step("write", ["Start"], { emits: ["Critque"] }),
      step("judge", ["Critique"], { emits: ["Stop"] }),
    ]);

    expect(findings).toEqual([
      {
        check: "unconsumed",
        step: "write",
        event: "Critque",
        message: 'No step accepts Critque, which step "write" emits.',
        hint: 'Name it in the `on` or `waits` of a step. List it in `streams` if it is only shown. Did you mean "Critique"?',
      },
      {
        check: "unproduced",
        step: "judge",
        event: "Critique",
        message: 'No step emits Critique, which step "judge" accepts.',
        hint: 'If it comes from outside, make it an `ExternalEvent`; otherwise add it to the `emits` of a step. Did you mean "Critque"?',
      },
    ]);
  });

  it("reports an event that is waited for and never emitted", () => {
    expect(summary([step("main", ["Start"], { emits: ["Stop"], waits: ["Done"] })])).toEqual(["unproduced main Done"]);
  });

  it("reports each member of a batch that no step emits", () => {
    const steps = [
      step("split", ["Start"], { emits: ["Part"] }),
      step("all", collect("Part", "Other", "Signal"), { emits: ["Stop"] }),
    ];

    expect(summary(steps)).toEqual(["collect all Other", "collect all Signal"]);
  });

  it("reports a slot that nothing can fill", () => {
    const steps = [
      step("order", ["Start"], { emits: ["Order"] }),
      step("ship", join({ order: ["Order"], payment: ["Payment"] }), { emits: ["Stop"] }),
    ];

    expect(check(steps).map((finding) => finding.message)).toEqual([
      'No step emits Payment, which step "ship" joins as "payment".',
    ]);
  });

  it("does not take what is streamed for emitted", () => {
    expect(summary([step("main", ["Start"], { emits: ["Stop"], streams: ["Note"] }), step("note", ["Note"])])).toEqual([
      "unproduced note Note",
    ]);
  });
});

describe("findGraphProblems: paths", () => {
  const island = [step("a", ["Y"], { emits: ["X"] }), step("b", ["X"], { emits: ["Y", "Stop"] })];
  const main = step("main", ["Start"], { emits: ["Stop"] });

  it("reports steps that only lead to each other", () => {
    const [first, second] = check([main, ...island]);

    expect(first).toEqual({
      check: "reachability",
      step: "a",
      event: "Y",
      message: 'Nothing leads to step "a": Y can only come from "b", where nothing leads either.',
      hint: "Emit Y in a step that a start event leads to.",
    });
    expect(second?.step).toBe("b");
  });

  it("skips the check for one step, or for all", () => {
    expect(summary([main, ...island], { steps: new Map([["a", ["reachability"]]]) })).toEqual(["reachability b X"]);
    expect(summary([main, ...island], { workflow: ["reachability"] })).toEqual([]);
  });

  it("reports a join of which one slot comes from an island", () => {
    const steps = [
      step("main", ["Start"], { emits: ["M", "Stop"] }),
      ...island,
      step("pair", join({ m: ["M"], x: ["X"] })),
    ];

    expect(summary(steps, { workflow: ["deadEnd"] })).toEqual([
      "reachability a Y",
      "reachability b X",
      "reachability pair X",
    ]);
  });

  it("still sees the island when a step names an event that no step emits as well", () => {
    expect(summary([main, step("a", ["Missing", "Y"], { emits: ["X"] }), island[1]!])).toEqual([
      "unproduced a Missing",
      "reachability a Y",
      "reachability b X",
    ]);
  });

  it.each([1, 2, 5])("takes a step that emits nothing for the end of a branch of %i steps before it", (length) => {
    const chain = Array.from({ length }, (_, n) => step(`log${n}`, [`Line${n}`], { emits: [`Line${n + 1}`] }));

    expect(
      check([step("main", ["Start"], { emits: ["Stop", "Line0"] }), ...chain, step("sink", [`Line${length}`])]),
    ).toEqual([]);
  });

  it("reports steps from which no end can follow", () => {
    const steps = [
      step("main", ["Start"], { emits: ["Stop", "Entry"] }),
      step("log", ["Entry"], { emits: ["Line"] }),
      step("again", ["Line"], { emits: ["Entry"] }),
    ];

    expect(check(steps)).toEqual([
      {
        check: "deadEnd",
        step: "log",
        message: 'Step "log" leads only to "again", and never to a stop event, a prompt or a step that emits nothing.',
        hint: 'Emit a stop event there, end the branch in a step with `emits: []`, or allow it with `skipChecks: ["deadEnd"]`.',
      },
      expect.objectContaining({ check: "deadEnd", step: "again" }),
    ]);
    expect(check(steps, { workflow: ["deadEnd"] })).toEqual([]);
    expect(summary(steps, { steps: new Map([["log", ["deadEnd"]]]) })).toEqual(["deadEnd again -"]);
  });

  it("reports a loop without a way out", () => {
    const steps = [
      main,
      step("signal", ["Signal"], { emits: ["Ping"] }),
      step("ping", ["Ping"], { emits: ["Pong"] }),
      step("pong", ["Pong"], { emits: ["Ping"] }),
    ];

    expect(summary(steps)).toEqual(["deadEnd signal -", "deadEnd ping -", "deadEnd pong -"]);
  });

  it("takes a prompt that is only shown for an end", () => {
    expect(
      check([main, step("signal", ["Signal"], { emits: ["Entry"], streams: ["Ask"] }), step("sink", ["Entry"])]),
    ).toEqual([]);
  });
});

describe("findGraphProblems: error handlers", () => {
  const main = step("write", ["Start"], { emits: ["Stop"] });
  const messages = (steps: readonly StepDefinition[]): string[] =>
    check([main, ...steps]).map((finding) => `${finding.message} ${finding.hint}`);

  it("allows one for all, beside others with names", () => {
    expect(messages([step("one", failure()), step("two", failure(["write"]))])).toEqual([]);
  });

  it("reports a second one for all", () => {
    expect(messages([step("one", failure()), step("two", failure())])).toEqual([
      'Error handler "two" covers every step, as "one" does. Name in `steps` what each of them covers.',
    ]);
  });

  it("reports a step that two of them name", () => {
    expect(messages([step("one", failure(["write", "write"])), step("two", failure(["write"]))])).toEqual([
      'Error handler "two" covers step "write", as "one" does. Name in `steps` what each of them covers.',
    ]);
  });

  it("reports every name that is not of a step, itself, or another handler", () => {
    expect(messages([step("one", failure(["wirte", "somethingElse", "one", "two"])), step("two", failure())])).toEqual([
      'Error handler "one" covers "wirte", which is not a step. Did you mean "write"?',
      'Error handler "one" covers "somethingElse", which is not a step. There are "write", "one", "two".',
      'Error handler "one" covers itself. What a handler throws fails the run: leave it out of `steps`.',
      'Error handler "one" covers the error handler "two". What a handler throws fails the run: leave it out of `steps`.',
    ]);
  });
});
