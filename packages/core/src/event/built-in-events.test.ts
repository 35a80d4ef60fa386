import { describe, expect, it } from "vitest";
import * as z from "zod";
import { recordError } from "../value/error-record.js";
import {
  ExternalEvent,
  HumanResponseEvent,
  InputRequiredEvent,
  JoinIncompleteEvent,
  makeEngineEvent,
  StartEvent,
  StepFailedEvent,
  StopEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "./built-in-events.js";
import {
  classOf,
  event,
  eventTypeOf,
  fieldOf,
  fieldsOf,
  isEvent,
  isEventClass,
  isSubclass,
  ownsType,
  roleOf,
} from "./event.js";
import { EventRegistry } from "./event-codec.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Pun extends Joke.extend("Pun") {}
class PlainPun extends Joke {}
class Ask extends StartEvent.define("Ask", { topic: z.string() }) {}
const joke = new Joke({ text: "ha" });

describe("events of a role", () => {
  it("take any fields", () => {
    const start = new StartEvent({ topic: "pirates", type: "sea" });

    expect(start.get("topic")).toBe("pirates");
    expect(start.get("toString")).toBe(undefined);
    expect(start.fields).toEqual({ topic: "pirates", type: "sea" });
    expect(start.type).toBe("StartEvent");
    expect(JSON.stringify(start)).toBe('{"topic":"pirates","type":"sea"}');
    expect(Object.isFrozen(start.fields)).toBe(true);
    expect(new StartEvent().fields).toEqual({});
  });

  it("define events of that role with their own fields", () => {
    expect(new Ask({ topic: "x" }).topic).toBe("x");
    expect([Ask.type, roleOf(Ask), StartEvent.is(new Ask({ topic: "x" }))]).toEqual(["Ask", "start", false]);
    expect(() => new Ask({} as never)).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });

  it("have the roles start, stop, input required, external and human response", () => {
    const classes = [StartEvent, StopEvent, InputRequiredEvent, ExternalEvent, HumanResponseEvent];

    expect(classes.map((one) => roleOf(one))).toEqual(["start", "stop", "inputRequired", "external", "humanResponse"]);
    expect(isSubclass(HumanResponseEvent, ExternalEvent)).toBe(true);
    expect(new HumanResponseEvent({ a: 1 }).get("a")).toBe(1);
  });

  it("end a run with one value, whatever it is", () => {
    const result = new Map();

    expect(new StopEvent({ result }).result).toBe(result);
    expect(new StopEvent().result).toBe(undefined);
    expect(new (class Answer extends StopEvent.define("Answer", { joke: z.string() }) {})({ joke: "ha" }).joke).toBe(
      "ha",
    );
  });
});

describe("events of the engine", () => {
  const thrown = new TypeError("no such joke");
  const failed = makeEngineEvent(StepFailedEvent, {
    stepName: "judge",
    error: recordError(thrown),
    attempts: 3,
    elapsedMs: 5,
    failedAtMs: 1_000,
    input: joke,
  });

  it("cannot be made by others", () => {
    expect(() => new WorkflowFailedEvent({} as never)).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });

  it("say why a step failed", () => {
    expect(failed).toMatchObject({ stepName: "judge", attempts: 3, elapsedMs: 5, failedAtMs: 1_000 });
    expect(failed.error).toBe(thrown);
    expect(failed.input).toBe(joke);
    expect(StepFailedEvent.is(failed)).toBe(true);
    expect(Object.isFrozen(failed.failure)).toBe(true);
  });

  it("have JSON without stacks", () => {
    expect(JSON.parse(JSON.stringify(failed))).toEqual({
      stepName: "judge",
      error: { name: "TypeError", message: "no such joke" },
      attempts: 3,
      elapsedMs: 5,
      failedAtMs: 1_000,
      input: { text: "ha" },
    });
  });

  it("have their fields and roles", () => {
    const timedOut = makeEngineEvent(WorkflowTimedOutEvent, { timeoutMs: 5, activeSteps: ["judge"] });

    expect({ ...timedOut }).toEqual({ timeoutMs: 5, activeSteps: ["judge"] });
    expect([roleOf(timedOut), roleOf(JoinIncompleteEvent), roleOf(StepFailedEvent)]).toEqual([
      "terminal",
      "notice",
      "stepFailed",
    ]);
  });
});

describe("facts", () => {
  it("distinguishes events and classes from everything else", () => {
    expect([joke, new StartEvent(), { type: "Joke" }, null, "x"].map(isEvent)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([Joke, StopEvent, JoinIncompleteEvent, class {}, () => 1, joke].map(isEventClass)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it("knows which classes have their own type", () => {
    const Bare = event("Bare");
    class Started extends StartEvent {}
    class Twice extends PlainPun {}

    expect([Joke, Pun, Ask, Bare, StartEvent, StopEvent].map((one) => ownsType(one))).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect([PlainPun, Started, Twice].map((one) => ownsType(one))).toEqual([false, false, false]);
    expect(eventTypeOf(PlainPun)).toBe("Joke");
  });

  it("reads fields of closed, open and engine events alike", () => {
    const start = new StartEvent({ topic: "x" });
    const failed = makeEngineEvent(WorkflowFailedEvent, {
      stepName: null,
      error: recordError("x"),
      attempts: 0,
      elapsedMs: 0,
      failedAtMs: 0,
      input: null,
    });

    expect([fieldOf(joke, "text"), fieldOf(start, "topic"), fieldOf(failed, "stepName")]).toEqual(["ha", "x", null]);
    expect([fieldOf(joke, "type"), fieldOf(joke, "toJSON"), fieldOf(start, "constructor")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([fieldsOf(joke), fieldsOf(start)]).toEqual([{ text: "ha" }, { topic: "x" }]);
  });

  it("returns the exact class, and what extends what", () => {
    expect(classOf(new Pun({ text: "ha" }))).toBe(Pun);
    expect([isSubclass(Pun, Joke), isSubclass(Joke, Joke), isSubclass(Joke, Pun), isSubclass(Ask, StartEvent)]).toEqual(
      [true, true, false, false],
    );
  });
});

describe("EventRegistry", () => {
  const registry = new EventRegistry([Joke, Ask, Joke]);

  it("finds classes by type, the engine's included", () => {
    expect([registry.get("Joke"), registry.get("JoinIncompleteEvent"), registry.get("Pun")]).toEqual([
      Joke,
      JoinIncompleteEvent,
      undefined,
    ]);
    expect(registry.types()).toEqual(["Joke", "Ask"]);
  });

  it("has events of exactly its classes", () => {
    expect([
      registry.has(joke),
      registry.has(new PlainPun({ text: "ha" })),
      registry.has(new Pun({ text: "ha" })),
    ]).toEqual([true, false, false]);
  });

  it.each([[Joke, PlainPun], [StepFailedEvent, event("StepFailedEvent")], [event("JoinIncompleteEvent")]])(
    "refuses two classes of one type",
    (...classes) => {
      const details = expect.objectContaining({ reason: "type" });
      expect(() => new EventRegistry(classes as never)).toThrow(
        expect.objectContaining({ code: "WORKFLOW_INVALID", details }),
      );
    },
  );
});
