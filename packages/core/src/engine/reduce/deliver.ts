/**
 * Delivers events.
 *
 * @module
 */
import { features } from "../features.js";
import { SmallMap } from "../small-map.js";
import type { EventData, Parcel, StepInput } from "../state.js";
import { answerWait } from "./answers.js";
import { keep } from "./inbox.js";
import { enqueue } from "./items.js";
import { decide, publish, type Work } from "./work.js";

/**
 * Gives an event to the oldest wait that it matches, and to every step that accepts it, except the step of that wait.
 * Returns `false` when nobody took it.
 */
export function offer(work: Work, parcel: Parcel): boolean {
  const { event, step: only } = parcel;
  const answered = work.state.waits === null ? null : answerWait(work, event, only);
  let taken = answered !== null;
  const route = work.routing.routes.get(event.type);
  if (!route) return taken;
  let input: StepInput | null = null;
  for (const { name } of route.steps) {
    if (name === answered || (only !== null && only !== name)) continue;
    input ??= { kind: "event", event };
    enqueue(work, { step: name, input }, parcel);
    taken = true;
  }
  return features.gathered?.offer(work, route, parcel) === true || taken;
}

/**
 * Delivers what a step emitted or sent. A prompt is shown; an event that nobody takes yet is kept for a step that waits
 * for it.
 *
 * @param from The step that it comes from, when that is known.
 */
export function deliver(work: Work, parcel: Parcel, from: string | null = null): void {
  if (parcel.scope?.closed) return;
  const isPrompt = work.routing.roles.get(parcel.event.type) === "inputRequired";
  if (isPrompt) show(work, parcel.event, from);
  if (offer(work, parcel) || isPrompt) return;
  if (keep(work, parcel)) return;
  decide(work, { type: "note", note: { kind: "event.unhandled", event: parcel.event, step: parcel.step } });
}

function show(work: Work, event: EventData, step: string | null): void {
  const { state } = work;
  const promptId = `${state.runId}:${state.nextId++}`;
  state.prompts ??= new SmallMap();
  state.prompts.set(promptId, { promptId, event, wait: null, step, askedAtMs: state.atMs });
  publish(work, event, { promptId, origin: null });
}
