/** Starts or continues a run, follows it in the terminal, and prints how it ended or how to continue. */
import type { ClientRun, RunOutcome } from "@millrace/client";
import { shownPath } from "../code/code-place.js";
import { Follower, outcomeLine } from "../follow/follow-run.js";
import { type OpenPrompt, openPrompts, promptJson, promptLines } from "../follow/open-prompts.js";
import { CliError } from "../output/cli-error.js";
import { commandText } from "../output/command-text.js";
import { resultLines } from "../output/result-lines.js";
import type { Terminal } from "../output/terminal.js";
import { placeText } from "../target/open-store.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { LocalTarget, RunRow, Target } from "../target/target.types.js";
import { failureOf, type RunFailure } from "./failure-of.js";
import { interrupts } from "./interrupts.js";

interface Watching {
  readonly target: Target;
  readonly runId: string;
  readonly workflow: string;
  /** Called once the watching has begun. */
  readonly begin: () => ClientRun;
  /** Starts or continues the run, once it is being watched. */
  readonly bring?: () => Promise<void>;
  /** Only events behind this one are shown. @default all */
  readonly after?: number;
}

/** Returns the exit code. */
export async function watchRun(terminal: Terminal, watching: Watching): Promise<number> {
  const { target, runId, workflow, begin, bring, after = -1 } = watching;
  if (terminal.isJson) terminal.json({ type: "run", run_id: runId, workflow });
  else terminal.line(`${terminal.paint("bold", workflow)}  ${terminal.paint("dim", runId)}`);
  const interrupt = interrupts();
  try {
    const { signal, leave } = interrupt;
    const setup = { target, run: begin(), signal, after, bring, asks: terminal.isInteractive, leave };
    const outcome = await new Follower(terminal, setup).follow();
    const prompts = outcome.status === "waiting" ? await openPrompts(target, runId) : [];
    const failure = outcome.status === "failed" && target.local !== null ? await failureOf(target, runId, null) : null;
    return conclude(terminal, watching, { outcome, prompts, failure });
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    return await paused(terminal, watching);
  } finally {
    interrupt.stop();
  }
}

/** Leaves it where it is at work. */
export async function detached(terminal: Terminal, run: ClientRun): Promise<number> {
  await run.accepted;
  if (terminal.isJson) terminal.json({ run_id: run.handlerId });
  else terminal.line(run.handlerId);
  return 0;
}

interface Ending {
  readonly outcome: RunOutcome;
  readonly prompts: readonly OpenPrompt[];
  /** Of the step that has failed the run, in a store of this machine. */
  readonly failure: RunFailure | null;
}

function conclude(terminal: Terminal, { target, runId }: Watching, ending: Ending): number {
  const { outcome, prompts, failure } = ending;
  const hint = (name: string): string => commandText(name, { args: [runId], flags: target.flags });
  if (terminal.isJson) terminal.json({ type: "end", run_id: runId, ...endOf(ending, hint) });
  else {
    terminal.line(outcomeLine(terminal, outcome));
    if (failure?.place) terminal.line(`  at ${shownPath(failure.place)}`);
    if (failure?.hint) terminal.line(`${terminal.paint("dim", "hint")}  ${failure.hint}`);
    for (const prompt of prompts) for (const line of promptLines(terminal, prompt)) terminal.line(line);
    if (prompts.length > 0) terminal.note(`Answer with: ${hint("answer")}`);
    if (outcome.status === "completed" && outcome.result !== null && outcome.result !== undefined)
      for (const line of resultLines(terminal, outcome.result)) terminal.line(line);
    if (outcome.status === "failed") terminal.note(`Try again with: ${hint("retry")}`);
  }
  return outcome.status === "failed" || outcome.status === "cancelled" ? 1 : 0;
}

/** The hint is a command: the client's own one names its methods, which who reads this does not have. */
function endOf({ outcome, prompts, failure }: Ending, commandOf: (name: string) => string): object {
  const { status } = outcome;
  if (status === "completed") return { status, result: outcome.result };
  if (status === "waiting") return { status, prompts: prompts.map(promptJson) };
  const { code, message } = outcome.error;
  const hint =
    status === "cancelled"
      ? `\`${commandOf("resume")}\` continues it.`
      : `\`${commandOf("retry")}\` runs the failed work again.`;
  return { status, error: { code, message, hint, ...(failure?.place && { place: failure.place }) } };
}

/** The run stays where it is: in the store, or at work on the server. It may have ended in the second that its steps were left. */
async function paused(terminal: Terminal, { target, runId }: Watching): Promise<number> {
  await target.close();
  const run = target.local === null ? null : await storedRun(terminal, target.local, runId);
  const ended = run !== null && run.endedAtMs !== null ? run.status : null;
  const command = target.local === null || ended !== null ? "show" : "resume";
  const next = commandText(command, { args: [runId], flags: target.flags });
  if (terminal.isJson) terminal.json({ type: "end", run_id: runId, status: ended ?? "paused", next });
  else if (ended !== null) terminal.line(`It ended meanwhile: ${ended}. Look with: ${next}`);
  else if (target.local === null) terminal.line(`The run continues at ${target.name}. Look with: ${next}`);
  else terminal.line(`Paused. Continue with: ${next}`);
  return 130;
}

/** @throws {CliError} `INTERRUPTED` where it had not been stored yet. */
async function storedRun(terminal: Terminal, { place, project }: LocalTarget, runId: string): Promise<RunRow> {
  const where = place.kind === "config" ? { file: project.folder } : { store: placeText(place) };
  return withTarget(openTarget(terminal, where), async (target) => {
    const row = await target.row(runId).catch((error: unknown) => {
      if ((error as { readonly code?: unknown }).code === "RUN_UNKNOWN") return null;
      throw error;
    });
    if (row === null) throw interrupted();
    return row;
  });
}

export function interrupted(): CliError {
  return new CliError({ code: "INTERRUPTED", message: "Nothing was started.", hint: "Run the command again." });
}
