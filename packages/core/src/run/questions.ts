/**
 * `ctx.ask`: a wait for a built-in answer event, whose schema is an option of the call.
 *
 * Answers are checked at the door: the schema of a question is in the code of its step, so only an attempt that has asked can say
 * what an answer has to be.
 *
 *     answer ──► asked in this process? ──yes──► checked ──► tick
 *                        │ no: the run was just loaded, and its step runs again
 *                        └──► held until the step asks, or until the run is idle
 *
 * The record holds the fields as they were sent, and every attempt reads them with its own schema. An answer that
 * does not fit is of other code, or came while it could not be checked: then the call asks again.
 *
 * @module
 */

import type { Question } from "../authoring/context.types.js";
import type { WaitRecord } from "../engine/state.js";
import type { WaitOpened } from "../engine/tick.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { AnswerEvent, makeEngineEvent, QuestionEvent } from "../event/built-in-events.js";
import { type EventClass, fieldsOf } from "../event/event.js";
import { defineEvent } from "../event/event-class.js";
import { eventFromFields, eventJsonSchema } from "../event/event-codec.js";
import type { ObjectSchema } from "../event/schema.js";
import { withoutDrafts } from "../state/finish-draft.js";
import { toMs } from "../value/duration.js";
import { assertOption, checkOptionNames } from "../value/options.js";
import { insideCall } from "./attempt/call-ids.js";
import { callsOf } from "./attempt/calls.js";
import { waitKeyRequired } from "./attempt/check-calls.js";
import { stampOf } from "./attempt/open-call.js";
import type { AttemptCore, LiveRun, LiveRunCore } from "./live-run.js";

/** The class of an answer, whose shape is the schema of its question; `null` where no attempt here has asked. */
type Held = (answer: EventClass | null) => void;

interface Questions {
  readonly asked: Map<string, EventClass>;
  readonly held: Map<string, Held[]>;
}

const questions = new WeakMap<LiveRunCore, Questions>();

function questionsOf(run: LiveRunCore): Questions {
  const known = questions.get(run) ?? { asked: new Map(), held: new Map() };
  questions.set(run, known);
  return known;
}

/** An attempt asks. Stays until the answer is read, also while the step waits for its next attempt. */
function noteQuestion(run: LiveRunCore, place: string, answer: EventClass): void {
  const { asked, held } = questionsOf(run);
  asked.set(place, answer);
  const waiting = held.get(place) ?? [];
  held.delete(place);
  for (const next of waiting) next(answer);
}

/** Calls back once it is known what an answer has to be, or that no attempt will say so. */
export function whenAsked(run: LiveRun, { item, call }: WaitRecord, next: Held): void {
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

interface AskCall {
  /** Name of the call in its scope. */
  readonly name: string;
  readonly scope: string;
  readonly question: Question<ObjectSchema>;
}

/** @param open Opens the wait of the call. `read` returns the value of the call for its answer. */
export function ask(
  attempt: AttemptCore,
  { name, scope, question }: AskCall,
  open: (call: string, tick: () => WaitOpened, read: (answer: unknown) => unknown) => Promise<unknown>,
): Promise<unknown> {
  const { run, item } = attempt;
  checkOptionNames("ask", question);
  const { title, details, schema, promptId, timeout } = question;
  assertOption(typeof title === "string" && title !== "", "title", "a text");
  assertOption(schema, "schema", "a schema of an object, or a record of schemas");
  assertOption(promptId === undefined || (typeof promptId === "string" && promptId !== ""), "promptId", "a text");
  const answer = defineEvent({ type: AnswerEvent.type, role: "humanResponse", shape: schema });
  const calls = callsOf(attempt);
  if (calls.isOpen(name)) throw waitKeyRequired(attempt, AnswerEvent.type, scope);
  const timeoutMs = timeout === undefined ? null : toMs(timeout, "timeout");
  const opened = (call: string) => (): WaitOpened => ({
    type: "wait.opened",
    ...stampOf(attempt, call),
    accepts: [AnswerEvent.type],
    where: null,
    prompt: makeEngineEvent(QuestionEvent, {
      title,
      ...(details !== undefined && { details: withoutDrafts(details) }),
      schema: eventJsonSchema(answer),
    }),
    ...(promptId !== undefined && { promptId }),
    dueAtMs: timeoutMs === null ? null : run.now() + timeoutMs,
  });
  const asked = (call: string): Promise<unknown> => {
    const place = `${item.id} ${call}`;
    noteQuestion(run, place, answer);
    const read = (given: unknown): unknown =>
      readAnswer(answer, given as AnswerEvent) ?? asked(insideCall(call, "again=1"));
    const answered = open(call, opened(call), read);
    const forget = (): void => {
      if (attempt.ended === null) questionsOf(run).asked.delete(place);
    };
    answered.then(forget, forget);
    return answered;
  };
  return asked(calls.id(name));
}

/** Returns `null` if the fields do not fit. */
function readAnswer(answer: EventClass, { fields }: AnswerEvent): object | null {
  try {
    return fieldsOf(eventFromFields(answer, fields));
  } catch (error) {
    if (WorkflowError.is(error, "EVENT_INVALID")) return null;
    throw error;
  }
}
