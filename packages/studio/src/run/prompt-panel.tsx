/** Open questions of the run, each with the form that answers it. */

import type { PendingPrompt } from "@millrace/client";
import { type ReactNode, useState } from "react";
import { Question } from "../questions/question.js";
import { announce } from "../ui/announce.js";
import { Icon } from "../ui/icon.js";

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
