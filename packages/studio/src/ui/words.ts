/** What the pages say of runs in the same words. */
import type { Handler, Prompt } from "../api/contract.types.js";
import { statusOf } from "./status.js";

/** The question to a person: the message of a pipeline, or the type of the prompt event. */
export function questionOf({ event }: Pick<Prompt, "event">): string {
  const requirement = fieldOf(event.value, "requirement");
  const message =
    fieldOf(requirement, "message") ?? fieldOf(event.value, "message") ?? fieldOf(event.value, "question");
  return typeof message === "string" && message !== "" ? message : event.type;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The one line of a run that matters most: its error, its question, or where it comes from. */
export function lineOf(run: Handler): string {
  const status = statusOf(run);
  if (status === "failed") return run.error ?? "";
  const [prompt] = run.prompts;
  if (status === "waiting" && prompt !== undefined) {
    const question = questionOf(prompt);
    return question === prompt.event.type ? `asks ${question}` : question;
  }
  if (status === "running" && run.queue !== null && !run.queue.has_place)
    return `waits for its turn in ${run.queue.name}`;
  const origin = run.forked_from;
  return origin ? `fork of ${origin.handler_id} behind tick ${origin.at}` : "";
}
