import { describe, expect, it } from "vitest";
import * as z from "zod";
import { WorkflowError } from "../errors/workflow-error.js";
import { JoinIncompleteEvent, StartEvent, StepFailedEvent, StopEvent } from "../event/built-in-events.js";
import { event } from "../event/event.js";
import type { Finding } from "../graph/validate.js";
import { resource } from "../resource/resource.js";
import { catchError, collect, join, many, step } from "../step/step.js";
import { Workflow } from "../workflow/workflow.js";
import { checkSteps } from "./check-steps.js";
import { validateWorkflow } from "./compile.js";
import { declareStep } from "./registration.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Plain extends Joke {}
class OtherJoke extends event("Joke", { text: z.string() }) {}

const declare = (name: string, options: object) =>
  declareStep(name, { kind: "step", options: { on: Joke, ...options } as never }, () => {});
const findingsOf = (options: object): Finding[] => checkSteps([declare("judge", options)]);

function findingsIn(make: () => unknown): readonly Finding[] {
  try {
    make();
  } catch (error) {
    if (WorkflowError.is(error, "WORKFLOW_INVALID")) return error.details["findings"] as Finding[];
    throw error;
  }
  return [];
}

const left: never = resource("left", () => 1, {
  resources: {
    get right() {
      return right;
    },
  } as never,
}) as never;
const right: never = resource("right", () => 1, { resources: { left } }) as never;

describe("a step is refused when", () => {
  it.each([
    ["`on` is missing, as in an import circle", { on: undefined }, /nothing in `on`/],
    ["`on` is an empty list", { on: [] }, /nothing in `on`/],
    ["`on` is not an event class", { on: [Joke, "Joke"] }, /in `on` something that is not an event class/],
    ["`on` is a stop event", { on: StopEvent }, /StopEvent in `on`, which ends the run/],
    ["`on` is a failure", { on: StepFailedEvent }, /StepFailedEvent in `on`, which only the engine makes/],
    ["it emits a notice", { emits: JoinIncompleteEvent }, /JoinIncompleteEvent in `emits`/],
    ["it emits an instance", { emits: [new StopEvent()] }, /in `emits` something that is not an event class/],
    ["it waits for a stop event", { waits: StopEvent }, /StopEvent in `waits`/],
    ["it shows a stop event", { streams: [StopEvent] }, /StopEvent in `streams`/],
    ["it names a plain subclass", { emits: Plain }, /extends Joke and has its type/],
    ["`workers` is 0", { workers: 0 }, /`workers: 0`/],
    ["`workers` is half", { workers: 1.5 }, /`workers: 1.5`/],
    ["`timeout` is not a duration", { timeout: "soon" }, /`timeout` is "soon"/],
    ["`timeout` is negative", { timeout: -1 }, /`timeout` is -1/],
    ["`workers` is text", { workers: "4" as never }, /`workers: "4"`/],
    ["`take` is 0", { on: collect(Joke, { take: 0 }) }, /`take: 0`/],
    ["`rest` is unknown", { on: collect(Joke, { rest: "wait" as never }) }, /`rest: "wait"`/],
    ["`order` is unknown", { on: collect(Joke, { order: "random" as never }) }, /`order: "random"`/],
    ["a join has no slots", { on: join({}) }, /nothing in `on`/],
    ["`by` is empty", { on: join({ a: Joke, b: StartEvent }, { by: "" as never }) }, /not a field name/],
    ["`retry` has no `next`", { retry: { attempts: 3 } }, /`retry` without `next`/],
    ["its name is empty", { name: "" }, /has no name/],
    ["its resources need each other", { resources: { left } }, /circle/],
  ])("%s", (_, options, message) => {
    const findings = findingsOf(options);

    expect(findings).toHaveLength(1);
    expect(findings[0]?.message).toMatch(message);
    expect(findings[0]?.hint).toMatch(/^[A-Z`].*\.$/);
  });

  it("it skips a check that does not exist, and the nearest name is given", () => {
    const [finding] = findingsOf({ skipChecks: ["reachabilty"] });

    expect(finding?.message).toMatch(/"reachabilty"/);
    expect(finding?.hint).toMatch(/Did you mean "reachability"\?/);
  });

  it("`many()` names nothing", () => {
    const [finding] = checkSteps([
      declareStep("split", { kind: "failure", options: { emits: (many as () => never)() } }, () => {}),
    ]);

    expect(finding).toMatchObject({ check: "fanOut", message: 'Step "split" emits many() of nothing.' });
  });

  it("`maxRecoveries` is 0", () => {
    const [finding] = checkSteps([
      declareStep("recover", { kind: "failure", options: { maxRecoveries: 0 } }, () => {}),
    ]);

    expect(finding).toMatchObject({ step: "recover", message: expect.stringMatching(/`maxRecoveries: 0`/) });
  });
});

describe("steps are refused when", () => {
  it("two have one name", () => {
    const findings = checkSteps([declare("a", { name: "same" }), declare("b", { name: "same" }), declare("same", {})]);

    expect(findings).toMatchObject([{ check: "name", step: "same" }]);
  });

  it("they name two classes with one type", () => {
    const findings = checkSteps([declare("a", { emits: Joke }), declare("b", { on: OtherJoke })]);

    expect(findings).toMatchObject([{ check: "type", step: "b", event: "Joke" }]);
  });

  it("nothing is wrong: then they are not", () => {
    expect(checkSteps([declare("a", { emits: Joke, workers: 1, timeout: "5s" })])).toEqual([]);
  });
});

describe("WORKFLOW_INVALID", () => {
  it("comes from the constructor with all findings of decorated steps", () => {
    class Broken extends Workflow {
      @step({ on: Joke, emits: Plain, workers: 0 }) a(_: Joke) {
        return new Plain({ text: "" });
      }
      @step({ on: OtherJoke }) b(_: OtherJoke) {}
      @catchError({ maxRecoveries: -1 }) c(_: StepFailedEvent) {}
    }

    expect(findingsIn(() => new Broken()).map(({ step: name }) => name)).toEqual(["a", "a", "c", "b"]);
    expect(findingsIn(() => new Broken())).toHaveLength(4);
  });

  it("names the workflow, and what is wrong in each line", () => {
    class Broken extends Workflow {
      @step({ on: StartEvent, workers: 0, timeout: "x" as never }) a(_: StartEvent) {}
    }

    expect(() => new Broken({ name: "shop" })).toThrow(
      /^Workflow "shop" is invalid: \n- Step "a" has `workers: 0`\. .*\n- Step "a" is not right: `timeout`/,
    );
  });

  it("comes with the limits and checks that the workflow does not have", () => {
    class Limited extends Workflow {
      @step({ on: StartEvent, emits: StopEvent, limit: "opnai" }) a(_: StartEvent) {
        return new StopEvent();
      }
    }
    const flow = new Limited({ limits: { openai: {} }, skipChecks: ["deadEnds" as never] });
    const [limit, check] = findingsIn(() => validateWorkflow(flow));

    expect(limit).toMatchObject({ step: "a", hint: expect.stringMatching(/Did you mean "openai"\?/) });
    expect(check).toMatchObject({ message: expect.stringMatching(/"deadEnds"/) });
  });

  it("comes with what the graph says, where the events of the steps are sound", () => {
    class Both extends Workflow {
      @step({ on: StartEvent, emits: StopEvent }) a(_: StartEvent) {
        return new StopEvent();
      }
      @step({ on: Joke, emits: StopEvent, limit: "none" }) b(_: Joke) {
        return new StopEvent();
      }
      @catchError({ steps: ["c"] }) d(_: StepFailedEvent) {}
    }
    const checks = findingsIn(() => validateWorkflow(new Both())).map(({ check }) => check);

    expect(checks).toEqual(expect.arrayContaining(["option", "catchError"]));
    expect(checks.length).toBeGreaterThan(2);
  });

  it("comes with a child that an import circle left undefined", () => {
    class Parent extends Workflow {
      static children = { child: undefined };
      @step({ on: StartEvent, emits: StopEvent }) a(_: StartEvent) {
        return new StopEvent();
      }
    }

    expect(findingsIn(() => validateWorkflow(new Parent()))).toMatchObject([
      { message: 'The child "child" is not a workflow.' },
    ]);
  });

  it("comes with the steps of fields when the workflow is used", () => {
    class Fields extends Workflow {
      a = step({ on: StartEvent, emits: StopEvent, workers: 0 }, () => new StopEvent());
    }
    const flow = new Fields();

    expect(findingsIn(() => validateWorkflow(flow))).toMatchObject([{ step: "a" }]);
  });
});
