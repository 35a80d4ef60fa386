/** A step that changes nothing but where the run is ends without a draft of the state: the run is the same as with one. */
import { describe, expect, it } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineRunOutput,
  Step,
  type StepLike,
  Steps,
  stepOutput,
} from "../src/index.js";
import { pipeline } from "./support/pipelines.js";
import { Random } from "./support/random.js";

/** What differs from run to run. */
const passing = new Set([
  "runId",
  "stepRunId",
  "parentRunId",
  "sessionId",
  "events",
  "metrics",
  "startedAtMs",
  "endedAtMs",
  "createdAtMs",
  "createdAt",
]);

function facts(output: PipelineRunOutput): unknown {
  return JSON.parse(JSON.stringify(output, (key, value) => (passing.has(key) ? undefined : value)));
}

const plain = ["text", "text", "record", "nothing", "stops", "skipped"];
const groups = ["step", "step", "steps", "parallel", "loop", "condition"];

/** A third of the pipelines have plain steps only, a third more that a step can change, and a third also pipelines inside. */
class RandomSteps {
  readonly #random: Random;
  readonly #leaves: readonly string[];
  readonly #groups: readonly string[];

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#leaves = seed % 3 === 0 ? plain : [...plain, "state", "told"];
    this.#groups = seed % 3 === 2 ? [...groups, "nested"] : groups;
  }

  list(path: string, depth: number): StepLike[] {
    return Array.from({ length: this.#random.between(1, 3) }, (_, place) => this.#node(`${path}${place}`, depth));
  }

  #node(name: string, depth: number): StepLike {
    const random = this.#random;
    const kind = depth === 0 ? "step" : random.pick(this.#groups);
    if (kind === "step") return this.#leaf(name);
    const steps = this.list(`${name}-`, depth - 1);
    if (kind === "steps") return new Steps({ name, steps });
    if (kind === "parallel") return new Parallel({ name, steps });
    if (kind === "loop") return new Loop({ name, steps, maxIterations: random.between(1, 3) });
    if (kind === "nested") return new Step({ name, executor: new Pipeline({ name, id: name, steps }) });
    const holds = random.between(0, 1) === 1;
    return new Condition({ name, steps, elseSteps: [this.#leaf(`${name}-else`)], evaluator: () => holds });
  }

  #leaf(name: string): Step {
    const kind = this.#random.pick(this.#leaves);
    const stops = kind === "stops" && this.#random.between(1, 3) === 1;
    return new Step({
      name,
      onError: kind === "skipped" ? "skip" : "fail",
      executor(input, context) {
        // The output of a nested pipeline has ids and times.
        const before = typeof input.previousStepContent === "string" ? input.previousStepContent.length : null;
        if (kind === "record") return { name, of: before };
        if (kind === "nothing") return undefined;
        if (kind === "state") context.sessionState["last"] = name;
        if (kind === "told") context.emit("Progress", { name });
        if (stops) return stepOutput({ content: name, stop: true });
        if (kind === "skipped") throw new TypeError(`${name} cannot`);
        return `${name} after ${before}`;
      },
    });
  }
}

/** Storing its events, each step has more to change, and ends with a draft. */
function run(seed: number, storeEvents: boolean): PromiseLike<PipelineRunOutput> {
  return pipeline(new RandomSteps(seed).list("n", 3), { storeEvents }).run("in");
}

describe("a step that ends without a draft", () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed))("gives what one with a draft gives, seed %i", async (seed) => {
    const [straight, drafted] = [await run(seed, false), await run(seed, true)];

    expect(facts(straight)).toEqual(facts(drafted));
  });
});
