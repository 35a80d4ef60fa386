import { describe, expect, it } from "vitest";
import * as z from "zod";
import { WorkflowError } from "../errors/workflow-error.js";
import { copyValue } from "../value/copy.js";
import { recordError } from "../value/error-record.js";
import { JoinIncompleteEvent, makeEngineEvent, StartEvent, StepFailedEvent, StopEvent } from "./built-in-events.js";
import { event, type WorkflowEvent } from "./event.js";
import { decodeEvent, EventRegistry, encodeEvent, mayConvert, storableTypes } from "./event-codec.js";

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}
const money = {
  name: "money",
  is: (value: unknown) => value instanceof Money,
  encode: (value: Money) => value.cents,
  decode: (cents: number) => new Money(cents),
};

class Joke extends event("Joke", { text: z.string(), stars: z.number().default(3) }) {}
class Parsed extends event("Parsed", {
  n: z.string().transform(Number),
  list: z.string().transform((text) => text.split(",")),
}) {}
class Louder extends event("Louder", { text: z.string().transform((text) => `${text}!`) }) {}
class Order extends event("Order", z.object({ id: z.string(), at: z.date(), note: z.string().default("none") })) {}
class Said extends event("Said", { text: z.string() }) {
  constructor(text: string) {
    super({ text });
  }
}
class Bill extends event("Bill", { total: z.instanceof(Money) }) {}
const registry = new EventRegistry([Joke, Parsed, Louder, Order, Said, Bill, StartEvent, StopEvent], [money]);

/** Through text, as a store does it. */
function roundTrip(before: WorkflowEvent): WorkflowEvent {
  return decodeEvent(JSON.parse(JSON.stringify(encodeEvent(before, "event", [money]))), registry, "event");
}

describe("event codec", () => {
  it.each([
    new Joke({ text: "ha" }),
    new Order({ id: "a", at: new Date(5) }),
    new StartEvent({ topic: "x", at: new Date(0), type: "y" }),
    new StopEvent({ result: new Map([[1, new Set([2n])]]) }),
    new StopEvent(),
    new Said("ha"),
    new Bill({ total: new Money(5) }),
  ])("brings back %o", (before) => {
    const after = roundTrip(before);

    expect(after).toStrictEqual(before);
    expect(Object.isFrozen(after)).toBe(true);
  });

  it("applies no transform twice, also one that takes its own output", () => {
    expect(roundTrip(new Parsed({ n: "42", list: "a,b" }))).toMatchObject({ n: 42, list: ["a", "b"] });
    expect(roundTrip(new Louder({ text: "ha" }))).toMatchObject({ text: "ha!" });
  });

  it("keeps events inside events", () => {
    const joke = new Joke({ text: "ha" });
    const incomplete = makeEngineEvent(JoinIncompleteEvent, { step: "pair", missing: ["verdict"], events: [joke] });

    expect(roundTrip(incomplete)).toStrictEqual(incomplete);
    expect(roundTrip(new StopEvent({ result: { joke } }))).toStrictEqual(new StopEvent({ result: { joke } }));
  });

  it("keeps why a step failed", () => {
    const failed = makeEngineEvent(StepFailedEvent, {
      stepName: "judge",
      error: recordError(new TypeError("no")),
      attempts: 1,
      elapsedMs: 1,
      failedAtMs: 1,
      input: new Joke({ text: "ha" }),
    });

    const after = roundTrip(failed) as StepFailedEvent;

    expect(after.failure).toStrictEqual(failed.failure);
    expect(WorkflowError.is(after.error, "STEP_FAILED")).toBe(true);
    expect(after.input).toBeInstanceOf(Joke);
  });

  it("stores plain data as it is", () => {
    expect(encodeEvent(new Joke({ text: "ha" }), "event")).toEqual({ type: "Joke", data: { text: "ha", stars: 3 } });
  });

  it("names the path of what cannot be stored", () => {
    expect(() => encodeEvent(new StopEvent({ result: { f: () => 1 } }), 'Step "end"')).toThrow(
      expect.objectContaining({
        code: "VALUE_UNSERIALIZABLE",
        message: 'Step "end".result.f is a function, which cannot be stored.',
      }),
    );
  });
});

describe("decodeEvent", () => {
  it("names the nearest type for one that is unknown", () => {
    expect(() => decodeEvent({ type: "Jokes", data: {} }, registry, "queue.0")).toThrow(
      expect.objectContaining({ code: "EVENT_UNKNOWN", message: expect.stringContaining('the nearest is "Joke"') }),
    );
    expect(() => decodeEvent({ type: "__proto__", data: {} }, registry, "queue.0")).toThrow(
      expect.objectContaining({ code: "EVENT_UNKNOWN" }),
    );
    expect(() => decodeEvent(null, registry, "queue.0")).toThrow(expect.objectContaining({ code: "EVENT_UNKNOWN" }));
  });

  it.each([
    ["a wrong field", { type: "Joke", data: { text: 5 } }],
    ["a missing field", { type: "Joke", data: {} }],
    ["a wrong object", { type: "Order", data: { id: "a", at: "today" } }],
    ["no fields", { type: "Joke", data: null }],
    ["a list", { type: "StartEvent", data: [] }],
    ["a reserved name", { type: "Order", data: { id: "a", toJSON: 1 } }],
    ["a failure without an error", { type: "StepFailedEvent", data: { stepName: "x" } }],
    [
      "a wrong event inside",
      {
        type: "StopEvent",
        data: { result: { type: "Joke", data: { text: 5 } } },
        meta: { result: [["custom", "@event"]] },
      },
    ],
  ])("refuses %s", (_, encoded) => {
    expect(() => decodeEvent(encoded, registry, "queue.0")).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });

  it("refuses a forbidden name", () => {
    const encoded = { type: "StartEvent", data: JSON.parse('{"__proto__":{}}') };

    expect(() => decodeEvent(encoded, registry, "queue.0")).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_HOSTILE", details: { path: "queue.0" } }),
    );
  });

  it("adds the default of a field that the class got later, and drops one that it lost", () => {
    expect({ ...decodeEvent({ type: "Joke", data: { text: "ha", old: 1 } }, registry, "event") }).toEqual({
      text: "ha",
      stars: 3,
    });
    expect(
      decodeEvent(
        { type: "Order", data: { id: "a", at: "1970-01-01T00:00:00.000Z" }, meta: { at: ["Date"] } },
        registry,
        "event",
      ),
    ).toMatchObject({ note: "none" });
  });
});

describe("copies of values", () => {
  const types = storableTypes(registry);

  it("hold inner events, frozen like any other", () => {
    const order = new Order({ id: "1", at: new Date(0) });
    const copy = copyValue({ order, seen: new Set([order]) }, types);

    expect(copy.order).toStrictEqual(order);
    expect(copy.order).not.toBe(order);
    expect(copy.order.at).not.toBe(order.at);
    expect(copy.order).toBeInstanceOf(Order);
    expect(Object.isFrozen(copy.order)).toBe(true);
    expect([...copy.seen]).toStrictEqual([order]);
  });

  it("hold events whose fields are kept apart", () => {
    const start = new StartEvent({ topic: { name: "rain" } });
    const { start: copy } = copyValue({ start, at: undefined }, types);

    expect(copy).toStrictEqual(start);
    expect(copy.get("topic")).not.toBe(start.get("topic"));
  });

  it("hold inner instances and errors", () => {
    const before = { owed: new Money(5), why: new TypeError("no", { cause: new Error("deeper") }) };
    const copy = copyValue(before, types);

    expect(copy.owed).toStrictEqual(before.owed);
    expect(copy.owed).not.toBe(before.owed);
    expect(copy.why).toBeInstanceOf(TypeError);
    expect(copy.why).toMatchObject({ message: "no", cause: { message: "deeper" }, stack: before.why.stack });
    expect(copy.why).not.toBe(before.why);
  });

  it("go no deeper into a class that takes its own JSON", () => {
    const box = {
      name: "box",
      is: (value: unknown) => typeof value === "object" && value !== null && "box" in value,
      encode: (value: { box: Date }) => ({ box: value.box }),
      decode: (json: { box: Date }) => ({ ...json }),
    };
    const before = { in: { box: new Date(0) } };
    const copy = copyValue(before, [box]);

    expect(copy).toEqual(before);
    expect(copy.in.box).not.toBe(before.in.box);
  });
});

describe("mayConvert", () => {
  const tree: z.ZodType = z.lazy(() => z.object({ children: z.array(tree) }));

  it.each([
    ["text", z.string().min(1).trim()],
    ["a default", z.number().default(1)],
    ["an object", z.object({ a: z.array(z.date().optional()) })],
    ["itself", tree],
    ["coercion", z.coerce.number()],
  ])("is certain that %s takes its own output", (_, schema) => {
    expect(mayConvert(schema)).toBe(false);
  });

  it.each([
    ["a transform", z.string().transform(Number)],
    ["one deep inside", z.object({ a: z.array(z.union([z.string(), z.string().transform(Number)])) })],
    [
      "a codec",
      z.codec(z.string(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() }),
    ],
    ["another vendor", { "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }) } }],
  ])("is not certain of %s", (_, schema) => {
    expect(mayConvert(schema)).toBe(true);
  });
});
