import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { replacedInstructions } from "../settings/replaced.js";
import type { RunContext } from "../settings/run-context.types.js";

/** Builds the system prompt; `undefined` when it is empty. */
export async function systemText(settings: ExecutorSettings, context: RunContext): Promise<string | undefined> {
  const fill = settings.resolveInContext ? templateFiller(context) : (text: string) => text;
  const parts = [
    fill(settings.description ?? ""),
    await instructionText(settings, context, fill),
    settings.memberText,
    settings.addSessionStateToContext ? stateBlock(context) : "",
  ];
  const text = parts.filter((part) => part !== "").join("\n\n");
  return text === "" ? undefined : text;
}

/** The result of a function is not a template: the function has the context itself. */
async function instructionText(
  { name, instructions }: ExecutorSettings,
  context: RunContext,
  fill: (text: string) => string,
): Promise<string> {
  const replaced = replacedInstructions(name);
  if (replaced !== null) return fill(replaced);
  if (typeof instructions === "function") return asLines(await instructions(context));
  return fill(asLines(instructions));
}

function asLines(instructions: string | readonly string[]): string {
  if (typeof instructions === "string") return instructions;
  return instructions.length === 1 ? (instructions[0] ?? "") : instructions.map((line) => `- ${line}`).join("\n");
}

function templateFiller(context: RunContext): (text: string) => string {
  const ids = known({ user_id: context.userId, session_id: context.sessionId, run_id: context.runId });
  const current = Object.fromEntries(Object.entries(ids).map(([key, id]) => [`current_${key}`, id]));
  const sources = [context.sessionState, context.dependencies, context.metadata, ids, current];
  return (text) => fillTemplate(text, sources);
}

function known(ids: Readonly<Record<string, string | null>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== null));
}

function stateBlock({ sessionState }: RunContext): string {
  // "<\/" is the same JSON, and keeps a value from ending the block
  const json = JSON.stringify(sessionState, null, 2).replaceAll("</", "<\\/");
  return `<session_state>\n${json}\n</session_state>`;
}

/**
 * Replaces each `{key}` of a known key by its value.
 *
 * Braces inside a value are not replaced again. A placeholder without a known key, such as `{a.b}` or an example of
 * JSON, stays in the text.
 */
export function fillTemplate(text: string, sources: readonly Readonly<Record<string, unknown>>[]): string {
  return text.replaceAll(/\{([\p{L}\p{N}_-]+)\}/gu, (placeholder, key: string) => {
    const source = sources.find((values) => Object.hasOwn(values, key) && values[key] !== undefined);
    return source === undefined ? placeholder : (textOf(source[key]) ?? placeholder);
  });
}

/** JSON text of a value; `null` for values that have none, such as a service among the dependencies. */
function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null; // the value contains itself, or a bigint
  }
}
