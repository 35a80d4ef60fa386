/** The open prompts of a run, and their answers from a person at the terminal. */
import type { ClientRun, JsonSchema } from "@millrace/client";
import { jsonText } from "../output/format.js";
import { printError } from "../output/print-error.js";
import type { Terminal } from "../output/terminal.js";
import type { Target } from "../target/target.types.js";
import { leftForm } from "./form-questions.js";
import { askForm } from "./prompt-form.js";

export interface OpenPrompt {
  readonly promptId: string;
  readonly type: string;
  readonly fields: unknown;
  readonly step: string | null;
  /** The event that answers it, and its schema; `null` if that is not known. */
  readonly answer: { readonly type: string; readonly schema: JsonSchema } | null;
}

export async function openPrompts({ client }: Target, runId: string): Promise<OpenPrompt[]> {
  const prompts = await client.handle(runId).prompts();
  return prompts.map(({ promptId, event: { type, ...fields }, step, answer }) => ({
    promptId,
    type,
    fields,
    step,
    answer,
  }));
}

/** Asks again where the answer does not fit. */
export async function answerPrompt(
  terminal: Terminal,
  run: ClientRun,
  prompt: OpenPrompt,
): Promise<"answered" | "left"> {
  for (const line of promptLines(terminal, prompt)) terminal.line(line);
  for (;;) {
    const fields = await askForm(prompt.answer?.schema ?? null);
    if (fields === leftForm) return "left";
    try {
      const receipt = await run.answer(prompt.promptId, fields);
      if (receipt.status === "refused") terminal.note(`${receipt.code}  ${receipt.hint}`);
      return "answered";
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "EVENT_INVALID") throw error;
      printError(terminal, error);
    }
  }
}

/** As the server has it. */
export function promptJson({ promptId, type, fields, answer }: OpenPrompt): object {
  return { prompt_id: promptId, event: { type, value: fields }, answer };
}

export function promptLines(terminal: Terminal, prompt: OpenPrompt): string[] {
  const { step, promptId } = prompt;
  const { title, facts } = questionOf(prompt);
  const values = Object.entries((facts ?? {}) as Readonly<Record<string, unknown>>);
  const shown = values.flatMap(([name, value]) => factLines(name, value));
  const of = step === null ? "" : `  ${terminal.paint("dim", `of ${step}`)}`;
  return [
    `${terminal.paint("yellow", "?")} ${terminal.paint("bold", title)}${of}  ${terminal.paint("dim", promptId)}`,
    ...shown,
  ];
}

/** A text of several lines stands below its name, with its own indentation. */
function factLines(name: string, value: unknown): string[] {
  const text = typeof value === "string" ? value : jsonText(value);
  if (!text.includes("\n")) return [`  ${name}: ${text}`];
  return [`  ${name}:`, ...text.split(/\r?\n/).map((line) => `    ${line}`.trimEnd())];
}

/** A question of `ctx.ask` has a title; any other prompt is named by its type. */
function questionOf({ type, fields }: OpenPrompt): { readonly title: string; readonly facts: unknown } {
  if (type !== "millrace.question") return { title: type, facts: fields };
  const { title, details } = fields as { readonly title: string; readonly details?: unknown };
  return { title, facts: typeof details === "object" ? details : details === undefined ? null : { details } };
}
