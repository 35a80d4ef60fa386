/**
 * A workflow and its children under ports of ours, one such use at a time.
 *
 * Children are shared: a class that is a child has one instance for all its parents. So whoever uses a stage has it alone.
 *
 * @module
 */
import type { Middleware, Workflow } from "millrace";
import { type CompiledWorkflow, compileChild, compileWorkflow, type Ports, setPorts } from "millrace/engine";

let last: Promise<unknown> = Promise.resolve();

/** Does `work` when all that was asked for earlier is done. */
export function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  const mine = last.then(work);
  last = mine.catch(() => {});
  return mine;
}

/** What wraps the attempts of an instance now. Middleware cannot be taken off again: ours asks here, and is put on once. */
const current = new WeakMap<Workflow, Middleware | null>();

export interface StageSetup {
  readonly ports: Partial<Ports>;
  readonly middleware: Middleware;
}

/** Gives the workflow and all its children these ports and this middleware. */
export function setStage(workflow: Workflow, { ports, middleware }: StageSetup): void {
  for (const { instance } of familyOf(compileWorkflow(workflow))) {
    setPorts(instance, ports);
    if (!current.has(instance))
      instance.use((call, next) => {
        const wrap = current.get(instance);
        return wrap ? wrap(call, next) : next();
      });
    current.set(instance, middleware);
  }
}

/** Ends the resources of the use, and gives the workflow back as it was made. */
export async function clearStage(workflow: Workflow): Promise<void> {
  for (const { instance } of familyOf(compileWorkflow(workflow))) {
    current.set(instance, null);
    await instance[Symbol.asyncDispose]();
    setPorts(instance, {});
  }
}

function familyOf(root: CompiledWorkflow, known: Set<CompiledWorkflow> = new Set()): Set<CompiledWorkflow> {
  if (known.has(root)) return known;
  known.add(root);
  for (const name of root.children.keys()) familyOf(compileChild(root, name), known);
  return known;
}
