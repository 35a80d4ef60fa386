/** What a class of events may have besides its shape: what needs no place in the event. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Context, defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "../src/index.js";
import { waiting } from "./support/runs.js";

const shape = { text: z.string() };

class Told extends event("Told", shape) {
  static readonly #kinds = ["joke"];
  static describe = () => Told.#kinds.join();
  declare readonly text: string;
  get length(): number {
    return this.text.length;
  }
  shout(): string {
    return this.text.toUpperCase();
  }
}

describe("an event class", () => {
  it("may have methods, getters, and whatever is static", () => {
    const told = new Told({ text: "abc" });

    expect([told.length, told.shout(), Told.describe()]).toEqual([3, "ABC", "joke"]);
  });

  it("has its methods after a restore", async () => {
    class Reply extends ExternalEvent.define("Reply") {}
    const flow = defineWorkflow("telling")
      .step("tell", { on: StartEvent, emits: Told }, () => new Told({ text: "abc" }))
      .step("wait", { on: Told, emits: StopEvent, waits: Reply }, async (told, ctx) => {
        await ctx.waitForEvent(Reply);
        return new StopEvent({ result: told.shout() });
      })
      .build();
    const first = flow.run();
    await waiting(first);

    const second = flow.resume(Context.fromDict(flow, JSON.parse(JSON.stringify(first.context.toDict()))));
    await second.sendEvent(new Reply());

    expect(await second).toBe("ABC");
  });

  it("may have a constructor of its own", () => {
    class Short extends event("Short", shape) {
      constructor(text: string) {
        super({ text: text.slice(0, 2) });
      }
    }

    expect(new Short("abc").text).toBe("ab");
  });

  class PrivateField extends event("PrivateField", shape) {
    #seen = 0;
    get seen() {
      return this.#seen;
    }
  }
  class PrivateMethod extends event("PrivateMethod", shape) {
    #loud() {
      return this.text.toUpperCase();
    }
    shout() {
      return this.#loud();
    }
  }
  class PublicField extends event("PublicField", shape) {
    seen = 0;
  }
  class EmptyField extends event("EmptyField", shape) {
    seen: number | undefined;
  }
  class Redeclared extends event("Redeclared", shape) {
    override text = "always";
  }
  class Assigned extends event("Assigned", shape) {
    readonly at: number;
    constructor(fields: { text: string }) {
      super(fields);
      this.at = 7;
    }
  }
  class Below extends PublicField.extend("Below") {}

  it.each([
    ["a private field", PrivateField, "a `#private` member"],
    ["a private method", PrivateMethod, "a `#private` member"],
    ["a public field", PublicField, "a field of the class, `seen`"],
    ["a public field without a value", EmptyField, "a field of the class, `seen`"],
    ["a field of the shape again", Redeclared, "a field of the class, `text`"],
    ["a field that its constructor sets", Assigned, "a field of the class, `at`"],
    ["a public field of its base", Below, "a field of the class, `seen`"],
  ])("has not %s: its first event says so, and each one after it", (_, eventClass, what) => {
    const refused = expect.objectContaining({
      code: "OPTION_INVALID",
      message: `Event "${eventClass.type}" has ${what}, which a restore would lose.`,
    });

    expect(() => new eventClass({ text: "" })).toThrow(refused);
    expect(() => new eventClass({ text: "" })).toThrow(refused);
  });

  it("says first what is wrong with the fields", () => {
    expect(() => new PublicField({ text: 7 as never })).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });
});
