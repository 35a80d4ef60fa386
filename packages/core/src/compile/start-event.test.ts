import { describe, expect, it } from "vitest";
import * as z from "zod";
import { StartEvent, StopEvent } from "../event/built-in-events.js";
import { event } from "../event/event.js";
import { step } from "../step/step.js";
import { Workflow } from "../workflow/workflow.js";
import { resolveStart } from "./child.js";
import { compileWorkflow } from "./compile.js";

class Ask extends StartEvent.define("Ask", { topic: z.string() }) {}
class Order extends StartEvent.define("Order", { id: z.number() }) {}
class Raw extends StartEvent.define("Raw", { n: z.string().transform(Number) }) {}
class Joke extends event("Joke") {}

class OneFlow extends Workflow {
  @step({ on: Ask, emits: StopEvent }) go(_: Ask) {
    return new StopEvent();
  }
}
class RawFlow extends Workflow {
  @step({ on: Raw, emits: StopEvent }) go(_: Raw) {
    return new StopEvent();
  }
}
class OpenFlow extends Workflow {
  @step({ on: StartEvent, emits: StopEvent }) any(_: StartEvent) {
    return new StopEvent();
  }
  @step({ on: [Ask, Order], emits: StopEvent }) some(_: Ask | Order) {
    return new StopEvent();
  }
}
class TwoFlow extends Workflow {
  @step({ on: [Ask, Order], emits: StopEvent }) some(_: Ask | Order) {
    return new StopEvent();
  }
}
const start = (flow: Workflow, input?: unknown) => resolveStart(compileWorkflow(flow), input);
const code = (expected: string) => expect.objectContaining({ code: expected });

describe("the start event", () => {
  it("is made of fields", () => {
    expect(start(new OneFlow(), { topic: "x" })).toEqual(new Ask({ topic: "x" }));
  });

  it("is taken as it is, so that a transform is not applied twice", () => {
    const raw = new Raw({ n: "1" });

    expect(start(new RawFlow(), raw)).toBe(raw);
  });

  it("of several is the first that the fields fit; a plain one is the last, wherever its step stands", () => {
    expect(start(new OpenFlow(), { id: 1 })).toEqual(new Order({ id: 1 }));
    expect(start(new OpenFlow(), { other: 1 })).toEqual(new StartEvent({ other: 1 }));
    expect(start(new OpenFlow())).toEqual(new StartEvent());
  });

  it("is refused with the reasons of its fields", () => {
    expect(() => start(new OneFlow(), { topic: 1 })).toThrow(/topic/);
    expect(() => start(new OneFlow(), { topic: 1 })).toThrow(code("EVENT_INVALID"));
    expect(() => start(new OneFlow())).toThrow(code("EVENT_INVALID"));
  });

  it("is refused with all reasons when the fields fit none of several", () => {
    expect(() => start(new TwoFlow(), {})).toThrow(code("START_AMBIGUOUS"));
    expect(() => start(new TwoFlow(), {})).toThrow(/topic.*id/s);
  });

  it("is refused when no step starts with it", () => {
    expect(() => start(new OneFlow(), new Order({ id: 1 }))).toThrow(code("EVENT_NOT_ACCEPTED"));
    expect(() => start(new OneFlow(), new Joke())).toThrow(/does not start with Joke/);
  });
});
