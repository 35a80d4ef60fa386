/** Two copies of the package in one process, as a program has them that imports here and requires there. */
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { rejection } from "./support/runs.js";
import { refusal } from "./support/stored.js";

type Package = typeof import("../src/index.js");
const load = createRequire(import.meta.url);
const esm = load("../dist/index.js") as Package;
const cjs = load("../dist/index.cjs") as Package;

const flow = esm
  .defineWorkflow("flow")
  .step("end", { on: esm.StartEvent, emits: esm.StopEvent }, () => new esm.StopEvent({ result: 1 }))
  .build();

const said = (what: RegExp) =>
  expect.objectContaining({
    message: expect.stringMatching(what),
    hint: expect.stringMatching(/^Load one copy: everywhere with `import` or everywhere with `require`/),
  });

describe("what another copy of the package has made is named as such:", () => {
  it("a stop event that a step returns", async () => {
    const mixed = esm
      .defineWorkflow("mixed")
      .step("end", { on: esm.StartEvent, emits: esm.StopEvent }, () => new cjs.StopEvent({ result: 1 }))
      .build();

    expect(await rejection(mixed.run({}))).toEqual(said(/uses StopEvent.*it is of a second copy of millrace/));
  });

  it("a built-in event class that a step names", () => {
    const mixed = esm
      .defineWorkflow("mixed")
      .step("end", { on: esm.StartEvent, emits: cjs.StopEvent }, () => new cjs.StopEvent({ result: 1 }));

    expect(() => mixed.build()).toThrow(said(/"end" names StopEvent of a second copy of millrace/));
  });

  it("a start event", () => {
    expect(() => flow.run(new cjs.StartEvent({}))).toThrow(said(/does not start with StartEvent of a second copy/));
  });

  it("a workflow", () => {
    expect(() => new cjs.Context(flow)).toThrow(said(/This is a workflow of a second copy/));
  });

  it("a collect, a join, a many and resources", () => {
    class Told extends esm.event("Told") {}
    const ended = () => new esm.StopEvent({ result: 1 });
    const emits = esm.StopEvent;
    const steps = [
      esm.step({ on: cjs.collect(Told), emits }, ended),
      esm.step({ on: cjs.join({ told: Told }), emits }, ended),
      esm.step({ on: esm.StartEvent, emits: [cjs.many(Told), emits] }, ended),
      esm.step({ on: esm.StartEvent, emits, resources: { db: cjs.resource("db", () => 1) } }, ended),
    ];
    const messages = steps.map((end) => {
      class Mixed extends esm.Workflow {
        readonly end = end;
      }
      return refusal(() => esm.validateWorkflow(new Mixed())).message;
    });

    expect(messages).toEqual([
      expect.stringContaining('Step "end" has a collect of a second copy of millrace in this process in `on`.'),
      expect.stringContaining('Step "end" has a join of a second copy of millrace in this process in `on`.'),
      expect.stringContaining('Step "end" emits many() of a second copy of millrace in this process.'),
      expect.stringContaining('Step "end" needs resources of a second copy of millrace in this process.'),
    ]);
  });

  it("a context", () => {
    const other = cjs
      .defineWorkflow("flow")
      .step("end", { on: cjs.StartEvent, emits: cjs.StopEvent }, () => new cjs.StopEvent({ result: 1 }))
      .build();

    expect(() => flow.run({}, { context: new cjs.Context(other) })).toThrow(said(/`context` is of a second copy/));
  });
});

it("events of one's own pass from copy to copy", async () => {
  class Joke extends cjs.event("Joke") {}
  class Told extends cjs.StopEvent.define("Told") {}
  const mixed = esm
    .defineWorkflow("mixed")
    .step("begin", { on: esm.StartEvent, emits: Joke }, () => new Joke())
    .step("tell", { on: Joke, emits: Told }, () => new Told())
    .build();

  expect(await mixed.run({})).toBeInstanceOf(Told);
});

describe("a step of another copy", () => {
  it("is a step, with events of one's own", async () => {
    class Asked extends esm.StartEvent.define("Asked") {}
    class Mixed extends esm.Workflow {
      readonly end = cjs.step(
        { on: Asked, emits: esm.StopEvent } as never,
        () => new esm.StopEvent({ result: 1 }) as never,
      );
    }

    expect(await new Mixed().run(new Asked({}) as never)).toBe(1);
  });

  it("is told from one of this copy by the built-in events that it names", () => {
    class Mixed extends esm.Workflow {
      readonly end = cjs.step({ on: cjs.StartEvent, emits: cjs.StopEvent }, () => new cjs.StopEvent({ result: 1 }));
    }

    expect(() => new Mixed().run({} as never)).toThrow(/"end" names StartEvent of a second copy of millrace/);
  });
});
