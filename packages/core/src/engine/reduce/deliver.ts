/**
 * Delivers events.
 *
 * @module
 */
import { optionalModules } from "../optional-modules.js";
import type { EventData, PendingEvent, StepInput } from "../state.js";
import { answerWait } from "./answers.js";
import { keep } from "./inbox.js";
import { enqueue } from "./items.js";
import { emitCommand, publish, type Reduction } from "./reduction.js";

/**
 * Delivers an event to the oldest wait that it matches, and to every step that accepts it, except the step of that wait.
 * Returns `false` if no step accepted it.
 */
export function offer(reduction: Reduction, pendingEvent: PendingEvent): boolean {
  const { event, step: only } = pendingEvent;
  const answered = reduction.state.waits === null ? null : answerWait(reduction, event, only);
  let taken = answered !== null;
  const route = reduction.routing.routes.get(event.type);
  if (!route) return taken;
  let input: StepInput | null = null;
  for (const { name } of route.steps) {
    if (name === answered || (only !== null && only !== name)) continue;
    input ??= { kind: "event", event };
    enqueue(reduction, { step: name, input }, pendingEvent);
    taken = true;
  }
  return optionalModules.gathered?.offer(reduction, route, pendingEvent) === true || taken;
}

/**
 * Delivers what a step emitted or sent. A prompt is shown; an event that no step accepts yet is kept for a step that waits
 * for it.
 *
 * @param from The step that it comes from, when that is known.
 */
export function deliver(reduction: Reduction, pendingEvent: PendingEvent, from: string | null = null): void {
  if (pendingEvent.scope?.closed) return;
  const isPrompt = reduction.routing.roles.get(pendingEvent.event.type) === "inputRequired";
  if (isPrompt) show(reduction, pendingEvent.event, from);
  if (offer(reduction, pendingEvent) || isPrompt) return;
  if (keep(reduction, pendingEvent)) return;
  emitCommand(reduction, {
    type: "note",
    note: { kind: "event.unhandled", event: pendingEvent.event, step: pendingEvent.step },
  });
}

function show(reduction: Reduction, event: EventData, step: string | null): void {
  const { state } = reduction;
  const promptId = `${state.runId}:${state.nextId++}`;
  state.prompts ??= new Map();
  state.prompts.set(promptId, { promptId, event, wait: null, step, askedAtMs: state.atMs });
  publish(reduction, event, { promptId, origin: null });
}
