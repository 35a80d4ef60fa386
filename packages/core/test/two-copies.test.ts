/** Two copies of the package in one process, as a program has them that has installed two versions. */
import { cpSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, describe, expect, it } from "vitest";
import { rejection } from "./support/runs.js";
import { refusal } from "./support/stored.js";

type Package = typeof import("../src/index.js");
const load = createRequire(import.meta.url);
const first = load("../dist/index.js") as Package;
const copied = new URL("../node_modules/.second-copy/", import.meta.url);
cpSync(new URL("../dist/", import.meta.url), copied, { recursive: true });
const second = load("../node_modules/.second-copy/index.js") as Package;
afterAll(() => rmSync(copied, { recursive: true }));

const flow = first
  .defineWorkflow("flow")
  .step("end", { on: first.StartEvent, emits: first.StopEvent }, () => new first.StopEvent({ result: 1 }))
  .build();

const said = (what: RegExp) =>
  expect.objectContaining({
    message: expect.stringMatching(what),
    hint: expect.stringMatching(/^Load one version/),
  });

describe("what another copy of the package has made is named as such:", () => {
  it("a stop event that a step returns", async () => {
    const mixed = first
      .defineWorkflow("mixed")
      .step("end", { on: first.StartEvent, emits: first.StopEvent }, () => new second.StopEvent({ result: 1 }))
      .build();

    expect(await rejection(mixed.run({}))).toEqual(said(/uses StopEvent.*it is of a second copy of millrace/));
  });

  it("a built-in event class that a step names", () => {
    const mixed = first
      .defineWorkflow("mixed")
      .step("end", { on: first.StartEvent, emits: second.StopEvent }, () => new second.StopEvent({ result: 1 }));

    expect(() => mixed.build()).toThrow(said(/"end" names StopEvent of a second copy of millrace/));
  });

  it("a start event", () => {
    expect(() => flow.run(new second.StartEvent({}))).toThrow(said(/does not start with StartEvent of a second copy/));
  });

  it("a workflow", () => {
    expect(() => new second.Context(flow)).toThrow(said(/This is a workflow of a second copy/));
  });

  it("a collect, a join, a many and resources", () => {
    class Told extends first.event("Told") {}
    const ended = () => new first.StopEvent({ result: 1 });
    const emits = first.StopEvent;
    const steps = [
      first.step({ on: second.collect(Told), emits }, ended),
      first.step({ on: second.join({ told: Told }), emits }, ended),
      first.step({ on: first.StartEvent, emits: [second.many(Told), emits] }, ended),
      first.step({ on: first.StartEvent, emits, resources: { db: second.resource("db", () => 1) } }, ended),
    ];
    const messages = steps.map((end) => {
      class Mixed extends first.Workflow {
        readonly end = end;
      }
      return refusal(() => first.validateWorkflow(new Mixed())).message;
    });

    expect(messages).toEqual([
      expect.stringContaining('Step "end" has a collect of a second copy of millrace in this process in `on`.'),
      expect.stringContaining('Step "end" has a join of a second copy of millrace in this process in `on`.'),
      expect.stringContaining('Step "end" emits many() of a second copy of millrace in this process.'),
      expect.stringContaining('Step "end" needs resources of a second copy of millrace in this process.'),
    ]);
  });

  it("a context", () => {
    const other = second
      .defineWorkflow("flow")
      .step("end", { on: second.StartEvent, emits: second.StopEvent }, () => new second.StopEvent({ result: 1 }))
      .build();

    expect(() => flow.run({}, { context: new second.Context(other) })).toThrow(said(/`context` is of a second copy/));
  });
});

it("events of one's own pass from copy to copy", async () => {
  class Joke extends second.event("Joke") {}
  class Told extends second.StopEvent.define("Told") {}
  const mixed = first
    .defineWorkflow("mixed")
    .step("begin", { on: first.StartEvent, emits: Joke }, () => new Joke())
    .step("tell", { on: Joke, emits: Told }, () => new Told())
    .build();

  expect(await mixed.run({})).toBeInstanceOf(Told);
});

describe("a step of another copy", () => {
  it("is a step, with events of one's own", async () => {
    class Asked extends first.StartEvent.define("Asked") {}
    class Mixed extends first.Workflow {
      readonly end = second.step(
        { on: Asked, emits: first.StopEvent } as never,
        () => new first.StopEvent({ result: 1 }) as never,
      );
    }

    expect(await new Mixed().run(new Asked({}) as never)).toBe(1);
  });

  it("is told from one of this copy by the built-in events that it names", () => {
    class Mixed extends first.Workflow {
      readonly end = second.step(
        { on: second.StartEvent, emits: second.StopEvent },
        () => new second.StopEvent({ result: 1 }),
      );
    }

    expect(() => new Mixed().run({} as never)).toThrow(/"end" names StartEvent of a second copy of millrace/);
  });
});
