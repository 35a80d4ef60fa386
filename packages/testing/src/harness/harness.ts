/**
 * Installs ports and a middleware in a workflow and its children, for one user at a time.
 *
 * A child class has one instance for all its parents, so a harness is used exclusively.
 *
 * @module
 */
import type { Middleware, Telemetry, Workflow } from "millrace";
import { compileWorkflow, familyOf, type Ports, setPorts } from "millrace/engine";

let last: Promise<unknown> = Promise.resolve();

/** Runs `work` after all earlier calls have ended. */
export function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  const mine = last.then(work);
  last = mine.catch(() => {});
  return mine;
}

/** Present middleware of an instance. A workflow cannot remove a middleware, so one is added once and looks here. */
const current = new WeakMap<Workflow, Middleware | null>();

export interface HarnessSetup {
  readonly ports: Partial<Ports>;
  readonly middleware: Middleware;
  /** Takes the place of the telemetry of the workflow. @default it stays */
  readonly telemetry?: Telemetry | undefined;
}

/** Installs these ports and this middleware in the workflow and all its children. */
export function installHarness(workflow: Workflow, { ports, middleware, telemetry }: HarnessSetup): void {
  for (const { instance } of familyOf(compileWorkflow(workflow))) {
    setPorts(instance, ports);
    if (telemetry !== undefined) instance.use(telemetry);
    if (!current.has(instance))
      instance.use((call, next) => {
        const wrap = current.get(instance);
        return wrap ? wrap(call, next) : next();
      });
    current.set(instance, middleware);
  }
}

/** Disposes the resources and restores the workflow. */
export async function removeHarness(workflow: Workflow): Promise<void> {
  for (const { instance } of familyOf(compileWorkflow(workflow))) {
    current.set(instance, null);
    await instance[Symbol.asyncDispose]();
    setPorts(instance, {});
  }
}
