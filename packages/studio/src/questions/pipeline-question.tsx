/** What a pipeline asks a person: to confirm, to fill in, to choose, to review, to allow tools, or what to do after a failure. */

import { type ReactNode, useState } from "react";
import type { Json, JsonObject, JsonSchema } from "../api/json.types.js";
import { Button } from "../ui/controls.js";
import { ExactText } from "../ui/exact-text.js";
import { JsonForm } from "../ui/form.js";
import { TextField } from "../ui/text-field.js";
import { TextView } from "../ui/text-view.js";
import type { Requirement } from "./requirement.js";

export interface PipelineQuestionProps {
  readonly requirement: Requirement;
  readonly id: string;
  readonly mayAnswer: boolean;
  readonly isSending: boolean;
  /** What it is about, where the question itself does not have it. */
  readonly about?: ReactNode;
  readonly onDecide: (decision: JsonObject) => void;
}

export function PipelineQuestion(props: PipelineQuestionProps): ReactNode {
  const { requirement, mayAnswer, about } = props;
  return (
    <>
      <p className="ink2 asks">
        Step{" "}
        <b>
          <ExactText text={requirement.stepName} />
        </b>{" "}
        {verbs[requirement.kind]}
      </p>
      {requirement.error !== null && (
        <p className="s-failed mono said">
          <ExactText text={requirement.error} />
        </p>
      )}
      {requirement.output?.content !== undefined && <Output content={requirement.output.content} />}
      {requirement.tools.map(({ toolCallId, toolName, toolArgs }) => (
        <div key={toolCallId}>
          <p className="tool">
            <b>
              <ExactText text={toolName} />
            </b>
          </p>
          <Output content={toolArgs} />
        </div>
      ))}
      {about}
      {mayAnswer && <Answer {...props} />}
    </>
  );
}

const verbs: Readonly<Record<Requirement["kind"], string>> = {
  confirmation: "asks before it runs.",
  userInput: "asks for this before it runs.",
  route: "asks which way to go.",
  outputReview: "has made this. Is it good?",
  iterationReview: "has made this. Is it good enough to stop?",
  executor: "asks before it uses tools.",
  error: "has failed. What now?",
};

function Output({ content }: { readonly content: Json }): ReactNode {
  if (typeof content === "string") return <TextView text={content} />;
  return (
    <pre className="req">
      <ExactText text={JSON.stringify(content, null, 2)} />
    </pre>
  );
}

function Answer({ requirement, id, isSending, onDecide }: PipelineQuestionProps): ReactNode {
  const { kind } = requirement;
  const [isRejecting, setRejecting] = useState(false);
  if (isRejecting) return <Rejection {...{ isSending, onDecide }} onBack={() => setRejecting(false)} />;
  const reject = (
    <Button data-answer="no" disabled={isSending} onClick={() => setRejecting(true)}>
      Reject…
    </Button>
  );
  if (kind === "error") {
    return (
      <div className="row">
        <Button kind="primary" disabled={isSending} onClick={() => onDecide({ decision: "retry" })}>
          Run it again
        </Button>
        <Button disabled={isSending} onClick={() => onDecide({ decision: "skip" })}>
          Continue without it
        </Button>
      </div>
    );
  }
  if (kind === "userInput" || kind === "route") {
    const submit = (value: JsonObject): void =>
      onDecide(
        kind === "route"
          ? { decision: "confirm", choices: listOf(value["choices"] ?? null) }
          : { decision: "confirm", values: value },
      );
    return (
      <JsonForm
        schema={kind === "route" ? routeSchema(requirement) : fieldsSchema(requirement)}
        id={`ask-${id}`}
        onSubmit={submit}
      >
        <div className="row">
          <Button type="submit" kind="primary" disabled={isSending}>
            Send
          </Button>
          {reject}
        </div>
      </JsonForm>
    );
  }
  return (
    <div className="row">
      <Button kind="primary" data-answer="yes" disabled={isSending} onClick={() => onDecide({ decision: "confirm" })}>
        {kind === "confirmation" ? "Confirm" : kind === "executor" ? "Allow" : "Accept"}
      </Button>
      {reject}
    </div>
  );
}

interface RejectionProps {
  readonly isSending: boolean;
  readonly onDecide: (decision: JsonObject) => void;
  readonly onBack: () => void;
}

function Rejection({ isSending, onDecide, onBack }: RejectionProps): ReactNode {
  const [feedback, setFeedback] = useState("");
  return (
    <form
      className="form plain"
      onSubmit={(event) => {
        event.preventDefault();
        onDecide({ decision: "reject", ...(feedback !== "" && { feedback }) });
      }}
    >
      <TextField label="Why" isOptional value={feedback} onText={setFeedback} />
      <div className="row">
        <Button type="submit" kind="primary" disabled={isSending}>
          Reject
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </form>
  );
}

function fieldsSchema({ fields }: Requirement): JsonSchema {
  const properties = fields.map(({ name, type, description, allowedValues }) => [
    name,
    {
      type,
      ...(description !== undefined && { description }),
      ...(allowedValues !== undefined && { enum: allowedValues }),
    },
  ]);
  const required = fields.filter((field) => field.required !== false).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), required };
}

function routeSchema({ choices, allowMultipleSelections: areMany }: Requirement): JsonSchema {
  const one = { type: "string", enum: choices };
  const many = { type: "array", items: one, uniqueItems: true, minItems: 1 };
  return { type: "object", properties: { choices: areMany ? many : one }, required: ["choices"] };
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}
