import { Loop, Parallel, Pipeline, Step, type StepFunction } from "@millrace/pipeline";
import { memoryStore } from "millrace/runtime";

const say: StepFunction = ({ input = null }) => `said of ${input}`;
const step = (name: string): Step => new Step({ name, executor: say });

/** A file may export the pipeline, and its workflow, which is the same. */
export const deep: Pipeline = new Pipeline({
  name: "Deep",
  steps: [
    new Parallel("both", step("left"), step("right")),
    new Loop({ name: "again", steps: [step("turn"), new Parallel("inner", step("a"), step("b"))], maxIterations: 1 }),
    new Step({ name: "last", executor: () => ({ length: 26 }) }),
  ],
  store: memoryStore(),
});
export const { workflow } = deep;
