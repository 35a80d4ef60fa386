/**
 * Answers to `ctx.ask`, at the door: the schema of a question is in the code of its step, so only an attempt that has asked can say
 * what an answer has to be.
 *
 *     answer ──► asked in this process? ──yes──► checked ──► tick
 *                        │ no: the run was just loaded, and its step runs again
 *                        └──► held until the step asks, or until the run is idle
 *
 * @module
 */
import type { WaitRecord } from "../engine/state.js";
import type { EventClass } from "../event/event.js";
import type { LiveRun, LiveRunCore } from "./run.types.js";

/** The class of an answer, whose shape is the schema of its question; `null` where no attempt here has asked. */
type Held = (answer: EventClass | null) => void;

interface Questions {
  readonly asked: Map<string, EventClass>;
  readonly held: Map<string, Held[]>;
}

type Asking = Pick<WaitRecord, "item" | "call">;

const questions = new WeakMap<LiveRunCore, Questions>();

function questionsOf(run: LiveRunCore): Questions {
  const known = questions.get(run) ?? { asked: new Map(), held: new Map() };
  questions.set(run, known);
  return known;
}

/** An attempt asks. Stays until the answer is read, also while the step waits for its next attempt. */
export function noteQuestion(run: LiveRunCore, { item, call }: Asking, answer: EventClass): void {
  const { asked, held } = questionsOf(run);
  const place = `${item} ${call}`;
  asked.set(place, answer);
  const waiting = held.get(place) ?? [];
  held.delete(place);
  for (const next of waiting) next(answer);
}

export function forgetQuestion(run: LiveRunCore, { item, call }: Asking): void {
  questions.get(run)?.asked.delete(`${item} ${call}`);
}

/** Calls back once it is known what an answer has to be, or that no attempt will say so. */
export function whenAsked(run: LiveRun, { item, call }: Asking, next: Held): void {
  const { asked, held } = questionsOf(run);
  const place = `${item} ${call}`;
  const answer = asked.get(place);
  if (answer !== undefined || run.isIdle()) next(answer ?? null);
  else held.set(place, [...(held.get(place) ?? []), next]);
}

/** Called when the run is idle: held answers are delivered unchecked, and their call checks them. `false` if there is none. */
export function deliverHeld(run: LiveRunCore): boolean {
  const held = questions.get(run)?.held;
  if (held === undefined || held.size === 0) return false;
  const waiting = [...held.values()].flat();
  held.clear();
  for (const next of waiting) next(null);
  return true;
}
