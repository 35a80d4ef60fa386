/**
 * Error handlers: they get the failures of steps that have used up their retries.
 *
 * @module
 */
import type { Failure, WorkItem } from "../state.js";
import { stepFailed } from "./engine-events.js";
import { endItem, enqueue, leaveFanOut } from "./items.js";
import type { Reduction } from "./reduction.js";

export function recover(reduction: Reduction, item: WorkItem, failure: Failure): boolean {
  const handler = reduction.routing.handlers.get(item.step);
  if (handler === undefined) return false;
  const { name: step, maxRecoveries } = handler;
  const used = item.recoveries?.[step] ?? 0;
  if (used >= maxRecoveries) return false;
  const { scope, index } = item;
  const recoveries = { ...item.recoveries, [step]: used + 1 };
  enqueue(reduction, { step, input: { kind: "event", event: stepFailed(failure) } }, { scope, index, recoveries });
  leaveFanOut(reduction, item); // output from before the failure stays a batch
  endItem(reduction, item);
  return true;
}
