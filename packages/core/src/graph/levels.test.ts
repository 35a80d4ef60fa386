import { describe, expect, it } from "vitest";
import type { Definition, StepDefinition, TriggerDefinition } from "../engine/definition.js";
import { checkFanOuts } from "./check-fan-outs.js";
import { addFanOuts, flowOf, levelsOf } from "./levels.js";

const roles = { Start: "start", Stop: "stop", Answer: "humanResponse" } as const;

/** `"A"` is one, `"A*"` is `many(A)`. */
function step(name: string, on: string | TriggerDefinition, emits = ""): StepDefinition {
  const words = emits.split(" ").filter((word) => word !== "");
  const elements = words.filter((word) => word.endsWith("*")).map((word) => word.slice(0, -1));
  const alone = words.filter((word) => !word.endsWith("*"));
  return {
    name,
    trigger: typeof on === "string" ? { kind: "event", accepts: on.split(" ") } : on,
    workers: 4,
    emits: [...new Set([...elements, ...alone])],
    fanOut: elements.length === 0 ? null : { elements, alone, collects: [], joins: [] },
    waits: [],
    streams: [],
  };
}

function collect(accepts: string, of: string | null = null, settle = false): TriggerDefinition {
  return { kind: "collect", accepts: accepts.split(" "), of, take: null, rest: "finish", order: "emitted", settle };
}

function join(slots: Readonly<Record<string, string>>, by: string | null = null): TriggerDefinition {
  return { kind: "join", slots: Object.entries(slots).map(([name, type]) => ({ name, accepts: [type] })), by };
}

function failure(...steps: string[]): TriggerDefinition {
  return { kind: "failure", steps: steps.length > 0 ? steps : null, maxRecoveries: 1 };
}

function define(...steps: StepDefinition[]): Definition {
  return addFanOuts({ workflow: "flow", steps, roles: { ...roles }, inboxSize: 10 });
}

const findings = (...steps: StepDefinition[]) => checkFanOuts(define(...steps), () => true);
const messages = (...steps: StepDefinition[]) => findings(...steps).map(({ message, hint }) => `${message} ${hint}`);
const refused = (...steps: StepDefinition[]) => findings(...steps).map(({ check, step }) => `${check} ${step}`);
const levels = (definition: Definition, name: string) =>
  levelsOf(flowOf(definition), name).map((path) => `/${path.join("/")}`);
const owned = ({ steps }: Definition) =>
  Object.fromEntries(steps.flatMap(({ name, fanOut }) => (fanOut === null ? [] : [[name, fanOut.collects]])));
const paired = ({ steps }: Definition) =>
  Object.fromEntries(steps.flatMap(({ name, fanOut }) => (fanOut === null ? [] : [[name, fanOut.joins]])));

describe("the fan-out of a collect", () => {
  it("is the one in which its events arise, and it runs where that was opened", () => {
    const flow = define(step("split", "Start", "A*"), step("work", "A", "B"), step("end", collect("B"), "Stop"));

    expect(owned(flow)).toEqual({ split: ["end"] });
    expect([levels(flow, "work"), levels(flow, "end")]).toEqual([["/split"], ["/"]]);
  });

  it("is a separate fan-out behind a collect that fans out again, beside the first", () => {
    const steps = [step("split", "Start", "A*"), step("one", collect("A"), "B*"), step("two", collect("B"), "Stop")];

    expect(refused(...steps)).toEqual([]);
    expect(owned(define(...steps))).toEqual({ split: ["one"], one: ["two"] });
    expect(levels(define(...steps), "two")).toEqual(["/"]);
  });

  it("is the innermost of several, whatever stands between", () => {
    const steps = [
      step("outer", "Start", "A*"),
      step("inner", "A", "B*"),
      step("c", "B", "C"),
      step("sum", collect("C"), "D"),
      step("x", "D", "X"),
      step("end", collect("X"), "Stop"),
    ];

    expect(refused(...steps)).toEqual([]);
    expect(owned(define(...steps))).toEqual({ outer: ["end"], inner: ["sum"] });
    expect([levels(define(...steps), "c"), levels(define(...steps), "x")]).toEqual([["/outer/inner"], ["/outer"]]);
  });

  it("is another one with `of`, across those inside", () => {
    const steps = [step("outer", "Start", "A*"), step("inner", "A", "B*"), step("x", "B", "X")];

    expect(owned(define(...steps, step("end", collect("X", "outer"), "Stop")))).toEqual({ outer: ["end"], inner: [] });
  });

  it("is each of those beside each other, at whatever depth", () => {
    const steps = [
      step("a", "Start", "A*"),
      step("b", "Start", "B*"),
      step("inner", "B", "C*"),
      step("x", "A C", "X"),
      step("sum", collect("X"), "S"),
      step("end", "S", "Stop"),
    ];

    expect(refused(...steps)).toEqual([]);
    expect(levels(define(...steps), "sum")).toEqual(["/", "/b"]);
  });

  it("stays at its level in a loop", () => {
    const steps = [
      step("go", "Start", "W"),
      step("turn", "W", "I*"),
      step("item", "I", "D"),
      step("next", collect("D"), "W Stop"),
    ];

    expect(refused(...steps)).toEqual([]);
    expect([levels(define(...steps), "turn"), levels(define(...steps), "item")]).toEqual([["/"], ["/turn"]]);
  });

  it("is that of a handler too, which runs where the step that failed is", () => {
    const steps = [step("split", "Start", "A*"), step("work", "A", "X"), step("end", collect("X"), "Stop")];
    const inside = define(...steps, step("mend", failure("work"), "X"));
    const beside = define(...steps, step("mend", failure("split"), "A*"));

    expect(levels(inside, "mend")).toEqual(["/split"]);
    expect(owned(beside)).toEqual({ split: ["end"], mend: ["end"] });
    expect(levels(beside, "work")).toEqual(["/split", "/mend"]);
  });
});

describe("a step that fans out into itself", () => {
  const tree = [step("begin", "Start", "N*"), step("grow", "N", "N* L")];

  it("is gathered by the fan-out that is named, and drawn once", () => {
    const steps = [...tree, step("end", collect("L", "begin"), "Stop")];

    expect(refused(...steps)).toEqual([]);
    expect(owned(define(...steps))).toEqual({ begin: ["end"], grow: [] });
    expect(levels(define(...steps), "grow")).toEqual(["/begin", "/begin/grow"]);
  });

  it("needs a name", () => {
    expect(messages(...tree, step("end", collect("L"), "Stop"))).toEqual([
      'Step "end" collects L, which arises in the fan-out of "begin" and in that of "grow" inside it. Name the one that is meant: `collect(L, { of: "begin" })` gathers both in one batch.',
    ]);
  });
});

describe("a collect is refused", () => {
  it("without a fan-out, with what would mend it", () => {
    expect(messages(step("one", "Start", "A"), step("end", collect("A"), "Stop"))).toEqual([
      'Step "end" collects A, which arises outside of every fan-out. No step fans out. It comes from "one": does that step fan out? Then `emits: many(A)`.',
    ]);
  });

  it("behind the collect of the only fan-out", () => {
    const steps = [step("split", "Start", "A*"), step("one", collect("A"), "B")];

    expect(refused(...steps, step("two", collect("B"), "Stop"))).toEqual(["collect two"]);
  });

  it("for what arises in a fan-out and outside", () => {
    const steps = [step("split", "Start", "A* B"), step("a", "A", "X"), step("b", "B", "X")];

    expect(messages(...steps, step("end", collect("X"), "Stop"))).toEqual([
      'Step "end" collects X, which arises in the fan-out of "split" and also outside of every fan-out. It comes from "b": does that step fan out? Then `emits: many(X)`. Or say that only one fan-out is meant: `{ of: "split" }`.',
    ]);
  });

  it("for types that never meet", () => {
    const steps = [step("web", "Start", "W*"), step("docs", "Start", "D*")];

    expect(messages(...steps, step("rank", collect("W D"), "Stop"))[0]).toContain(
      'never arise in one fan-out: W in the fan-out of "web", D in the fan-out of "docs"',
    );
  });

  it("for an answer from outside, whoever asked", () => {
    const steps = [step("split", "Start", "A*"), step("ask", "A", "B"), step("got", "Answer", "X")];

    expect(messages(...steps, step("end", collect("Answer"), "Stop"))[0]).toContain(
      "Answer comes from outside, as an answer or a posted event: wait for it with `ctx.waitForEvent`",
    );
  });

  it("for what a handler of all steps emits", () => {
    const steps = [step("split", "Start", "A*"), step("work", "A", "X"), step("end", collect("X"), "Stop")];

    expect(messages(...steps, step("mend", failure(), "X"))[0]).toContain(
      'It comes from "mend", which handles errors of steps outside too: name its `steps`.',
    );
  });

  it("once, where others follow from it", () => {
    const steps = [
      step("one", "Start", "A"),
      step("bad", collect("A"), "B"),
      step("worse", collect("B"), "C"),
      step("worst", collect("C"), "Stop"),
    ];

    expect(refused(...steps)).toEqual(["collect bad"]);
  });

  it.each([
    [
      "splt",
      'Step "end" collects the fan-out of "splt", and there is no such step. Fan-outs are opened by "split", "other". Did you mean "split"?',
    ],
    [
      "work",
      'Step "end" collects the fan-out of "work", which does not fan out. Declare it there: `emits: many(…)`; or name one of "split", "other".',
    ],
    [
      "other",
      'Step "end" collects C in the fan-out of "other", and none arises in it. C arises in the fan-out of "split".',
    ],
  ])("with `of` that cannot be meant: %s", (of, message) => {
    const steps = [step("split", "Start", "A*"), step("other", "Start", "B*"), step("work", "A", "C")];

    expect(messages(...steps, step("end", collect("C", of), "Stop"))).toEqual([message]);
  });

  it("beside one that settles the same fan-out", () => {
    const steps = [step("split", "Start", "A*"), step("work", "A", "B C")];

    expect(
      messages(...steps, step("some", collect("B", null, true), "Stop"), step("all", collect("C"), "Stop")),
    ).toEqual([
      'Step "some" settles the fan-out of "split", and step "all" collects it without `settle`. Set `settle: true` on both or on neither: an element that fails is in the batch, or fails the run.',
    ]);
  });
});

describe("what a collect with `of` leaves outside", () => {
  const steps = [
    step("split", "Start", "A* B"),
    step("a", "A", "X"),
    step("b", "B", "X"),
    step("end", collect("X", "split"), "Stop"),
  ];

  it("is reported where no other step takes it", () => {
    expect(messages(...steps)).toEqual([
      'Step "end" collects X in the fan-out of "split", and X also arises outside of every fan-out, where no step takes it. It comes from "b": does that step fan out? Then `emits: many(X)`. Take it there, or allow it with `skipChecks: ["uncollected"]`.',
    ]);
  });

  it("is no fault where a step takes it, or where the check is skipped", () => {
    expect(refused(...steps, step("see", "X"))).toEqual([]);
    expect(checkFanOuts(define(...steps), () => false)).toEqual([]);
  });
});

describe("a join", () => {
  const steps = [step("split", "Start", "A* B"), step("a", "A", "X Y"), step("b", "B", "Z")];

  it("pairs what arises in the same places", () => {
    expect(refused(...steps, step("pair", join({ x: "X", y: "Y" }), "P"), step("all", collect("P"), "Stop"))).toEqual(
      [],
    );
  });

  it("is refused for slots at different levels", () => {
    expect(messages(...steps, step("pair", join({ x: "X", z: "Z" }), "P"))).toEqual([
      'Step "pair" joins events of different levels: "x" in the fan-out of "split", "z" outside of every fan-out. Collect the inner ones first, or pair by a field: `join({ … }, { by: "…" })`.',
    ]);
  });

  it("by a field pairs over the run what is at different levels", () => {
    const flow = [...steps, step("pair", join({ x: "X", z: "Z" }, "id"), "P"), step("end", "P", "Stop")];

    expect(refused(...flow)).toEqual([]);
    expect(levels(define(...flow), "pair")).toEqual(["/"]);
    expect(paired(define(...flow))).toEqual({ split: [] });
  });

  it("by a field pairs over the innermost fan-out that holds all slots", () => {
    const flow = [
      step("orders", "Start", "O*"),
      step("lines", "O", "L*"),
      step("prices", "O", "R*"),
      step("pair", join({ line: "L", price: "R" }, "id"), "P"),
      step("all", collect("P"), "Stop"),
    ];

    expect(refused(...flow)).toEqual([]);
    expect(paired(define(...flow))).toEqual({ orders: ["pair"], lines: [], prices: [] });
    expect(owned(define(...flow))).toEqual({ orders: ["all"], lines: [], prices: [] });
    expect(levels(define(...flow), "pair")).toEqual(["/orders"]);
  });
});

describe("large graphs", () => {
  it("of 100 fan-outs in each other are followed once", () => {
    const steps = [step("s0", "Start", "E0*")];
    for (let at = 1; at < 100; at++) steps.push(step(`s${at}`, `E${at - 1}`, `E${at}*`));
    for (let at = 99; at >= 0; at--)
      steps.push(step(`c${at}`, collect(at === 99 ? "E99" : `C${at + 1}`), at === 0 ? "Stop" : `C${at}`));

    expect(refused(...steps)).toEqual([]);
    expect(levelsOf(flowOf(define(...steps)), "c99")[0]).toHaveLength(99);
  });

  it("of a million levels have the first of them spelled out", () => {
    const steps: StepDefinition[] = [];
    for (let at = 0; at < 20; at++)
      for (const side of ["a", "b"]) steps.push(step(`${side}${at}`, at === 0 ? "Start" : `E${at}`, `E${at + 1}*`));
    const flow = define(...steps, step("leaf", "E20", "X"), step("end", collect("X", "a0"), "Stop"));

    expect(levels(flow, "leaf")).toHaveLength(32);
  });
});
