import type { DecideRequest } from "@millrace/pipeline/executor";
import { fillTemplate } from "../run/template.js";

const usual = [
  "You stand in front of a workflow and talk with the user.",
  "Answer from the history of earlier runs when they hold the answer, or when no work is needed.",
  "Otherwise call `run_workflow` once, with a concise query that says all that the workflow has to know.",
].join("\n");

/** Puts the context in place of `{workflow_context}`, else at the end. */
export function instructionText(own: string | undefined, context: string): string {
  const text = own ?? usual;
  if (text.includes("{workflow_context}")) return fillTemplate(text, [{ workflow_context: context }]);
  return `${text}\n\n${context}`;
}

/** Describes the pipeline and its earlier runs. */
export function contextText(
  { addHistory }: { readonly addHistory: boolean },
  { pipelineDescription, history }: Pick<DecideRequest, "pipelineDescription" | "history">,
): string {
  const none = addHistory ? "There are no earlier runs in this session." : "No history of earlier runs is available.";
  const about =
    pipelineDescription === null || pipelineDescription === "" ? [] : [`The workflow: ${pipelineDescription}`];
  return [...about, history ?? none].join("\n\n");
}
