import type { PendingPrompt } from "@millrace/client";
import { questionOf } from "../ui/words.js";
import { requirementOf } from "./requirement.js";

/** What a person is asked, in one line: the message of a pipeline, the title of `ctx.ask`, else what the list of runs says. */
export function titleOf(prompt: PendingPrompt): string {
  const { title } = prompt.event as { readonly title?: unknown };
  const isAsked = prompt.event.type === "millrace.question" && typeof title === "string";
  return requirementOf(prompt)?.message ?? (isAsked ? (title as string) : questionOf(prompt));
}
