import { describe, expect, it } from "vitest";
import { event } from "../event/event.js";
import { catchError, step } from "../step/step.js";
import { freeStepOf, methodSteps } from "./registration.js";

class Joke extends event("Joke") {}
class Pun extends event("Pun") {}

// Workflows are not needed to register: the decorators are used without their types.
type Untyped = (target: unknown, context?: unknown) => void;
const on = (options: object = { on: Joke }): Untyped => step(options as never) as never;
const caught = (options?: object): Untyped => catchError(options as never) as never;
type Legacy = (target: object, key: string | symbol, descriptor?: PropertyDescriptor) => unknown;
type Element = (element: object) => { finisher(owner: unknown): unknown; descriptor: PropertyDescriptor };

const names = (owner: object): string[] => [...methodSteps(owner).keys()];
const eventsOf = (owner: object): object =>
  Object.fromEntries([...methodSteps(owner)].map(([name, { options }]) => [name, (options as { on: unknown }).on]));

function wrapped(method: (...args: never[]) => void, _context: unknown): (...args: never[]) => void {
  return (...args) => method(...args);
}

describe("registration of decorated methods", () => {
  it("reads TC39 decorators in the order of the methods", () => {
    class Flow {
      @on() second() {}
      @on({ on: Pun }) first() {}
      @caught() recover() {}
      helper() {}
    }

    expect(names(Flow)).toEqual(["second", "first", "recover"]);
    expect(methodSteps(Flow).get("first")).toEqual({ kind: "step", options: { on: Pun } });
    expect(methodSteps(Flow).get("recover")).toEqual({ kind: "failure", options: {} });
  });

  it("reads the calls of `experimentalDecorators`", () => {
    class Flow {
      a() {}
      b() {}
    }
    (on() as Legacy)(Flow.prototype, "b", Object.getOwnPropertyDescriptor(Flow.prototype, "b"));

    expect(names(Flow)).toEqual(["b"]);
  });

  it("reads 2018 element descriptors and keeps a finisher of another decorator", () => {
    class Flow {
      a() {}
    }
    const finished: unknown[] = [];
    const descriptor = Object.getOwnPropertyDescriptor(Flow.prototype, "a") as PropertyDescriptor;
    const element = (on() as unknown as Element)({
      kind: "method",
      key: "a",
      placement: "prototype",
      descriptor,
      finisher: (owner: unknown) => finished.push(owner),
    });
    element.finisher(Flow);

    expect(names(Flow)).toEqual(["a"]);
    expect(finished).toEqual([Flow]);
    expect(element.descriptor).toBe(descriptor);
  });

  it("finds steps that another decorator wraps, above and below", () => {
    class Flow {
      @wrapped @on() above() {}
      @on() @wrapped below() {}
    }

    expect(names(Flow)).toEqual(["above", "below"]);
  });

  it("finds a wrapped step of `experimentalDecorators`", () => {
    class Flow {
      a() {}
    }
    (on() as Legacy)(Flow.prototype, "a", Object.getOwnPropertyDescriptor(Flow.prototype, "a"));
    Object.defineProperty(Flow.prototype, "a", { value: () => {} });

    expect(names(Flow)).toEqual(["a"]);
  });

  it("works where the tool has no metadata", () => {
    class Flow {
      a() {}
    }
    const context = { kind: "method", name: "a", static: false, private: false };
    on()(Flow.prototype.a, context);

    expect(names(Flow)).toEqual(["a"]);
  });
});

describe("registration and inheritance", () => {
  class Base {
    @on() kept() {}
    @on() replaced() {}
    @on() removed() {}
  }

  it("takes the nearest method of a name: its own options, or no step at all", () => {
    class Derived extends Base {
      @on({ on: Pun }) override replaced() {}
      override removed() {}
      @on() added() {}
    }

    expect(eventsOf(Derived)).toEqual({ kept: Joke, replaced: Pun, added: Joke });
    expect(eventsOf(Base)).toEqual({ kept: Joke, replaced: Joke, removed: Joke });
  });

  it("keeps the steps of sisters apart", () => {
    class Left extends Base {
      @on() left() {}
    }
    class Right extends Base {
      @on() right() {}
    }

    expect(names(Left)).toEqual(["kept", "replaced", "removed", "left"]);
    expect(names(Right)).toEqual(["kept", "replaced", "removed", "right"]);
  });

  it("brings a removed step back where a subclass decorates it again", () => {
    class Middle extends Base {
      override kept() {}
    }
    class Derived extends Middle {
      @on() override kept() {}
    }

    expect(names(Middle)).toEqual(["replaced", "removed"]);
    expect(names(Derived)).toContain("kept");
  });

  it("does not read the names of classes: two may have the same", () => {
    const make = (options: object): object => {
      class Same {
        @on(options) a() {}
      }
      return Same;
    };

    expect([eventsOf(make({ on: Joke })), eventsOf(make({ on: Pun }))]).toEqual([{ a: Joke }, { a: Pun }]);
  });

  it("reads a class once", () => {
    expect(methodSteps(Base)).toBe(methodSteps(Base));
  });
});

describe("registration refuses", () => {
  const refusal = expect.objectContaining({ code: "WORKFLOW_INVALID" });
  const place =
    (context: object): (() => unknown) =>
    () =>
      on()(() => {}, { kind: "method", static: false, private: false, ...context });

  it.each([
    ["a static method", place({ name: "a", static: true })],
    ["a private method", place({ name: "#a", private: true })],
    ["a symbol", place({ name: Symbol("a") })],
    ["a getter", place({ name: "a", kind: "getter" })],
    ["a field", place({ name: "a", kind: "field" })],
    ["a method of Workflow", place({ name: "resume" })],
    ["a static method of `experimentalDecorators`", () => (on() as Legacy)(class {}, "a", { value: () => {} })],
    ["a field of `experimentalDecorators`", () => (on() as Legacy)({}, "a")],
    ["a getter of `experimentalDecorators`", () => (on() as Legacy)({}, "a", { get: () => 1 })],
    [
      "a static 2018 element",
      () => (on() as unknown as Element)({ kind: "method", key: "a", placement: "static", descriptor: {} }),
    ],
    ["a 2018 field", () => (on() as unknown as Element)({ kind: "field", key: "a", placement: "own", descriptor: {} })],
    ["a forgotten call", () => step((() => {}) as never, { kind: "method" } as never)],
    ["a forgotten call of `experimentalDecorators`", () => step({} as never, "a" as never)],
    ["a forgotten call of catchError", () => catchError((() => {}) as never)],
  ])("%s", (_, use) => {
    expect(use).toThrow(refusal);
  });
});

describe("step(options, fn)", () => {
  const run = (event: unknown) => event;

  it("returns a new function that calls the given one and shows its options", () => {
    const options = { on: Joke };
    const free = step(options, run as never) as unknown as ((event: unknown) => unknown) & { options: object };

    expect(free("x")).toBe("x");
    expect(free.options).toBe(options);
    expect(freeStepOf(free)?.run).toBe(run);
  });

  it("can use one function for two steps", () => {
    const left = step({ on: Joke }, run as never);
    const right = step({ on: Pun }, run as never);

    expect([freeStepOf(left)?.registration.options, freeStepOf(right)?.registration.options]).toEqual([
      { on: Joke },
      { on: Pun },
    ]);
  });

  it("knows no other function", () => {
    expect([freeStepOf(run), freeStepOf(null), freeStepOf({})]).toEqual([null, null, null]);
  });
});
