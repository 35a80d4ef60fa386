/** Commands that continue a run: `resume`, `retry` and `fork`. */
import type { ClientRun } from "@millrace/client";
import { newRunId, wholeNumber } from "../option-values.js";
import { fieldsIn, readJson } from "../output/parse-json.js";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { Target, TargetOptions } from "../target/target.types.js";
import { type OneOrManyCommand, oneOrMany } from "./one-or-many.js";
import { detached, watchRun } from "./watch-run.js";

interface ContinueOptions extends TargetOptions {
  readonly runId: string;
}

export const resume: OneOrManyCommand = oneOrMany("resume", (terminal, options) =>
  goOn(terminal, options, ({ client }, runId) => client.resume(runId)),
);

export const retry: OneOrManyCommand = oneOrMany("retry", (terminal, options) =>
  goOn(terminal, options, ({ client }, runId) => client.retry(runId)),
);

type Begin = (target: Target, runId: string) => ClientRun;

async function goOn(terminal: Terminal, options: ContinueOptions, begin: Begin): Promise<number> {
  const { runId } = options;
  return withTarget(openRun(terminal, options), async (target) => {
    const { workflow } = await target.row(runId);
    const { lastEvent } = await target.client.handle(runId).summary();
    target.local?.own(runId);
    return watchRun(terminal, { target, runId, workflow, after: lastEvent, begin: () => begin(target, runId) });
  });
}

function openRun(terminal: Terminal, options: ContinueOptions): Promise<Target> {
  return openTarget(terminal, { ...options, code: "required", executes: true });
}

interface ForkCommandOptions extends ContinueOptions {
  readonly at: string;
  readonly state?: string;
  readonly id?: string;
  readonly detach?: boolean;
}

export async function fork(terminal: Terminal, options: ForkCommandOptions): Promise<number> {
  const { runId } = options;
  const id = newRunId(options.id);
  const at = wholeNumber("at", options.at, [1, Number.MAX_SAFE_INTEGER]);
  const state = options.state === undefined ? undefined : fieldsIn(readJson(options.state, "`--state`"), "`--state`");
  return withTarget(openRun(terminal, options), async (target) => {
    const { workflow } = await target.row(runId);
    target.local?.own(id);
    const begin = (): ClientRun =>
      target.client.fork(runId, { at, handlerId: id, ...(state !== undefined && { state }) });
    if (options.detach === true) return detached(terminal, begin());
    return watchRun(terminal, { target, runId: id, workflow, begin });
  });
}
