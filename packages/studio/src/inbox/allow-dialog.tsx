import { type ReactNode, useState } from "react";
import { assertAccepted, client, toClientError } from "../api/client.js";
import { saidIn, yesOf } from "../questions/prefill.js";
import { titleOf } from "../questions/question-title.js";
import { requirementOf } from "../questions/requirement.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { ExactText } from "../ui/exact-text.js";
import type { OpenQuestion } from "./inbox-list.js";

export interface AllowDialogProps {
  readonly questions: readonly OpenQuestion[];
  readonly onAnswered: (question: OpenQuestion) => void;
  readonly onClose: () => void;
}

const AT_ONCE = 5;

/** A yes to several questions, after all of them were listed. What needs more than a yes stays open. */
export function AllowDialog({ questions, onAnswered, onClose }: AllowDialogProps): ReactNode {
  // Those that it was opened for: answered ones leave the list behind it.
  const [asked] = useState(questions);
  const [done, setDone] = useState(0);
  const [refused, setRefused] = useState<readonly (readonly [OpenQuestion, string])[]>([]);
  const [isSending, setSending] = useState(false);
  const [isOver, setOver] = useState(false);
  const plain = asked.filter(({ prompt }) => yesOf(prompt) !== null);
  const answer = async (question: OpenQuestion): Promise<void> => {
    const { runId, prompt } = question;
    try {
      assertAccepted(await client.handle(runId).answer(prompt.promptId, yesOf(prompt) ?? {}));
      setDone((before) => before + 1);
      onAnswered(question);
    } catch (error) {
      setRefused((before) => [...before, [question, toClientError(error).message]]);
    }
  };
  const send = async (): Promise<void> => {
    setSending(true);
    const left = plain.values();
    const worker = async (): Promise<void> => {
      for (const question of left) await answer(question);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    setSending(false);
    setOver(true);
  };
  const more = asked.length - plain.length;
  return (
    <Dialog
      title={isOver ? `${done} answered` : `Say yes to ${plain.length}?`}
      intro={more === 0 ? undefined : `${more} of the chosen need more than a yes, and stay open.`}
      onClose={onClose}
      onSubmit={() => (isOver ? onClose() : void send())}
      actions={
        isOver ? (
          <Button type="submit" kind="primary">
            Close
          </Button>
        ) : (
          <>
            <Button kind="ghost" onClick={onClose}>
              Back
            </Button>
            <Button type="submit" kind="primary" disabled={isSending || plain.length === 0}>
              Yes to {plain.length}
            </Button>
          </>
        )
      }
    >
      <ul className="problems allow">
        {plain.map((question) => (
          <li key={question.key}>
            <span className="mono cut">{question.runId}</span>
            <span className="cut">
              <ExactText text={titleOf(question.prompt)} />
            </span>
            <span className="cut muted">
              <ExactText text={factsOf(question)} />
            </span>
          </li>
        ))}
      </ul>
      {refused.map(([{ key, runId }, message]) => (
        <p key={key} className="err">
          {runId}: {message}
        </p>
      ))}
    </Dialog>
  );
}

/** What tells this question from others of its kind. */
function factsOf({ prompt }: OpenQuestion): string {
  const requirement = requirementOf(prompt);
  if (requirement !== null)
    return requirement.tools.map(({ toolName, toolArgs }) => `${toolName} ${JSON.stringify(toolArgs)}`).join(", ");
  const fields = Object.entries(saidIn(prompt)).filter(([, value]) => typeof value !== "object");
  return fields.map(([name, value]) => `${name} ${String(value)}`).join(", ");
}
