/**
 * `ctx.ask`: a wait for a built-in answer event, whose schema is an option of the call.
 *
 * The record holds the fields as they were sent, and every attempt reads them with its own schema. An answer is checked at the door
 * (see `questions.ts`), so one that does not fit is of other code, or came while it could not be checked: then the call asks again.
 *
 * @module
 */
import type { Question } from "../../authoring/context.types.js";
import type { WaitOpened } from "../../engine/tick.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import { AnswerEvent, makeEngineEvent, QuestionEvent } from "../../event/built-in-events.js";
import { type EventClass, fieldsOf } from "../../event/event.js";
import { defineEvent } from "../../event/event-class.js";
import { eventFromFields } from "../../event/event-codec.js";
import { eventJsonSchema } from "../../event/event-schema.js";
import type { ObjectSchema } from "../../event/schema.js";
import { withoutDrafts } from "../../state/finish-draft.js";
import { toMs } from "../../value/duration.js";
import { checkOptionNames } from "../../value/known-options.js";
import { assertOption } from "../../value/options.js";
import { forgetQuestion, noteQuestion } from "../questions.js";
import type { AttemptCore } from "../run.types.js";
import { insideCall } from "./call-ids.js";
import { callsOf } from "./calls.js";
import { waitKeyRequired } from "./check-calls.js";

/** The part of a step's context that a waiting call needs. */
export interface Opening {
  /** @param read Returns the value of the call for its answer. */
  open(call: string, tick: () => WaitOpened, read: (answer: unknown) => unknown): Promise<unknown>;
  stamp(call: string): Pick<WaitOpened, "atMs" | "item" | "attempt" | "call">;
}

/** @param name The name of the call in its scope. */
export function ask(
  attempt: AttemptCore,
  {
    name,
    scope,
    question,
  }: { readonly name: string; readonly scope: string; readonly question: Question<ObjectSchema> },
  opening: Opening,
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
    ...opening.stamp(call),
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
    const place = { item: item.id, call };
    noteQuestion(run, place, answer);
    const read = (given: unknown): unknown =>
      readAnswer(answer, given as AnswerEvent) ?? asked(insideCall(call, "again=1"));
    const answered = opening.open(call, opened(call), read);
    const forget = (): void => {
      if (attempt.ended === null) forgetQuestion(run, place);
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
