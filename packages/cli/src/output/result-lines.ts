/** The result of a run, for people. */
import { cut, jsonText, valueText } from "./format.js";
import type { Terminal } from "./terminal.js";

/** A step of a pipeline, and what ran inside of it. */
interface StepResult {
  readonly stepName?: string | null;
  readonly success?: boolean;
  readonly error?: string | null;
  readonly content?: unknown;
  readonly steps?: readonly StepResult[] | null;
}

interface PipelineResult {
  readonly content: unknown;
  readonly stepResults: readonly StepResult[];
}

/** Of a pipeline: its content, then a line for each of its steps. */
export function resultLines(terminal: Terminal, result: unknown): string[] {
  if (!isOfPipeline(result)) return [jsonText(result, 2)];
  const { content, stepResults } = result;
  return [typeof content === "string" ? content : jsonText(content, 2), "", ...stepLines(terminal, stepResults, "")];
}

function isOfPipeline(result: unknown): result is PipelineResult {
  const { content, stepResults, pipelineId } = Object(result) as Record<string, unknown>;
  return content !== undefined && Array.isArray(stepResults) && typeof pipelineId === "string";
}

function stepLines(terminal: Terminal, steps: readonly StepResult[], indent: string): string[] {
  return steps.flatMap((step) => [
    stepLine(terminal, step, indent),
    ...stepLines(terminal, step.steps ?? [], `${indent}  `),
  ]);
}

/** The steps inside a group say more than its own content. */
function stepLine(
  terminal: Terminal,
  { stepName, success, error, content, steps }: StepResult,
  indent: string,
): string {
  const sign = success === false ? terminal.paint("red", "✖") : terminal.paint("green", "✔");
  const name = cut(stepName ?? "?", 60);
  const said = error ?? (steps?.length ? null : content) ?? "";
  const room = Math.max(20, terminal.columns - indent.length - name.length - 4);
  return `${indent}${sign} ${name}  ${terminal.paint("dim", valueText(said, room))}`.trimEnd();
}
