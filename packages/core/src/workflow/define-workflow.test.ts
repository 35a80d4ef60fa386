import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compiledOf, compileWorkflow } from "../compile/compile.js";
import { StartEvent, StopEvent } from "../event/built-in-events.js";
import { event } from "../event/event.js";
import { catchError, collect, many, step } from "../step/step.js";
import { defineWorkflow, Workflow } from "./workflow.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Critique extends event("Critique", { text: z.string() }) {}
const state = { count: z.number().default(0) };

class JokeFlow extends Workflow.withState(state) {
  @step({ on: StartEvent, emits: many(Joke, Critique), workers: 2 }) write(_: StartEvent) {
    return [new Joke({ text: "" }), new Critique({ text: "" })];
  }
  @step({ on: collect([Joke, Critique], { settle: true }), emits: StopEvent }) judge() {
    return new StopEvent({ result: 1 });
  }
  @catchError({ steps: ["write"], emits: StopEvent }) recover() {
    return new StopEvent({ result: 2 });
  }
}

const judge = step(
  { on: collect([Joke, Critique], { settle: true }), emits: StopEvent },
  () => new StopEvent({ result: 1 }),
);
const beginning = defineWorkflow("JokeFlow", { state }).step(
  "write",
  { on: StartEvent, emits: many(Joke, Critique), workers: 2 },
  () => [new Joke({ text: "" }), new Critique({ text: "" })],
);

describe("defineWorkflow", () => {
  it("compiles to the same as the class", () => {
    const built = beginning
      .step("judge", judge)
      .catchError("recover", { steps: ["write"], emits: StopEvent }, () => new StopEvent({ result: 2 }))
      .build();
    const { definition, state: schema, startClasses, options } = compileWorkflow(built);
    const asClass = compileWorkflow(new JokeFlow());

    expect(definition).toEqual(asClass.definition);
    expect(startClasses).toEqual(asClass.startClasses);
    expect(schema?.initial()).toEqual({ count: 0 });
    expect(options).toEqual(asClass.options);
    expect(built).toBeInstanceOf(Workflow);
  });

  it("calls the functions as they are given", () => {
    const built = beginning.step("judge", judge).build();

    expect(compileWorkflow(built).steps.get("judge")?.call([], {}, {})).toEqual(new StopEvent({ result: 1 }));
  });

  it("builds one beginning with several ends", () => {
    const short = beginning.step("judge", judge).build();
    const long = beginning
      .step("judge", judge)
      .step(
        "log",
        step({ on: Joke }, () => {}),
      )
      .build();

    expect([short, long].map((flow) => [...compileWorkflow(flow).steps.keys()])).toEqual([
      ["write", "judge"],
      ["write", "judge", "log"],
    ]);
  });

  it("is checked when it is built, and takes the options of any workflow", () => {
    const builder = beginning.step(
      "judge",
      { on: collect([Joke, Critique]), emits: StopEvent, limit: "model" },
      () => new StopEvent(),
    );

    expect(() => builder.build()).toThrow(expect.objectContaining({ code: "WORKFLOW_INVALID" }));
    expect(compiledOf(builder.build({ limits: { model: {} }, timeout: "1m" }))?.options).toMatchObject({
      name: "JokeFlow",
      timeoutMs: 60_000,
    });
  });

  it("uses its own names for free steps that have one", () => {
    const named = step({ on: collect([Joke, Critique]), emits: StopEvent, name: "other" }, () => new StopEvent());

    expect([...compileWorkflow(beginning.step("judge", named).build()).steps.keys()]).toEqual(["write", "judge"]);
  });

  it("knows its children, built ones too", () => {
    const child = beginning.step("judge", judge).build();
    const parent = defineWorkflow("parent", { children: { child, flow: JokeFlow } })
      .step("go", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
      .build();

    expect([...compileWorkflow(parent).children]).toEqual([
      ["child", child],
      ["flow", JokeFlow],
    ]);
  });

  it("refuses a function that is not a step", () => {
    expect(() => beginning.step("judge", (() => {}) as never)).toThrow(
      expect.objectContaining({ code: "WORKFLOW_INVALID" }),
    );
  });
});
