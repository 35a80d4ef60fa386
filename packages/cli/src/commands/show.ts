import type { RunAttempt } from "@millrace/client";
import { AttemptReader, isOfPipeline } from "../follow/attempts.js";
import { type OpenPrompt, openPrompts, promptJson, promptLines } from "../follow/open-prompts.js";
import { StepTree, type TreeLine } from "../follow/step-tree.js";
import { wholeNumber } from "../option-values.js";
import { describeError } from "../output/cli-error.js";
import { agoText, cut, durationText, isoText, jsonText, valueText } from "../output/format.js";
import { resultLines } from "../output/result-lines.js";
import type { Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { RunRow, Target, TargetOptions } from "../target/target.types.js";
import { unknownWorkflow } from "../target/unknown-workflow.js";
import { failureOf, type RunFailure } from "./failure-of.js";
import { type HistoryLine, historyOf, inputOf } from "./history-of.js";
import { jsonOf } from "./runs.js";
import { stateAt } from "./state-at.js";
import { tickText } from "./tick-text.js";

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
  /** `null` where it is no longer kept. */
  readonly input: unknown;
  readonly result: unknown;
  /** Of a failed run; `null` where it is not known. */
  readonly failure: FailedItem | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** `null` if they cannot be known without the code. */
  readonly attempts: readonly RunAttempt[] | null;
  readonly tree: StepTree;
  readonly prompts: readonly OpenPrompt[];
  readonly history: readonly HistoryLine[] | null;
  readonly state: unknown;
}

interface FailedItem extends RunFailure {
  readonly step: string | null;
  /** What the item was started with; `undefined` where it is not known. */
  readonly input: unknown;
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
  const attempts = hasCode ? await new AttemptReader(target, runId, tree).read() : null;
  const canRead = hasCode || target.local !== null;
  return {
    row,
    input: canRead ? await inputOf(target, runId) : null,
    failure: canRead && row.status === "failed" ? await failedItem(target, row, attempts ?? []) : null,
    result: outcome?.status === "completed" ? outcome.result : undefined,
    error: outcome !== null && "error" in outcome ? { code: outcome.error.code, message: outcome.error.message } : null,
    attempts,
    tree,
    prompts: hasCode ? await openPrompts(target, runId) : [],
    history: history === true ? await historyOf(target, runId) : null,
    state: state === true || at !== null ? await stateAt(target, runId, at) : undefined,
  };
}

async function failedItem(
  target: Target,
  { runId, ticks }: RunRow,
  attempts: readonly RunAttempt[],
): Promise<FailedItem | null> {
  const failure = await failureOf(target, runId, ticks);
  if (failure === null) return null;
  const own = attempts.filter((one) => one.runId === failure.runId && one.item === failure.item);
  const [first] = own;
  if (first === undefined) return { ...failure, step: null, input: undefined };
  const { startedTick, item, step, runId: of, eventType } = first;
  if (isOfPipeline(eventType)) return { ...failure, step, input: undefined }; // its input is the state of the pipeline
  const { input } = await target.client.at(runId, startedTick, { item, ...(of !== runId && { childId: of }) });
  const events = input?.events.map(({ type: _, ...fields }) => fields);
  return { ...failure, step, input: events?.length === 1 ? events[0] : events };
}

function toJson({ row, input, result, failure, error, attempts, prompts, history, state }: Shown): object {
  return {
    ...jsonOf(row),
    input,
    ...(failure !== null && { failure: wired(failure) }),
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
  const { row, input, result, failure, error, tree, prompts, history, state } = shown;
  const paint = terminal.paint.bind(terminal);
  const lines = [`${paint("bold", row.workflow)}  ${paint("dim", row.runId)}`, factsLine(row)];
  const labels = Object.entries(row.labels).filter(([name]) => !name.startsWith("millrace."));
  if (labels.length > 0) lines.push(labels.map(([name, value]) => `${name}=${value}`).join("  "));
  if (input !== null) lines.push(`${paint("dim", "input")}  ${valueText(input, Math.max(20, terminal.columns - 7))}`);
  for (const line of tree.lines(Date.now(), null)) lines.push(painted(terminal, line));
  for (const prompt of prompts) lines.push(...promptLines(terminal, prompt));
  const message = error?.message ?? failure?.message;
  if (message !== undefined) lines.push(`${paint("red", error?.code ?? "failed")}  ${message}`);
  if (failure !== null) lines.push(...failureLines(terminal, failure));
  if (result !== undefined && result !== null) lines.push(...resultLines(terminal, result));
  if (history !== null) lines.push("", ...historyLines(terminal, history, shown.attempts ?? []));
  if (state !== undefined) lines.push("", jsonText(state, 2));
  return lines;
}

/** The item that has failed, with its input, and the place in the code. */
function failureLines(terminal: Terminal, { step, item, input, place }: FailedItem): string[] {
  const room = Math.max(20, terminal.columns - 4);
  return [
    ...(step === null ? [] : [`  in ${step}, item ${item}`]),
    ...(input === undefined ? [] : [`  with ${valueText(input, room - 5)}`]),
    ...(place === null ? [] : [`  at ${place}`]),
  ];
}

function factsLine({ status, version, createdAtMs, updatedAtMs, endedAtMs, ticks }: RunRow): string {
  const took =
    endedAtMs === null
      ? `since ${agoText(createdAtMs, Date.now()).replace(/ ago$/, "")}`
      : `after ${durationText(endedAtMs - createdAtMs)}`;
  const size = ticks === null ? `changed ${isoText(updatedAtMs)}` : `${ticks} ticks`;
  const program = version === null ? "" : `  version ${version}`;
  return `${status} ${took}  started ${isoText(createdAtMs)}  ${size}${program}`;
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

function historyLines(terminal: Terminal, history: readonly HistoryLine[], attempts: readonly RunAttempt[]): string[] {
  const steps = new Map(attempts.map(({ runId, item, step }) => [`${runId} ${item}`, step]));
  return history.map(({ number, atMs, runId, tick }) => {
    const { type, atMs: _at, by, item, ...rest } = tick;
    const time = new Date(atMs).toISOString().slice(11, 23);
    const step = steps.get(`${runId} ${item}`);
    const of = step === undefined ? "" : `${cut(step, 40)}  `;
    const head = `${String(number).padStart(5)}  ${time}  ${type.padEnd(18)} ${callerText(by)}${of}`;
    const facts = tickText(rest);
    return `${head}${terminal.paint("dim", valueText(facts, Math.max(20, terminal.columns - head.length)))}`.trimEnd();
  });
}
