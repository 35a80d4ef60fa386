/** Small shorthands for tests of whole runs. */
import { Context, type RunContext, type RunOutcome, type Workflow, type WorkflowHandler } from "../../src/index.js";

/** The snapshot of a run in a new context, as if another process had loaded it. */
export function reload(workflow: Workflow, context: RunContext): RunContext {
  return Context.fromDict(workflow, JSON.parse(JSON.stringify(context.toDict())));
}

/** Where a waiting run stands. */
export async function waiting(handler: WorkflowHandler): Promise<Extract<RunOutcome, { status: "waiting" }>> {
  const outcome = await handler.idle();
  if (outcome.status === "waiting") return outcome;
  throw new Error(
    `The run does not wait: ${JSON.stringify(outcome)} ${"error" in outcome ? String(outcome.error) : ""}`,
  );
}

export interface Rejection extends Error {
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a promise is rejected with. */
export async function rejection(promise: PromiseLike<unknown>): Promise<Rejection> {
  const settled = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in settled) return settled.error as Error;
  throw new Error(`Resolved with ${JSON.stringify(settled.value)}.`);
}

/** A promise that a test settles. */
export function gate<Value = void>(): { readonly promise: Promise<Value>; readonly open: (value: Value) => void } {
  let open!: (value: Value) => void;
  const promise = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
