/** Open questions of the run, each with the form that answers it. */

import type { PendingPrompt } from "@millrace/client";
import { type ReactNode, useId, useState } from "react";
import { assertAccepted, client } from "../api/client.js";
import type { Json, JsonObject, JsonSchema } from "../api/json.types.js";
import { fieldsOf } from "../api/plain-json.js";
import { useSend } from "../api/use-send.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { ExactText } from "../ui/exact-text.js";
import { JsonForm } from "../ui/form.js";
import { dateAndTime } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { ErrorBox } from "../ui/states.js";
import { Ago } from "../ui/time.js";
import { fieldsOfDecision, PipelineQuestion, requirementOf } from "./pipeline-question.js";

export interface PromptPanelProps {
  readonly runId: string;
  readonly prompts: readonly PendingPrompt[];
  readonly mayAnswer: boolean;
  /** Called once the run has taken an answer. */
  readonly onAnswered: () => void;
}

export function PromptPanel({ runId, prompts, mayAnswer, onAnswered }: PromptPanelProps): ReactNode {
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const open = prompts.filter(({ promptId: id }) => !answered.has(id));
  const isSent = prompts.length > 0 && open.length === 0;
  const done = (id: string): void => {
    setAnswered((before) => new Set(before).add(id));
    announce("Answer sent");
    onAnswered();
  };
  return (
    <div id="ask">
      {isSent && (
        <div className="prompt sent">
          <span className="ok">
            <Icon name="done" />
            Answer sent. The run continues.
          </span>
        </div>
      )}
      {open.map((prompt) => (
        <Question key={prompt.promptId} {...{ runId, prompt, mayAnswer }} onAnswered={() => done(prompt.promptId)} />
      ))}
    </div>
  );
}

interface QuestionProps extends Omit<PromptPanelProps, "prompts"> {
  readonly prompt: PendingPrompt;
}

function Question({ runId, prompt, mayAnswer, onAnswered }: QuestionProps): ReactNode {
  const heading = useId();
  const { isSending, error, send } = useSend();
  const { promptId, askedAtMs, dueAtMs, answer } = prompt;
  const requirement = requirementOf(prompt);
  const question = questionOf(prompt);
  const answerWith = (fields: JsonObject): void =>
    send(async () => {
      assertAccepted(await client.handle(runId).answer(promptId, fields));
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
          <Facts value={question.facts} />
          {answer !== null && mayAnswer && (
            <JsonForm schema={answer.schema as JsonSchema} id={`ask-${promptId}`} onSubmit={answerWith}>
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
          onDecide={(decision) => answerWith(fieldsOfDecision(requirement, decision))}
        />
      )}
      {!mayAnswer && <p className="hint">You may not answer here.</p>}
      {error !== null && <ErrorBox error={error} />}
    </section>
  );
}

interface ShownQuestion {
  readonly title: string;
  readonly facts: Json;
  /** Whether it is a question of `ctx.ask`, whose answer has a general type. */
  readonly isAsked: boolean;
}

function questionOf({ event }: PendingPrompt): ShownQuestion {
  if (event.type !== "millrace.question") return { title: event.type, facts: fieldsOf(event), isAsked: false };
  const { title, details = null } = fieldsOf(event) as { readonly title: string; readonly details?: Json };
  const isText = typeof details !== "object";
  return { title, facts: isText ? { details } : details, isAsked: true };
}

/** The fields of the question. */
export function Facts({ value }: { readonly value: Json }): ReactNode {
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (fields.length === 0) return null;
  return (
    <dl className="kv">
      {fields.map(([name, field]) => (
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
  );
}
