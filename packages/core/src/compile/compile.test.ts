import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Middleware } from "../authoring/workflow.types.js";
import {
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  type StepFailedEvent,
  StopEvent,
} from "../event/built-in-events.js";
import { event } from "../event/event.js";
import { catchError, collect, join, many, step } from "../step/step.js";
import { Workflow } from "../workflow/workflow.js";
import { compiledOf, compileWorkflow, validateWorkflow } from "./compile.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Critique extends event("Critique", { text: z.string() }) {}
class Shape extends event("Shape", { id: z.string() }) {}
class Circle extends Shape.extend("Circle") {}
class Ring extends Circle.extend("Ring") {}
class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Go extends StartEvent.define("Go", { topic: z.string() }) {}
const state = { count: z.number().default(0) };

class JokeFlow extends Workflow {
  prefix = "a joke about ";
  @step({ on: StartEvent, emits: Joke })
  async write(ev: StartEvent) {
    return new Joke({ text: `${this.prefix}${ev.get("topic")}` });
  }
  @step({
    on: Joke,
    emits: [StopEvent, Ask],
    waits: Answer,
    streams: Ask,
    workers: 2,
    timeout: "1s",
    limit: "model",
    name: "review",
  })
  judge(ev: Joke) {
    return new StopEvent({ result: ev.text });
  }
}
const limits = { model: { concurrent: 1 } };
const jokes = (): Workflow => new JokeFlow({ limits });
const definitionOf = (workflow: Workflow) => compileWorkflow(workflow).definition;
const stepOf = (workflow: Workflow, name: string) => compileWorkflow(workflow).steps.get(name);

describe("compileWorkflow", () => {
  it("returns the routing table as plain data", () => {
    const definition = definitionOf(jokes());

    expect(definition).toEqual(JSON.parse(JSON.stringify(definition)));
    expect(definition).toEqual({
      workflow: "JokeFlow",
      steps: [
        {
          name: "write",
          trigger: { kind: "event", accepts: ["StartEvent"] },
          workers: 4,
          emits: ["Joke"],
          fanOut: null,
          waits: [],
          streams: [],
        },
        {
          name: "review",
          trigger: { kind: "event", accepts: ["Joke"] },
          workers: 2,
          emits: ["StopEvent", "Ask"],
          fanOut: null,
          waits: ["Answer"],
          streams: ["Ask"],
        },
      ],
      roles: { StartEvent: "start", Joke: "event", StopEvent: "stop", Ask: "inputRequired", Answer: "humanResponse" },
      inboxSize: 1000,
    });
  });

  it("binds each step to the instance", async () => {
    const flow = new JokeFlow({ limits });
    flow.prefix = "no ";
    const made = await stepOf(flow, "write")?.call(new StartEvent({ topic: "joke" }), {}, {});

    expect(made).toEqual(new Joke({ text: "no joke" }));
  });

  it("is done once for an instance, and not before somebody asks", () => {
    const flow = jokes();

    expect(compiledOf(flow)).toBeNull();
    expect(compileWorkflow(flow)).toBe(compileWorkflow(flow));
    expect(compileWorkflow(jokes())).not.toBe(compileWorkflow(flow));
  });

  it("resolves options to milliseconds and classes", () => {
    expect(stepOf(jokes(), "review")).toMatchObject({
      timeoutMs: 1000,
      limit: "model",
      retry: null,
      resources: null,
      subclasses: false,
      emits: new Set([StopEvent, Ask]),
      waits: new Set([Answer]),
      streams: new Set([Ask]),
    });
  });

  it("takes field steps, also where they stand in for a method", () => {
    class Fields extends Workflow {
      @step({ on: StartEvent, emits: Joke }) first(_: StartEvent) {
        return new Joke({ text: "" });
      }
      last = step({ on: Joke, emits: StopEvent }, () => new StopEvent());
    }
    const replaced = Object.assign(new Fields(), {
      first: step({ on: Go, emits: Joke }, () => new Joke({ text: "" })),
    });

    expect(definitionOf(new Fields()).steps.map(({ name }) => name)).toEqual(["first", "last"]);
    expect(stepOf(replaced, "first")?.definition.trigger).toEqual({ kind: "event", accepts: ["Go"] });
  });

  it("calls the method of a subclass, and a function that stands in for the method", async () => {
    class Loud extends JokeFlow {
      @step({ on: Joke, emits: StopEvent, name: "review" }) override judge(ev: Joke) {
        return new StopEvent({ result: ev.text.toUpperCase() });
      }
    }
    const bound = new Loud();
    bound.judge = bound.judge.bind(bound);

    expect(stepOf(new Loud(), "review")?.call(new Joke({ text: "a" }), {}, {})).toEqual(new StopEvent({ result: "A" }));
    expect(stepOf(bound, "review")?.call(new Joke({ text: "a" }), {}, {})).toEqual(new StopEvent({ result: "A" }));
  });

  it("lists the known subclasses of an event where a step takes them", () => {
    class Shapes extends Workflow {
      @step({ on: StartEvent, emits: many(Circle, Ring) }) make(_: StartEvent) {
        return [new Circle({ id: "" }), new Ring({ id: "" })];
      }
      @step({ on: Shape, emits: StopEvent, waits: Circle, subclasses: true }) any(_: Shape) {
        return new StopEvent();
      }
      @step({ on: Circle, emits: StopEvent }) exact(_: Circle) {
        return new StopEvent();
      }
      @step({ on: collect(Circle), emits: StopEvent, subclasses: true }) all(_: readonly Circle[]) {
        return new StopEvent();
      }
      @step({ on: join({ a: Circle, b: Ring }), emits: StopEvent, subclasses: true }) pair() {
        return new StopEvent();
      }
    }
    const { steps } = definitionOf(new Shapes());

    expect(steps.map(({ trigger }) => trigger)).toMatchObject([
      { accepts: ["StartEvent"] },
      { accepts: ["Circle", "Ring", "Shape"] },
      { accepts: ["Circle"] },
      { accepts: ["Circle", "Ring"] },
      {
        slots: [
          { name: "a", accepts: ["Circle", "Ring"] },
          { name: "b", accepts: ["Ring"] },
        ],
      },
    ]);
    expect(steps[1]?.waits).toEqual(["Circle", "Ring"]);
    expect(stepOf(new Shapes(), "any")?.waits).toEqual(new Set([Circle, Ring]));
  });

  it("fills in what collect, join and catchError leave out", () => {
    class Gather extends Workflow {
      @step({ on: StartEvent, emits: many(Joke, Critique) }) go(_: StartEvent) {
        return [new Joke({ text: "" }), new Critique({ text: "" })];
      }
      @step({ on: collect(Joke), emits: StopEvent }) plain() {
        return new StopEvent();
      }
      @step({
        on: collect([Joke, Critique], { of: "go", take: 2, rest: "cancel", order: "arrived" }),
        emits: StopEvent,
      })
      full() {
        return new StopEvent();
      }
      @step({ on: join({ joke: Joke, verdict: Critique }, { by: "text" }), emits: StopEvent }) pair() {
        return new StopEvent();
      }
      @catchError({ steps: ["go"], maxRecoveries: 2, emits: StopEvent }) one(_: StepFailedEvent) {
        return new StopEvent();
      }
      @catchError() rest(_: StepFailedEvent) {}
    }
    const { steps } = definitionOf(new Gather());

    expect(steps.slice(1).map(({ trigger }) => trigger)).toEqual([
      { kind: "collect", accepts: ["Joke"], of: null, take: null, rest: "finish", order: "emitted", settle: false },
      {
        kind: "collect",
        accepts: ["Joke", "Critique"],
        of: "go",
        take: 2,
        rest: "cancel",
        order: "arrived",
        settle: false,
      },
      {
        kind: "join",
        slots: [
          { name: "joke", accepts: ["Joke"] },
          { name: "verdict", accepts: ["Critique"] },
        ],
        by: "text",
      },
      { kind: "failure", steps: ["go"], maxRecoveries: 2 },
      { kind: "failure", steps: null, maxRecoveries: 1 },
    ]);
    expect(steps.map(({ workers }) => workers)).toEqual([4, 4, 4, 4, 1, 1]);
    expect(steps.map(({ fanOut }) => fanOut)).toEqual([
      { elements: ["Joke", "Critique"], alone: [], collects: ["plain", "full"], joins: ["pair"] },
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it("reads the state and the children of the class, also of a base class", () => {
    class Counter extends Workflow.withState(state) {
      static children = { jokes: JokeFlow };
      @step({ on: StartEvent, emits: StopEvent }) go(_: StartEvent) {
        return new StopEvent();
      }
    }
    class Derived extends Counter {}
    const compiled = compileWorkflow(new Derived());

    expect(compiled.state?.initial()).toEqual({ count: 0 });
    expect([...compiled.children]).toEqual([["jokes", JokeFlow]]);
    expect(compileWorkflow(jokes()).state).toBeNull();
  });

  it("refuses a state without defaults", () => {
    class Counter extends Workflow.withState({ count: z.number() } as never) {
      @step({ on: StartEvent, emits: StopEvent }) go(_: StartEvent) {
        return new StopEvent();
      }
    }

    expect(() => validateWorkflow(new Counter())).toThrow(expect.objectContaining({ code: "STATE_INVALID" }));
  });

  it("refuses what is not a workflow", () => {
    expect(() => compileWorkflow({})).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});

describe("Workflow", () => {
  it("has no members but these", () => {
    const own = Reflect.ownKeys(Object.getPrototypeOf(JokeFlow).prototype);

    expect(own).toEqual(["constructor", "run", "resume", "retry", "on", "use", Symbol.asyncDispose]);
    expect(Object.keys(new JokeFlow())).toEqual(["prefix"]);
  });

  it("is called what its options, its static name or its class say", () => {
    class Named extends JokeFlow {
      static override readonly name = "jokes/v2";
    }

    expect(definitionOf(new JokeFlow({ limits, name: "other" })).workflow).toBe("other");
    expect(definitionOf(new Named({ limits })).workflow).toBe("jokes/v2");
  });

  it("refuses bad options where it is made", () => {
    const refusal = (code: string) => expect.objectContaining({ code });

    expect(() => new JokeFlow({ timeout: "soon" as never })).toThrow(refusal("OPTION_INVALID"));
    expect(() => new JokeFlow({ maxConcurrentRuns: 0 })).toThrow(refusal("OPTION_INVALID"));
    expect(() => new JokeFlow({ streamBuffer: 1.5 })).toThrow(refusal("OPTION_INVALID"));
    expect(() => new JokeFlow({ name: "" })).toThrow(refusal("OPTION_INVALID"));
  });

  it("distinguishes text from a number in what it refuses, such as a number from the environment", () => {
    const four = "4" as never;

    expect(() => new JokeFlow({ maxConcurrentRuns: four })).toThrow(
      /^`maxConcurrentRuns` is "4"; it must be a whole number from 1\./,
    );
    expect(() => jokes().run({}, { deadline: "2030" as never })).toThrow(/^`deadline` is "2030", which is no point/);
  });

  it("shows middleware that is added later to what is compiled", () => {
    const flow = jokes();
    const compiled = compileWorkflow(flow);
    const middleware: Middleware = (_, next) => next();

    expect(flow.use(middleware)).toBe(flow);
    expect(compiled.middleware).toEqual([middleware]);
  });

  it("is valid or throws", () => {
    expect(validateWorkflow(jokes())).toBeUndefined();
    expect(() => validateWorkflow(new JokeFlow())).toThrow(expect.objectContaining({ code: "WORKFLOW_INVALID" }));
  });
});
