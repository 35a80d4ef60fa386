/** Steps one after the other, and the smallest run there is. */
import { type Measure, medianMs, type Rounds } from "../measure.ts";
import { bareChain, effectChain, millraceChain, type Run, workflowCoreChain, xstateChain } from "../subjects.ts";

const makers = {
  millrace: millraceChain,
  bare: bareChain,
  effect: effectChain,
  "workflow-core": workflowCoreChain,
  xstate: xstateChain,
};

function perRun(make: (steps: number) => Run): () => Promise<number> {
  return async () => 1000 * (await medianMs(make(1), { rounds: 3000, warmups: 3000 }));
}

function perStep(make: (steps: number) => Run, steps: number, rounds: Rounds): () => Promise<number> {
  return async () => (1000 * (await medianMs(make(steps), rounds))) / steps;
}

function chain(steps: number, rounds: Rounds): Measure {
  const subjects = Object.entries(makers).map(([name, make]) => [name, perStep(make, steps, rounds)]);
  const budget = steps >= 100 ? { budget: 2 } : {};
  return { name: `chain of ${steps} steps`, unit: "µs per step", ...budget, subjects: Object.fromEntries(subjects) };
}

export const measures: readonly Measure[] = [
  {
    name: "run of one step, whole",
    unit: "µs",
    budget: 15,
    subjects: Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, perRun(make)])),
  },
  chain(10, { rounds: 1000, warmups: 1000 }),
  chain(100, { rounds: 200, warmups: 200 }),
  chain(1000, { rounds: 40, warmups: 20 }),
];
