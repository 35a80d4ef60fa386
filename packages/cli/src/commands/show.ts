import type { RunAttempt } from "@millrace/client";
import type { RawHistoryEntry } from "millrace/runtime";
import { AttemptReader } from "../follow/attempts.js";
import { type OpenPrompt, openPrompts, promptJson, promptLines } from "../follow/open-prompts.js";
import { StepTree, type TreeLine } from "../follow/step-tree.js";
import { wholeNumber } from "../option-values.js";
import { describeError } from "../output/cli-error.js";
import { agoText, durationText, isoText, jsonText, valueText } from "../output/format.js";
import { resultLines } from "../output/result-lines.js";
import type { Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { RunRow, Target, TargetOptions } from "../target/target.types.js";
import { unknownWorkflow } from "../target/unknown-workflow.js";
import { jsonOf } from "./runs.js";
import { stateAt } from "./state-at.js";

interface ShowOptions extends TargetOptions {
  readonly runId: string;
  readonly history?: boolean;
  readonly state?: boolean;
  readonly at?: string;
}

export async function show(terminal: Terminal, options: ShowOptions): Promise<number> {
  const at = options.at === undefined ? null : wholeNumber("at", options.at, [0, Number.MAX_SAFE_INTEGER]);
  return withTarget(openForLook(terminal, options), async (target) => {
    const shown = await gather(target, { ...options, at });
    if (terminal.isJson) terminal.json(toJson(shown));
    else for (const line of toLines(terminal, shown)) terminal.line(line);
    return 0;
  });
}

/** Shows the run with its code if that can be loaded; otherwise as stored. */
async function openForLook(terminal: Terminal, options: ShowOptions): Promise<Target> {
  try {
    return await openTarget(terminal, { ...options, code: "known" });
  } catch (error) {
    const { code } = describeError(error);
    if (
      options.file !== undefined ||
      !["SYNTAX_INVALID", "CODE_FAILED", "WORKFLOW_MISSING", "WORKFLOW_INVALID"].includes(code)
    )
      throw error;
    terminal.note(`${code}: the code of the run cannot be loaded, so it is shown as it is stored.`);
    return openTarget(terminal, options);
  }
}

interface Shown {
  readonly row: RunRow;
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** `null` if they cannot be known without the code. */
  readonly attempts: readonly RunAttempt[] | null;
  readonly tree: StepTree;
  readonly prompts: readonly OpenPrompt[];
  readonly history: readonly HistoryLine[] | null;
  readonly state: unknown;
}

interface HistoryLine {
  readonly number: number;
  readonly atMs: number;
  readonly runId: string;
  readonly tick: { readonly type: string; readonly [field: string]: unknown };
}

interface Wanted extends Omit<ShowOptions, "at"> {
  readonly at: number | null;
}

async function gather(target: Target, options: Wanted): Promise<Shown> {
  const { runId, history, state, at } = options;
  const row = await target.row(runId);
  const hasCode = await target.hasWorkflow(row.workflow);
  const isLookingBack = history === true || state === true || at !== null;
  if (!hasCode && target.local === null && isLookingBack)
    throw unknownWorkflow(target, { unknown: [row], command: "show", args: [runId] });
  const outcome = hasCode ? await target.client.handle(runId).summary() : null;
  const tree = new StepTree(runId);
  return {
    row,
    result: outcome?.status === "completed" ? outcome.result : undefined,
    error: outcome !== null && "error" in outcome ? { code: outcome.error.code, message: outcome.error.message } : null,
    attempts: hasCode ? await new AttemptReader(target, runId, tree).read() : null,
    tree,
    prompts: hasCode ? await openPrompts(target, runId) : [],
    history: history === true ? await historyOf(target, runId) : null,
    state: state === true || at !== null ? await stateAt(target, runId, at) : undefined,
  };
}

/** Of a store as it is stored: also of a run whose code is not here. */
export async function historyOf(target: Target, runId: string): Promise<HistoryLine[]> {
  const entries: HistoryLine[] = [];
  const source: AsyncIterable<RawHistoryEntry | HistoryLine> =
    target.local === null
      ? target.client.history(runId, { pageSize: 1_000 })
      : target.local.runtime.history(runId, { raw: true });
  for await (const { number, atMs, runId: of, tick } of source) entries.push({ number, atMs, runId: of, tick });
  return entries;
}

function toJson({ row, result, error, attempts, prompts, history, state }: Shown): object {
  return {
    ...jsonOf(row),
    ...(result !== undefined && { result }),
    error,
    attempts: attempts?.map(attemptJson) ?? null,
    prompts: prompts.map(promptJson),
    ...(history !== null && {
      history: history.map(({ atMs, runId, ...entry }) => ({
        ...entry,
        at: new Date(atMs).toISOString(),
        run_id: runId,
      })),
    }),
    ...(state !== undefined && { state }),
  };
}

/** As the server has it. */
function attemptJson({ runId, workflow, waits, calls, ...attempt }: RunAttempt): object {
  return { ...wired({ runId, workflowName: workflow, ...attempt }), waits: waits.map(wired), calls: calls.map(wired) };
}

function toLines(terminal: Terminal, shown: Shown): string[] {
  const { row, result, error, tree, prompts, history, state } = shown;
  const paint = terminal.paint.bind(terminal);
  const lines = [`${paint("bold", row.workflow)}  ${paint("dim", row.runId)}`, factsLine(row)];
  const labels = Object.entries(row.labels).filter(([name]) => !name.startsWith("millrace."));
  if (labels.length > 0) lines.push(labels.map(([name, value]) => `${name}=${value}`).join("  "));
  for (const line of tree.lines(Date.now(), null)) lines.push(painted(terminal, line));
  for (const prompt of prompts) lines.push(...promptLines(terminal, prompt));
  if (error !== null) lines.push(`${paint("red", error.code)}  ${error.message}`);
  if (result !== undefined && result !== null) lines.push(...resultLines(terminal, result));
  if (history !== null) lines.push("", ...history.map((entry) => historyLine(terminal, entry)));
  if (state !== undefined) lines.push("", jsonText(state, 2));
  return lines;
}

function factsLine({ status, createdAtMs, updatedAtMs, endedAtMs, ticks }: RunRow): string {
  const took =
    endedAtMs === null
      ? `since ${agoText(createdAtMs, Date.now()).replace(/ ago$/, "")}`
      : `after ${durationText(endedAtMs - createdAtMs)}`;
  return `${status} ${took}  started ${isoText(createdAtMs)}  ${ticks === null ? `changed ${isoText(updatedAtMs)}` : `${ticks} ticks`}`;
}

function painted(terminal: Terminal, line: TreeLine): string {
  return line.map(([text, style]) => (style === null ? text : terminal.paint(style, text))).join("");
}

/** Who has done it, and through which door. */
function callerText(by: unknown): string {
  const { user, door } = Object(by) as { readonly user?: string; readonly door?: string };
  if (door === undefined) return "";
  return user === undefined ? `(${door})  ` : `${user} (${door})  `;
}

function historyLine(terminal: Terminal, { number, atMs, tick }: HistoryLine): string {
  const { type, atMs: _at, by, ...rest } = tick;
  const time = new Date(atMs).toISOString().slice(11, 23);
  const head = `${String(number).padStart(5)}  ${time}  ${type.padEnd(18)} ${callerText(by)}`;
  return `${head}${terminal.paint("dim", valueText(rest, Math.max(20, terminal.columns - head.length)))}`;
}
