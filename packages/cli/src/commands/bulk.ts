/** One action on all runs that match: counts them, asks, starts the job, and follows it. */
import type { BulkAction, BulkCounts, BulkOptions, BulkResult, ClientRun, RunMatches } from "@millrace/client";
import { wholeNumber } from "../option-values.js";
import { invalidOption } from "../output/cli-error.js";
import { commandText } from "../output/command-text.js";
import { tableText } from "../output/format.js";
import { fieldsIn, readJson } from "../output/parse-json.js";
import type { Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import { serverFilter } from "../target/run-rows.js";
import type { RunListQuery, Target, TargetOptions } from "../target/target.types.js";
import { interrupts } from "./interrupts.js";
import { filterOf } from "./run-filter.js";

export interface BulkCommandOptions extends TargetOptions {
  readonly where?: string;
  /** Of `resume`: a job, whose cancelled runs are meant. */
  readonly cancelledBy?: string;
  readonly yes?: boolean;
  /** Runs per second. */
  readonly rate?: string;
  /** Of `cancel`. */
  readonly reason?: string;
  /** Of `answer`. */
  readonly input?: string;
}

const past: Readonly<Record<BulkAction, string>> = {
  retry: "retried",
  resume: "resumed",
  cancel: "cancelled",
  delete: "deleted",
  answer: "answered",
};

const counted = 100_000;

export async function bulk(terminal: Terminal, action: BulkAction, options: BulkCommandOptions): Promise<number> {
  const { cancelledBy } = options;
  const which = cancelledBy === undefined ? { where: selectionOf(options.where ?? "") } : { cancelledBy };
  const request: BulkOptions = {
    action,
    ...which,
    ...(options.rate !== undefined && { perSecond: wholeNumber("rate", options.rate, [1, 1_000]) }),
    ...(options.reason !== undefined && { reason: options.reason }),
    ...(options.input !== undefined && { fields: fieldsIn(readJson(options.input, "`--input`"), "`--input`") }),
  };
  const code = action === "delete" ? "known" : "required";
  return withTarget(openTarget(terminal, { ...options, code, executes: true }), async (target) => {
    if (options.yes !== true) {
      // Only who asks needs the number: a store that is too busy to count can still do the job.
      const matches = await target.client.matching({ action, ...which, most: counted });
      if (matches.count === 0) return nothing(terminal, action, target);
      if (!(await isConfirmed(terminal, { action, options, matches, target }))) return 2;
    }
    return follow(terminal, { target, request, options });
  });
}

/** A server cannot tell some statuses apart: more runs than were asked for would match. @throws {CliError} `OPTION_INVALID` */
function selectionOf(where: string): NonNullable<BulkOptions["where"]> {
  const filter = filterOf({ status: [], label: [], where }, Date.now());
  const { status = [] } = filter;
  const apart = status.filter((one) => one === "scheduled" || one === "timedOut");
  const message =
    Object.keys(filter).length === 0
      ? "`--where` has no condition."
      : apart.length > 0
        ? `\`--where\` is wrong: \`status:${apart[0]}\` cannot be told from ${apart[0] === "timedOut" ? "failed" : "running"} here.`
        : status.length > 1 && status.some((one) => one === "running" || one === "waiting")
          ? "`--where` is wrong: `status:running` and `status:waiting` stand alone."
          : null;
  if (message === null) return serverFilter(filter satisfies Omit<RunListQuery, "limit">);
  throw invalidOption(message, "Name what the runs have in common, such as `status:failed workflow:refund after:2h`.");
}

function nothing(terminal: Terminal, action: BulkAction, target: Target): number {
  if (terminal.isJson) terminal.json({ type: "matching", action, count: 0 });
  else terminal.note(`No run in ${target.name} matches that can be ${past[action]}.`);
  return 0;
}

interface Question {
  readonly action: BulkAction;
  readonly options: BulkCommandOptions;
  readonly matches: RunMatches;
  readonly target: Target;
}

/** Without a person, it only says what would be done. */
async function isConfirmed(terminal: Terminal, { action, options, matches, target }: Question): Promise<boolean> {
  const runs = `${matches.isAll ? "" : "more than "}${matches.count} ${matches.count === 1 ? "run" : "runs"}`;
  const { where, cancelledBy } = options;
  const which = cancelledBy === undefined ? `match ${JSON.stringify(where)}` : `the job ${cancelledBy} has cancelled`;
  const what = `${runs} in ${target.name} that ${which}`;
  if (terminal.isInteractive) {
    const { confirm, isCancel } = await import("@clack/prompts");
    const answer = await confirm({ message: `${capitalized(action)} ${what}?`, initialValue: false });
    return !isCancel(answer) && answer;
  }
  if (terminal.isJson) terminal.json({ type: "matching", action, count: matches.count, all: matches.isAll });
  else terminal.line(`${runs} would be ${past[action]}.`);
  terminal.note("Nothing was done. Add `--yes`.");
  return false;
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

interface Following {
  readonly target: Target;
  readonly request: BulkOptions;
  readonly options: BulkCommandOptions;
}

async function follow(terminal: Terminal, { target, request, options }: Following): Promise<number> {
  const id = globalThis.crypto.randomUUID();
  target.local?.own(id);
  const job = target.client.bulk({ ...request, handlerId: id });
  const interrupt = interrupts();
  try {
    await job.accepted;
    if (terminal.isJson) terminal.json({ type: "run", run_id: id, workflow: "millrace.bulk" });
    await progress(terminal, job, interrupt.signal);
    const result = await job.result({ signal: interrupt.signal });
    print(terminal, result);
    if (result.action === "cancel" && result.done > 0)
      terminal.note(`Take it back with: ${undoText(id, target, options)}`);
    return result.failed > 0 ? 1 : 0;
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    return left(terminal, target, { id, options });
  } finally {
    interrupt.stop();
  }
}

async function progress(terminal: Terminal, job: ClientRun, signal: AbortSignal): Promise<void> {
  for await (const { event } of job.stream({ signal })) {
    if (event.type !== "millrace.bulk.progress") continue;
    const counts = event as unknown as BulkCounts;
    if (terminal.isJson) terminal.json({ type: "progress", ...countsOf(counts) });
    else if (terminal.isLive) terminal.note(terminal.paintError("dim", countsText(counts)));
  }
}

function countsOf({ matched, done, skipped, failed }: BulkCounts): BulkCounts {
  return { matched, done, skipped, failed };
}

function countsText({ matched, done, skipped, failed }: BulkCounts): string {
  return `${done + skipped + failed} of ${matched ?? `more than ${counted}`}  done ${done}  skipped ${skipped}  failed ${failed}`;
}

const shownProblems = 20;

function print(terminal: Terminal, result: BulkResult): void {
  if (terminal.isJson)
    return terminal.json({ type: "end", ...wired({ ...result }), problems: result.problems.map(wired) });
  terminal.line(`${result.done} ${past[result.action]}, ${result.skipped} skipped, ${result.failed} failed`);
  const shown = result.problems.slice(0, shownProblems);
  const cells = shown.map(({ runId, outcome, code, message }) => [runId, outcome, code, message]);
  for (const line of tableText(cells, terminal.columns)) terminal.line(line);
  const more = result.skipped + result.failed - shown.length;
  if (more > 0) terminal.note(`${more} more: \`--json\` prints the first 1,000.`);
}

interface Left {
  readonly id: string;
  readonly options: BulkCommandOptions;
}

function undoText(id: string, { local, flags }: Target, { file }: BulkCommandOptions): string {
  const named = local === null || file === undefined ? flags : [...flags, "--file", file];
  return commandText("resume", { flags: ["--cancelled-by", id, ...named] });
}

/** A server goes on with it; over a store, it was this process. */
function left(terminal: Terminal, { local, flags }: Target, { id, options: { file } }: Left): number {
  const named = file === undefined ? flags : [...flags, "--file", file];
  if (local === null)
    terminal.note(`The job continues on the server. Stop it with: ${commandText("cancel", { args: [id], flags })}`);
  else terminal.note(`The job is paused. Continue it with: ${commandText("resume", { args: [id], flags: named })}`);
  return 130;
}
