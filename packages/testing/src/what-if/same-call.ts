/**
 * Names of calls, and the texts by which calls, answers and questions are compared.
 *
 * @module
 */
import type { WorkflowEvent } from "millrace";
import type { ReplayedCall } from "../replay/recorded-world.js";
import type { CallOutcome, PathItem, RunPath } from "../replay/run-path.js";
import { type ToolCall, textOf, toolCallsIn, toolCallsOf } from "./model-answers.js";
import type { UnknownCall } from "./what-if.types.js";

/** `undefined` for a call that failed. */
export function valueIn(outcome: CallOutcome | undefined): unknown {
  return outcome?.kind === "value" ? outcome.value : undefined;
}

/** Of a call of `ctx.run`, from its id. */
export function keyOf(call: string): string {
  const [, key = call] = /(?:^|\/)run=([^/]*)$/.exec(call) ?? [];
  return key.replace(/%2F|%25/g, decodeURIComponent);
}

/** What readers know a call by. */
export function nameOf({ key, label }: Pick<ReplayedCall, "key" | "label">): string {
  return label ?? key;
}

/** The call of a tool that a call belongs to: itself, or one that it was made in. */
export function toolOf(item: PathItem, call: string): ToolCall | null {
  const around = toolCallsIn(item).filter(({ place }) => call === place || /^(\/|%2F)/.test(after(call, place)));
  return around.reduce<ToolCall | null>(
    (best, one) => (best === null || one.place.length > best.place.length ? one : best),
    null,
  );
}

const after = (call: string, place: string): string => (call.startsWith(place) ? call.slice(place.length) : "");

/** Why the recording does not answer a call, for people. */
export function unknownText(call: UnknownCall): string {
  const what = `Step "${call.step}" calls "${nameOf(call)}"`;
  if (call.why === "input") return `${what} with another input of the step, so what it would answer is not known.`;
  if (call.why === "before")
    return `${what} after another answer of a live call, so what it would answer is not known.`;
  const input = call.input === undefined ? "" : ` with ${JSON.stringify(call.input)}`;
  return `${what}${input}, which the recorded run did not.`;
}

/** What a call has answered, as far as code may decide by it: of a model its tools, or else its text. */
export function answerText(path: RunPath, call: string, item: PathItem): string {
  const outcome = item.calls.get(call);
  if (outcome === undefined) return "";
  if (outcome.kind === "error") return `fails: ${outcome.error.code ?? outcome.error.name}`;
  const tools = toolCallsOf(call, outcome);
  if (tools.length > 0) return tools.map(({ digest }) => digest).join("\n");
  return textOf(outcome.value) ?? describeIn(path, outcome.value);
}

/** As text, without the fields that are not compared. */
export function describeIn(path: RunPath, value: unknown): string {
  const [root] = path.runs.all.values();
  return path.describe(value, root?.compiled ?? { types: [] });
}

/** Without the ids of the calls of tools that the question is about. */
export function questionText(path: RunPath, prompt: WorkflowEvent): string {
  const items = [...path.runs.all.keys()].flatMap((runId) => path.run(runId).items);
  const ids = items.flatMap(toolCallsIn).map(({ id }) => JSON.stringify(id));
  return ids.reduce((text, id) => text.replaceAll(id, '"(a call)"'), describeIn(path, prompt));
}
