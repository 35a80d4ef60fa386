import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { StartEvent, StopEvent } from "./built-in-events.js";
import { event } from "./event.js";
import { eventFromFields } from "./event-codec.js";
import type { StandardSchema } from "./schema.js";

class Joke extends event("Joke", { text: z.string(), stars: z.number().default(3), by: z.string().optional() }) {}
class Order extends event("Order", z.object({ id: z.string(), lines: z.array(z.object({ sku: z.string() })) })) {}

const invalid = (message: string) => expect.objectContaining({ code: "EVENT_INVALID", message });

describe("event: construction", () => {
  it("checks each field and applies defaults", () => {
    expect({ ...new Joke({ text: "ha" }) }).toStrictEqual({ text: "ha", stars: 3 });
  });

  it("names the event and every field that does not fit", () => {
    expect(() => new Joke({ text: 1, stars: "x" } as never)).toThrow(
      invalid(
        'Event "Joke" is invalid: text: Invalid input: expected string, received number; stars: Invalid input: expected number, received string.',
      ),
    );
  });

  it("names the path inside a field and inside an object schema", () => {
    expect(() => new Order({ id: "a", lines: [{ sku: 1 }] } as never)).toThrow(
      expect.objectContaining({
        details: { event: "Order", issues: [{ path: "lines.0.sku", message: expect.any(String) }] },
      }),
    );
  });

  it("leaves out fields that the shape does not name", () => {
    const wider = { text: "ha", other: 1 };

    expect(new Joke(wider)).not.toHaveProperty("other");
  });

  it("has no field for what is undefined", () => {
    expect(Object.keys(new Joke({ text: "ha", by: undefined }))).toEqual(["text", "stars"]);
  });

  it("freezes itself, its arrays and objects", () => {
    const order = new Order({ id: "a", lines: [{ sku: "b" }] });

    expect(Object.isFrozen(order)).toBe(true);
    expect(() => {
      (order.lines as unknown[]).push(1);
    }).toThrow(TypeError);
    expect(() => {
      (order.lines[0] as { sku: string }).sku = "c";
    }).toThrow(TypeError);
  });

  it("does not freeze the object that the fields came in", () => {
    const fields = { topic: "x" };

    new StartEvent(fields);

    expect(Object.isFrozen(fields)).toBe(false);
  });

  it.each([null, 5, "text", [1]])("refuses fields that are not an object: %o", (fields) => {
    expect(() => new Joke(fields as never)).toThrow(invalid('Event "Joke" is invalid: fields are an object.'));
  });

  it("takes zod/mini and converting schemas", () => {
    class Parsed extends event("Parsed", { n: z.string().transform(Number), m: mini.string() }) {}

    expect(new Parsed({ n: "42", m: "x" }).n).toBe(42);
  });

  it("refuses a schema that answers with a promise, and leaves no rejection unhandled", async () => {
    const rejecting: StandardSchema = {
      "~standard": {
        version: 1,
        vendor: "x",
        validate: async () => {
          throw new Error("unseen");
        },
      },
    };
    class Async extends event("Async", { id: z.string().refine(async () => true) }) {}
    class Rejected extends event("Rejected", { id: rejecting }) {}

    expect(() => new Async({ id: "a" })).toThrow(expect.objectContaining({ code: "SCHEMA_ASYNC" }));
    expect(() => new Rejected({ id: "a" })).toThrow(expect.objectContaining({ code: "SCHEMA_ASYNC" }));
    await new Promise((resolve) => setTimeout(resolve));
  });

  it("refuses an object schema whose output has a reserved name", () => {
    const typed: StandardSchema<object, object> = {
      "~standard": { version: 1, vendor: "x", validate: () => ({ value: { type: "Other" } }) },
    };
    class Typed extends event("Typed", typed) {}

    expect(() => new Typed({})).toThrow(invalid('Event "Typed" is invalid: type: this name is reserved.'));
  });

  it("is not affected by fields that reach prototypes", () => {
    const fields = JSON.parse('{"text":"ha","__proto__":{"polluted":true}}');

    expect(new Joke(fields)).not.toHaveProperty("polluted");
    expect(() => new StartEvent(fields)).toThrow(
      invalid('Event "StartEvent" is invalid: __proto__: this name is reserved.'),
    );
  });

  it("makes an event from outside without the constructor of its class", () => {
    class Said extends event("Said", { text: z.string() }) {
      constructor(text: string) {
        super({ text });
      }
    }

    const said = eventFromFields(Said, { text: "ha" });

    expect(said).toBeInstanceOf(Said);
    expect(said).toStrictEqual(new Said("ha"));
    expect(() => eventFromFields(Said, { text: 1 })).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });
});

describe("event: definition", () => {
  it.each([
    ["an empty type", () => event("")],
    ["a type that is not a string", () => event(Joke as never)],
    ["a field that is not a schema", () => event("Raw", { text: "string" } as never)],
    ["a reserved field", () => event("Typed", { type: z.string() } as never)],
    ["a field that reaches prototypes", () => event("Bad", { constructor: z.string() } as never)],
  ])("refuses %s", (_, define) => {
    expect(define).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});

describe("event: identity", () => {
  it("has its type on class and instance, but not as data", () => {
    const joke = new Joke({ text: "ha" });

    expect([Joke.type, joke.type]).toEqual(["Joke", "Joke"]);
    expect(Object.keys(joke)).not.toContain("type");
    expect(JSON.stringify(joke)).toBe('{"text":"ha","stars":3}');
    expect(() => {
      (joke as { type: string }).type = "x";
    }).toThrow(TypeError);
  });

  it("recognizes exactly its own instances", () => {
    class Pun extends Joke.extend("Pun", { groan: z.boolean() }) {}
    const pun = new Pun({ text: "ha", groan: true });

    expect(Pun.is(pun)).toBe(true);
    expect(Joke.is(pun)).toBe(false);
    expect(pun).toBeInstanceOf(Joke);
    expect([Joke.is(null), Joke.is({ type: "Joke", text: "ha", stars: 3 }), Joke.is(Joke)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("recognizes its instances in a callback", () => {
    class Pun extends Joke.extend("Pun", {}) {}
    const jokes = [new Joke({ text: "ha" }), new Pun({ text: "oh" }), new StopEvent()];

    expect(jokes.filter(Joke.is)).toEqual([jokes[0]]);
    expect(jokes.findIndex(Pun.is)).toBe(1);
    expect(jokes.findIndex(StopEvent.is)).toBe(2);
  });

  it("extends an event: its fields, methods and role, with its own type", () => {
    class Shout extends event("Shout", { text: z.string() }) {
      loud(): string {
        return this.text.toUpperCase();
      }
    }
    class Scream extends Shout.extend("Scream", { text: z.string().min(3), times: z.number() }) {}
    const scream = new Scream({ text: "hey", times: 2 });

    expect((scream as unknown as Shout).loud()).toBe("HEY");
    expect([scream.type, Scream.type, Shout.type]).toEqual(["Scream", "Scream", "Shout"]);
    expect({ ...scream }).toEqual({ text: "hey", times: 2 });
    expect(() => new Scream({ text: "x", times: 1 })).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });

  it("extends an event of an object schema", () => {
    class Express extends Order.extend("Express", { hours: z.number() }) {}

    expect({ ...new Express({ id: "a", lines: [], hours: 2 }) }).toEqual({ id: "a", lines: [], hours: 2 });
    expect(() => new Express({ id: 1, lines: [], hours: "x" } as never)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({
          issues: [expect.objectContaining({ path: "hours" }), expect.objectContaining({ path: "id" })],
        }),
      }),
    );
  });
});
