/**
 * The pipeline whose process is killed: a Parallel inside a Loop, then a Condition and a Router that look at the state. Nested: with
 * the same steps, some of them in a pipeline in that Parallel, and in one in that.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RunStore } from "millrace/runtime";
import { Condition, Loop, Parallel, Pipeline, type PipelineRunOptions, Router, Step } from "../../src/index.js";

const rounds = 2;
const parts = ["bread", "milk", "tea"];
const inRound = ["open", ...parts, "close"];

/** Every step that runs, with its round. */
export const keys: readonly string[] = [
  ...Array.from({ length: rounds }, (_, round) => inRound.map((name) => `${name} ${round + 1}`)).flat(),
  ...["complete", "express", "send"].map((name) => `${name} ${rounds}`),
];

/** Of the step that the run ends with. */
export const lastKey = `send ${rounds}`;

export const input = "an order";
export const runOptions = { runId: "order", sessionId: "shop" } satisfies PipelineRunOptions;

/** Told of a step before it changes anything. */
export type Effect = (key: string) => void;

export interface OrderState {
  readonly edits: number;
  readonly done: Readonly<Record<string, true>>;
  readonly rounds: readonly number[];
}

export interface OrdersSetup {
  readonly effect: Effect;
  readonly isNested: boolean;
}

export function orders(store: RunStore, { effect, isNested }: OrdersSetup): Pipeline {
  const work = (name: string): Step => workStep(name, effect);
  return new Pipeline({
    name: "orders",
    store,
    storeEvents: true,
    sessionState: { edits: 0, done: {}, rounds: [] },
    steps: [
      new Loop({
        name: "rounds",
        maxIterations: rounds + 5,
        forwardIterationOutput: true,
        endCondition: (_outputs, { iteration }) => iteration + 1 === rounds,
        steps: [
          work("open"),
          new Parallel({ name: "parts", steps: isNested ? nestedParts(work) : parts.map(work) }),
          work("close"),
        ],
      }),
      new Condition({
        name: "counted",
        evaluator: (_input, { sessionState }) => sessionState["edits"] === rounds * inRound.length,
        steps: [work("complete")],
        elseSteps: [work("incomplete")],
      }),
      new Router({
        name: "way",
        choices: [work("express"), work("standard")],
        selector: (_input, { sessionState }) =>
          (sessionState["rounds"] as number[]).length === rounds ? "express" : "standard",
      }),
      work("send"),
    ],
  });
}

function nestedParts(work: (name: string) => Step): Step[] {
  const [bread = "", milk = "", tea = ""] = parts;
  const hot = new Pipeline({ name: "hot", steps: [work(tea)] });
  const drinks = new Pipeline({ name: "drinks", steps: [work(milk), new Step({ name: "hot drinks", executor: hot })] });
  return [work(bread), new Step({ name: "drinks", executor: drinks })];
}

/** Does something outside, counts itself in an edit, and tells in the state, in place, that it is done. */
function workStep(name: string, effect: Effect): Step {
  return new Step({
    name,
    async executor({ previousStepContent }, { sessionState, editState }) {
      const opened = sessionState["rounds"] as number[];
      const round = name === "open" ? opened.length + 1 : opened.length;
      effect(`${name} ${round}`);
      await sleep(1);
      await editState(async (state) => {
        const before = state["edits"] as number;
        await sleep(1);
        state["edits"] = before + 1;
      });
      if (name === "open") opened.push(round);
      (sessionState["done"] as Record<string, true>)[`${name} ${round}`] = true;
      return `${name} ${round} after ${String(previousStepContent).length} characters`;
    },
  });
}
