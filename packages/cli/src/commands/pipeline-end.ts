/** The end of a pipeline as its author knows it: by the names of its steps. The rest of its state is how it keeps its place. */

interface Output {
  readonly status: string;
  readonly content?: unknown;
  readonly error?: { readonly stepName: unknown; readonly message: unknown; readonly code: unknown } | null;
  readonly sessionState?: unknown;
  readonly stepResults: readonly StepResult[];
}

interface StepResult {
  readonly stepName?: string | null;
  readonly content?: unknown;
  readonly error?: string | null;
  readonly skipped?: boolean;
  readonly steps?: readonly StepResult[] | null;
}

export interface PipelineEnd {
  readonly status: string;
  readonly error: object | null;
  readonly session: unknown;
  /** What each step has made, by its name and those of the groups around it. */
  readonly steps: object;
  readonly result: unknown;
}

/** @param output A `PipelineRunOutput`. `null` for any other value. */
export function pipelineEnd(output: unknown): PipelineEnd | null {
  if (!isOutput(output)) return null;
  const { status, content = null, error, sessionState = {}, stepResults } = output;
  const failure = error == null ? null : { step: error.stepName, message: error.message, code: error.code };
  return { status, error: failure, session: sessionState, steps: stepsIn(stepResults), result: content };
}

function isOutput(output: unknown): output is Output {
  const { stepResults, status } = Object(output) as Record<string, unknown>;
  return Array.isArray(stepResults) && typeof status === "string";
}

/** A group is what its steps have made. Steps of one name are those of the iterations of a loop. */
function stepsIn(results: readonly StepResult[]): object {
  const steps: Record<string, unknown> = {};
  for (const { stepName, content = null, error, skipped = false, steps: inner } of results) {
    const name = freeName(stepName ?? "?", steps);
    if (inner?.length) steps[name] = stepsIn(inner);
    else steps[name] = error != null ? { error } : skipped ? "(skipped)" : content;
  }
  return steps;
}

function freeName(name: string, taken: object): string {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name} ${number}`;
    if (!Object.hasOwn(taken, free)) return free;
  }
}
