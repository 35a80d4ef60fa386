/** Versions of events: how fields that older code has stored become those of today. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { EventClass } from "../src/event/event.js";
import { decodeEvent, EventRegistry, encodeEvent } from "../src/event/event-codec.js";
import { defineWorkflow, event, StartEvent, StopEvent } from "../src/index.js";
import { Joke, NewestJoke, OldJoke } from "./support/jokes.js";
import { refusal, stored } from "./support/stored.js";

type Fields = Record<string, unknown>;

/** Stored by the code that knows one class, read by the code that knows others. */
function reread(before: InstanceType<EventClass>, ...known: EventClass[]) {
  return decodeEvent(stored(encodeEvent(before, "event")), new EventRegistry(known), "event");
}

describe("the version of an event", () => {
  it("is stored from 2 on", () => {
    expect(encodeEvent(new OldJoke({ text: "ha" }), "event")).toStrictEqual({ type: "Joke", data: { text: "ha" } });
    expect(encodeEvent(new Joke({ text: "ha", rating: 3 }), "event")).toStrictEqual({
      type: "Joke",
      data: { text: "ha", rating: 3, tags: [] },
      version: 2,
    });
  });

  it("brings fields of an older one through `migrate`, which may leave those with defaults to them", () => {
    expect(reread(new OldJoke({ text: "ha" }), Joke)).toEqual(new Joke({ text: "ha", rating: -1, tags: [] }));
  });

  it("leaves fields of the same one alone", () => {
    const joke = new Joke({ text: "ha", rating: 3, tags: ["old"] });

    expect(reread(joke, Joke)).toEqual(joke);
  });

  it("is inherited with `migrate` by `extend`, until the class has its own", () => {
    class OldPun extends OldJoke.extend("Pun", { on: z.string() }) {}
    class Pun extends Joke.extend("Pun", { on: z.string() }) {}
    class NewPun extends Joke.extend("Pun", { about: z.string() }) {
      static override readonly version = 3;
      static override migrate({ on, ...fields }: Fields, from: number) {
        return { ...(from < 2 ? super.migrate(fields, from) : fields), about: on };
      }
    }
    const old = new OldPun({ text: "ha", on: "cats" });

    expect(reread(old, Pun)).toEqual(new Pun({ text: "ha", rating: -1, on: "cats" }));
    expect(reread(old, NewPun)).toEqual(new NewPun({ text: "ha", rating: -1, about: "cats" }));
    expect(reread(reread(old, Pun), NewPun)).toEqual(new NewPun({ text: "ha", rating: -1, about: "cats" }));
  });

  it("counts for events of roles, and for events inside events", () => {
    class OldStart extends StartEvent.define("Begin", { about: z.string(), joke: z.instanceof(OldJoke) }) {}
    class Start extends StartEvent.define("Begin", { topic: z.string(), joke: z.instanceof(Joke) }) {
      static override readonly version = 2;
      static override migrate({ about, ...fields }: Fields) {
        return { ...fields, topic: about };
      }
    }

    const start = reread(new OldStart({ about: "ships", joke: new OldJoke({ text: "ha" }) }), Start, Joke);

    expect(start).toEqual(new Start({ topic: "ships", joke: new Joke({ text: "ha", rating: -1 }) }));
  });

  it("without `migrate` has the stored fields checked as they are", () => {
    class Fits extends event("Joke", { text: z.string(), rating: z.number().default(5) }) {
      static override readonly version = 2;
    }
    class FitsNot extends event("Joke", { text: z.string(), rating: z.number() }) {
      static override readonly version = 2;
    }

    expect(reread(new OldJoke({ text: "ha" }), Fits)).toEqual(new Fits({ text: "ha", rating: 5 }));
    expect(refusal(() => reread(new OldJoke({ text: "ha" }), FitsNot))).toMatchObject({
      code: "EVENT_INVALID",
      message: expect.stringContaining("rating"),
    });
  });

  it("of newer code is refused, naming the event and both versions", () => {
    expect(refusal(() => reread(new NewestJoke({ text: "ha", rating: 1 }), Joke))).toMatchObject({
      code: "EVENT_NEWER",
      message: 'event is an event "Joke" of version 7; its class here has version 2.',
      details: { event: "Joke", version: 7, known: 2 },
    });
  });

  it.each([0, -1, 1.5, "2", null, {}])("that is %j in a snapshot is none", (version) => {
    const encoded = { ...encodeEvent(new OldJoke({ text: "ha" }), "event"), version };

    const error = refusal(() => decodeEvent(encoded, new EventRegistry([Joke]), "event"));

    expect(error).toMatchObject({ code: "EVENT_INVALID", message: expect.stringContaining("version") });
  });

  it.each([
    ["throws", () => expect.fail("No rating.")],
    ["gives nothing", () => undefined as never],
    ["gives a list", () => []],
    ["gives a promise", async () => ({ text: "ha", rating: 1 })],
    ["gives fields that do not fit", () => ({ text: 7 })],
    ["gives a reserved field", () => ({ text: "ha", rating: 1, type: "Joke" })],
  ] as const)("whose `migrate` %s is refused", (what, migrate) => {
    class Broken extends Joke {
      static override migrate = migrate as never;
    }
    class Silent extends event("Joke", { text: z.string(), rating: z.number() }) {
      static override readonly version = 2;
      static override migrate = migrate as never;
    }

    const errors = [Broken, Silent].map((known) => refusal(() => reread(new OldJoke({ text: "ha" }), known)));

    expect(errors[0]?.message).toBe(errors[1]?.message);
    expect(errors[0]).toMatchObject({ code: "EVENT_INVALID", message: expect.stringContaining('"Joke"') });
    expect(errors[0]?.cause === undefined).toBe(what !== "throws");
  });

  it("says of which version to which a migration failed", () => {
    class Broken extends Joke {
      static override migrate(): object {
        throw new Error("No rating.");
      }
    }

    expect(refusal(() => reread(new OldJoke({ text: "ha" }), Broken))).toMatchObject({
      message: 'event is an event "Joke" of version 1, which its `migrate` could not migrate to version 2: No rating.',
      details: { event: "Joke", version: 1, known: 2 },
    });
  });

  it("lets `migrate` change the fields in place: what was stored stays as it is", () => {
    class Sloppy extends event("Joke", { text: z.string(), by: z.object({ name: z.string() }) }) {
      static override readonly version = 2;
      static override migrate(fields: Fields): object {
        (fields["by"] as Fields)["name"] = "Grace";
        return fields;
      }
    }
    const encoded = { type: "Joke", data: { text: "ha", by: { name: "Ada" } } };

    expect(decodeEvent(encoded, new EventRegistry([Sloppy]), "event")).toMatchObject({ by: { name: "Grace" } });
    expect(encoded.data.by.name).toBe("Ada");
  });

  it.each([
    [0, "0"],
    [1.5, "1.5"],
    ["2", '"2"'],
    [Number.NaN, "NaN"],
    [null, "null"],
  ])("that is %j in the code is an error of the workflow", (version, shown) => {
    class Odd extends event("Odd") {
      static override readonly version = version as number;
    }
    const flow = () =>
      defineWorkflow("odd")
        .step("start", { on: StartEvent, emits: Odd }, () => new Odd())
        .step("end", { on: Odd, emits: StopEvent }, () => new StopEvent({ result: 1 }))
        .build();

    expect(refusal(flow)).toMatchObject({
      code: "WORKFLOW_INVALID",
      message: expect.stringContaining(`names Odd, which has \`static version = ${shown}\``),
    });
  });
});
