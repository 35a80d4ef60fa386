/** What the pages say of runs in the same words. */
import type { PendingPrompt, RunSummary } from "@millrace/client";
import { errorOf, promptsOf } from "../api/run-facts.js";
import { statusOf } from "./status.js";

/** The question to a person: the title of `ctx.ask`, the message of a pipeline, or the type of the prompt event. */
export function questionOf({ event }: Pick<PendingPrompt, "event">): string {
  const title = event.type === "millrace.question" ? fieldOf(event, "title") : undefined;
  const message =
    title ??
    fieldOf(fieldOf(event, "requirement"), "message") ??
    fieldOf(event, "message") ??
    fieldOf(event, "question");
  return typeof message === "string" && message !== "" ? message : event.type;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The one line of a run that matters most: its error, its question, or where it comes from. */
export function lineOf(run: RunSummary): string {
  const status = statusOf(run);
  if (status === "failed") return errorOf(run)?.message ?? "";
  const [prompt] = promptsOf(run);
  if (status === "waiting" && prompt !== undefined) {
    const question = questionOf(prompt);
    return question === prompt.event.type ? `asks ${question}` : question;
  }
  if (status === "queued" && run.queue !== null) return `waits for its turn in ${run.queue.name}`;
  const origin = run.forkedFrom;
  return origin ? `fork of ${origin.handlerId} behind tick ${origin.at}` : "";
}
