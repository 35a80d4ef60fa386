/** An open question with what it is about, and the form that answers it. */
import type { PendingPrompt } from "@millrace/client";
import { type ReactNode, useId, useMemo, useState } from "react";
import { assertAccepted, streams } from "../api/client.js";
import { connection } from "../api/connection.js";
import type { Json, JsonObject, JsonSchema } from "../api/json.types.js";
import { fieldsOf } from "../api/plain-json.js";
import { useSend } from "../api/use-send.js";
import { useStore } from "../store.js";
import { Button } from "../ui/controls.js";
import { ExactText } from "../ui/exact-text.js";
import { JsonForm } from "../ui/form.js";
import { dateAndTime } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { ErrorBox } from "../ui/states.js";
import { TextView } from "../ui/text-view.js";
import { Ago } from "../ui/time.js";
import { AskedAbout } from "./asked-about.js";
import { Edits } from "./edits.js";
import { PipelineQuestion } from "./pipeline-question.js";
import { prefillOf } from "./prefill.js";
import { fieldsOfDecision, requirementOf } from "./requirement.js";

export interface QuestionProps {
  readonly runId: string;
  readonly prompt: PendingPrompt;
  readonly mayAnswer: boolean;
  /** `true`: what it is about is shown at once. @default false */
  readonly isWhole?: boolean;
  /** Called once the run has taken an answer. */
  readonly onAnswered: () => void;
}

export function Question({ runId, prompt, mayAnswer, isWhole = false, onAnswered }: QuestionProps): ReactNode {
  const heading = useId();
  const { isSending, error, send } = useSend();
  const isAway = useStore(connection) === "reconnecting";
  const { promptId, askedAtMs, dueAtMs, answer } = prompt;
  const requirement = requirementOf(prompt);
  const question = questionOf(prompt);
  const prefill = useMemo(() => prefillOf(prompt), [prompt]);
  const [values, setValues] = useState<JsonObject>(prefill);
  const answerWith = (fields: JsonObject): void =>
    send(async () => {
      assertAccepted(await streams.handle(runId).answer(promptId, fields));
      onAnswered();
    });
  return (
    <section className="prompt" aria-labelledby={heading}>
      <h2 id={heading}>
        <Icon name="person" />
        <span className="whole">
          <ExactText text={requirement?.message ?? question.title} />
        </span>
        {askedAtMs !== null && (
          <span className="muted">
            asked <Ago atMs={askedAtMs} />
          </span>
        )}
      </h2>
      {dueAtMs !== null && <p className="hint">Waits until {dateAndTime(dueAtMs)}.</p>}
      {requirement === null ? (
        <>
          <Facts value={question.facts} except={prefill} />
          <AskedAbout runId={runId} prompt={prompt} isOpen={isWhole} />
          {answer !== null && mayAnswer && (
            <JsonForm
              schema={answer.schema as JsonSchema}
              id={`ask-${promptId}`}
              value={prefill}
              onChange={setValues}
              onSubmit={answerWith}
            >
              <Edits before={prefill} after={values} />
              <Button type="submit" kind="primary" disabled={isSending}>
                Send {question.isAsked ? "answer" : answer.type}
              </Button>
            </JsonForm>
          )}
          {answer === null && (
            <p className="hint">The workflow does not name the event that answers it: send one with “Send event”.</p>
          )}
        </>
      ) : (
        <PipelineQuestion
          {...{ requirement, mayAnswer, isSending, id: promptId }}
          about={
            requirement.output === null && requirement.tools.length === 0 ? (
              <AskedAbout runId={runId} prompt={prompt} isOpen={isWhole} />
            ) : null
          }
          onDecide={(decision) => answerWith(fieldsOfDecision(requirement, decision))}
        />
      )}
      {isSending && isAway && (
        <p className="hint" role="status" ref={(line) => line?.scrollIntoView({ block: "nearest" })}>
          The server does not answer. The answer is sent once it is back.
        </p>
      )}
      {!mayAnswer && <p className="hint">You may not answer here.</p>}
      {error !== null && <ErrorBox error={error} />}
    </section>
  );
}

export interface ShownQuestion {
  readonly title: string;
  readonly facts: Json;
  /** Whether it is a question of `ctx.ask`, whose answer has a general type. */
  readonly isAsked: boolean;
}

export function questionOf({ event }: PendingPrompt): ShownQuestion {
  if (event.type !== "millrace.question") return { title: event.type, facts: fieldsOf(event), isAsked: false };
  const { title, details = null } = fieldsOf(event) as { readonly title: string; readonly details?: Json };
  const isText = typeof details !== "object";
  return { title, facts: isText ? { details } : details, isAsked: true };
}

/** Shorter ones stand in one line with their name. */
const LINE = 120;

interface FactsProps {
  readonly value: Json;
  /** Fields that are in the form already. */
  readonly except?: JsonObject;
}

/** The fields of the question. */
export function Facts({ value, except = {} }: FactsProps): ReactNode {
  const all = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const fields = all.filter(([name]) => !Object.hasOwn(except, name));
  const isLong = (field: Json): field is string =>
    typeof field === "string" && (field.length > LINE || field.includes("\n"));
  const short = fields.filter(([, field]) => !isLong(field));
  return (
    <>
      {short.length > 0 && (
        <dl className="kv">
          {short.map(([name, field]) => (
            <div key={name}>
              <dt>
                <ExactText text={name} />
              </dt>
              <dd>
                <ExactText text={typeof field === "string" ? field : JSON.stringify(field)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {fields.map(
        ([name, field]) =>
          isLong(field) && (
            <section key={name} className="part" aria-label={name}>
              <h4>
                <ExactText text={name} />
              </h4>
              <TextView text={field} />
            </section>
          ),
      )}
    </>
  );
}
