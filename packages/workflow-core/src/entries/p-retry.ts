/** Handlers that try again. */
import pRetry, { type Options } from "p-retry";
import type { Handler, WorkflowContext } from "../context.js";
import type { WorkflowEvent } from "../event.js";

/** A handler that is called again when it fails, as `p-retry` says. */
export function pRetryHandler<
  const AcceptEvents extends WorkflowEvent<any>[],
  Result extends ReturnType<WorkflowEvent<any>["with"]> | void,
  Context extends WorkflowContext = WorkflowContext,
>(handler: Handler<AcceptEvents, Result, Context>, options: Options): Handler<AcceptEvents, Result, Context> {
  const again = (...args: Parameters<typeof handler>): Promise<Result> => pRetry(async () => handler(...args), options);
  return again as typeof handler;
}
