import { expectTypeOf, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import {
  ExternalEvent,
  HumanResponseEvent,
  InputRequiredEvent,
  makeEngineEvent,
  StartEvent,
  type StepFailedEvent,
  StopEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "./built-in-events.js";
import { type EventClass, type EventOf, event, type eventFacts, type WorkflowEvent } from "./event.js";
import type { StandardSchema } from "./schema.js";

declare const foreign: StandardSchema<{ id: string; n?: string }, { id: string; n: number }>;
declare const anything: unknown;

class Joke extends event("Joke", { text: z.string() }) {}
class Critique extends event("Critique", {
  text: z.string(),
  stars: z.number().default(3),
  by: z.string().optional(),
}) {}
class Ping extends event("Ping") {}
class Tick extends event("Tick", { n: z.number().default(0) }) {}
class Shape extends event("Shape", { id: z.string() }) {}
class Circle extends Shape.extend("Circle", { r: z.number() }) {}
class Ask extends StartEvent.define("Ask", { topic: z.string(), tone: z.string().default("dry") }) {}
class Answer extends StopEvent.define("Answer", { joke: z.string() }) {}

it("infers the fields: defaults and optional ones may be left out", () => {
  expectTypeOf<Joke["text"]>().toEqualTypeOf<string>();
  expectTypeOf<(typeof Joke)["type"]>().toEqualTypeOf<"Joke">();
  expectTypeOf<Critique["stars"]>().toEqualTypeOf<number>();
  expectTypeOf<Critique["by"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Critique[typeof eventFacts]["input"]>().toEqualTypeOf<{
    text: string;
    stars?: number | undefined;
    by?: string | undefined;
  }>();
  new Critique({ text: "" });
  new Ping();
  new Ping({});
  new Tick();
});

it("takes any Standard Schema, of a field or of the object", () => {
  class Order extends event("Order", z.object({ id: z.string(), at: z.date() })) {}
  class Foreign extends event("Foreign", foreign) {}
  class Mini extends event("Mini", { text: mini.string(), n: mini._default(mini.number(), 1) }) {}
  class Parsed extends event("Parsed", { n: z.string().transform(Number), any: z.any() }) {}
  expectTypeOf<Order["at"]>().toEqualTypeOf<Date>();
  expectTypeOf(new Foreign({ id: "a" }).n).toEqualTypeOf<number>();
  expectTypeOf(new Mini({ text: "" }).n).toEqualTypeOf<number>();
  expectTypeOf(new Parsed({ n: "1" }).n).toEqualTypeOf<number>();
});

it("narrows by class, type and instanceof", () => {
  const either = anything as Joke | Critique;
  if (Joke.is(either)) either.text;
  else either.stars;
  if (Joke.is(anything)) expectTypeOf(anything).toEqualTypeOf<Joke>();
  if (either.type === "Critique") expectTypeOf(either).toEqualTypeOf<Critique>();
  if (either instanceof Critique) either.stars.toFixed();
});

it("types roles and open events", () => {
  expectTypeOf<Ask["tone"]>().toEqualTypeOf<string>();
  expectTypeOf<Ask[typeof eventFacts]["role"]>().toEqualTypeOf<"start">();
  expectTypeOf(new Answer({ joke: "" }).joke).toEqualTypeOf<string>();
  expectTypeOf(new StartEvent({ topic: "x" }).get("topic")).toEqualTypeOf<unknown>();
  expectTypeOf(new StopEvent({ result: 42 })).toEqualTypeOf<StopEvent<number>>();
  expectTypeOf(new StopEvent()).toEqualTypeOf<StopEvent<undefined>>();
  if (StopEvent.is(anything)) expectTypeOf(anything.result).toEqualTypeOf<unknown>();
  new InputRequiredEvent({ prefix: "?" }).fields;
  new ExternalEvent();
  new HumanResponseEvent();
});

it("takes every class as an EventClass", () => {
  const classes: EventClass[] = [Joke, Circle, Ask, Answer, StartEvent, StopEvent, WorkflowFailedEvent];
  const events: WorkflowEvent[] = [new Joke({ text: "" }), new StopEvent({ result: 1 }), new StartEvent()];
  void [classes, events];
  expectTypeOf<InstanceType<typeof Circle>["id"]>().toEqualTypeOf<string>();
});

it("types what the engine's events are made of", () => {
  makeEngineEvent(WorkflowTimedOutEvent, { timeoutMs: 1, activeSteps: [] });
  // @ts-expect-error -- a field is missing
  makeEngineEvent(WorkflowTimedOutEvent, { timeoutMs: 1 });
  makeEngineEvent(WorkflowFailedEvent, {
    stepName: null,
    // @ts-expect-error -- an error is stored as a record
    error: 1,
    attempts: 0,
    elapsedMs: 0,
    failedAtMs: 0,
    input: null,
  });
});

it("takes a version and a way to migrate, as statics of the class", () => {
  class Rated extends event("Joke", { text: z.string(), rating: z.number() }) {
    static override readonly version = 2;
    static override migrate(fields: Record<string, unknown>, from: number) {
      return { rating: from, ...fields };
    }
  }
  class Pun extends Rated.extend("Pun") {
    static override readonly version = 3;
    static override migrate(fields: Record<string, unknown>) {
      return { ...super.migrate(fields, 2), text: "" };
    }
  }
  // @ts-expect-error -- a version is a number
  class Worded extends event("Worded") {
    static override readonly version = "2";
  }
  // @ts-expect-error -- `migrate` returns fields
  class Texted extends event("Texted") {
    static override migrate = () => "fields";
  }
  expectTypeOf<(typeof Rated)["version"]>().toEqualTypeOf<2>();
  expectTypeOf<EventClass<Rated>>(Rated);
  expectTypeOf<EventClass<Pun>>(Pun);
  void [Worded, Texted];
});

it("refuses wrong programs", () => {
  // @ts-expect-error -- wrong field type
  new Joke({ text: 1 });
  // @ts-expect-error -- missing fields
  new Joke();
  // @ts-expect-error -- unknown field
  new Joke({ text: "", txt: "" });
  // @ts-expect-error -- same fields, other event
  const critique: Critique = new Joke({ text: "" });
  // @ts-expect-error -- fields are read-only
  new Joke({ text: "" }).text = "x";
  // @ts-expect-error -- reserved field name
  event("Typed", { type: z.string() });
  // @ts-expect-error -- a schema that is not of an object
  event("Text", z.string());
  // @ts-expect-error -- a field that is not a schema
  event("Raw", { text: "string" });
  // @ts-expect-error -- the type is not a string
  event(Joke);
  // @ts-expect-error -- an open event has no such property
  new StartEvent({ topic: "x" }).topic;
  // @ts-expect-error -- only the engine makes these
  new WorkflowFailedEvent({ stepName: "a" });
  // @ts-expect-error -- a stop event has one field
  new StopEvent({ reslt: 1 });
  // @ts-expect-error -- an event is not the event it extends: matching is by exact class
  const shape: Shape = new Circle({ id: "", r: 1 });
  void [critique, shape];
});

it("types the input of a failed step as the event, the batch or the set", () => {
  expectTypeOf<StepFailedEvent["input"]>().toEqualTypeOf<
    WorkflowEvent | readonly WorkflowEvent[] | { readonly [slot: string]: WorkflowEvent }
  >();
  expectTypeOf<WorkflowFailedEvent["input"]>().toEqualTypeOf<StepFailedEvent["input"] | null>();
});

it("takes a union of objects: its common fields, and the others as optional ones", () => {
  const shape = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("card"), number: z.string(), note: z.string().optional() }),
    z.object({ kind: z.literal("cash"), amount: z.number() }),
  ]);
  class Paid extends event("Paid", shape) {}
  const paid = new Paid({ kind: "card", number: "1" });
  expectTypeOf(paid.kind).toEqualTypeOf<"card" | "cash">();
  expectTypeOf(paid.number).toEqualTypeOf<string | undefined>();
  expectTypeOf(paid.amount).toEqualTypeOf<number | undefined>();
  expectTypeOf(paid.type).toEqualTypeOf<"Paid">();
  new Paid({ kind: "cash", amount: 1 });
  // @ts-expect-error [2345] fields of another member
  new Paid({ kind: "cash", number: "1" });
  class Begin extends StartEvent.define("Begin", shape) {}
  expectTypeOf<Begin["kind"]>().toEqualTypeOf<"card" | "cash">();
});

it("is made by a generic function, whose result names its type", () => {
  function valued<Value>(schema: StandardSchema<unknown, Value>): EventOf<"Valued", { value: Value }> {
    return event("Valued", { value: schema }) as EventOf<"Valued", { value: Value }>;
  }
  class Text extends valued(z.string()) {}
  expectTypeOf(new Text({ value: "a" }).value).toEqualTypeOf<string>();
  expectTypeOf<Text["type"]>().toEqualTypeOf<"Valued">();
});

it("has a type that can be written down", () => {
  const NamedBase: EventOf<"Named", { text: string; n: number }, { text: string; n?: number | undefined }> = event(
    "Named",
    {
      text: z.string(),
      n: z.number().default(0),
    },
  );
  class Named extends NamedBase {}
  expectTypeOf(new Named({ text: "" }).n).toEqualTypeOf<number>();
});
