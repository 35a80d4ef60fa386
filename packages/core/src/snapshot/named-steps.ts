/** The steps that a snapshot refers to. */
import type { JoinJson, PendingEventJson, SnapshotJson } from "./snapshot-shape.js";

/**
 * Names of all steps by which something in the snapshot is routed, counted or kept, each once. Past facts do not count: which step
 * failed, which had no batch.
 *
 * @param known Steps of the workflow: buffers of `collectEvents` have their names.
 */
export function namedSteps(
  { items = [], scopes = [], joins, inbox = [], timers = [], sets = [] }: SnapshotJson,
  known: Iterable<string>,
): Set<string> {
  const names = new Set<string>();
  for (const item of items) {
    names.add(item.step);
    addHandlers(names, item);
  }
  for (const { opener, collects = [], gathered = [], joins: inner } of scopes) {
    for (const name of [opener, ...collects]) names.add(name);
    for (const { step, arrivals = [] } of gathered) {
      names.add(step);
      for (const arrival of arrivals) addHandlers(names, arrival);
    }
    addJoins(names, inner);
  }
  addJoins(names, joins);
  for (const pendingEvent of inbox) addPendingEvent(names, pendingEvent);
  for (const timer of timers) if (timer.kind === "send") addPendingEvent(names, timer.pendingEvent);
  const steps = [...known];
  for (const [key] of sets) if (!steps.some((step) => key.startsWith(`${step}:`))) names.add(key.replace(/:.*$/s, ""));
  return names;
}

function addJoins(names: Set<string>, joins: readonly JoinJson[] = []): void {
  for (const { step, arrivals = [] } of joins) {
    names.add(step);
    for (const pendingEvent of arrivals) addPendingEvent(names, pendingEvent);
  }
}

function addPendingEvent(names: Set<string>, pendingEvent: PendingEventJson): void {
  if (typeof pendingEvent.step === "string") names.add(pendingEvent.step);
  addHandlers(names, pendingEvent);
}

/** Error handlers with a counted budget: under another name, the budget would start again. */
function addHandlers(names: Set<string>, { recoveries }: Pick<PendingEventJson, "recoveries">): void {
  for (const handler of Object.keys(recoveries ?? {})) names.add(handler);
}
