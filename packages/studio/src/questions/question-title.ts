import type { PendingPrompt } from "@millrace/client";
import { questionOf } from "../ui/words.js";
import { requirementOf } from "./requirement.js";

/** What a person is asked, in one line: the message of a pipeline, else what the list of runs says. */
export function titleOf(prompt: PendingPrompt): string {
  return requirementOf(prompt)?.message ?? questionOf(prompt);
}
