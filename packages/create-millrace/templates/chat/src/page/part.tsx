import { getToolName, isToolUIPart, type UIMessage } from "ai";

interface PartProps {
  readonly part: UIMessage["parts"][number];
  readonly onAnswer: (approvalId: string, approved: boolean) => void;
}

const outcomes: Readonly<Record<string, string>> = {
  "output-available": "done",
  "output-denied": "refused",
  "output-error": "failed",
};

export function Part({ part, onAnswer }: PartProps) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  const call = `${getToolName(part)} ${JSON.stringify(part.input ?? {})}`;
  if (part.state !== "approval-requested")
    return (
      <p className="call">
        {call}: {outcomes[part.state] ?? "at work"}
      </p>
    );
  return (
    <fieldset>
      <legend>May this call be made?</legend>
      <code>{call}</code>
      <div>
        <button type="button" onClick={() => onAnswer(part.approval.id, true)}>
          Allow
        </button>
        <button type="button" className="plain" onClick={() => onAnswer(part.approval.id, false)}>
          Refuse
        </button>
      </div>
    </fieldset>
  );
}
