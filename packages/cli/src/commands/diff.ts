/** Two runs beside each other: the first tick that differs, and what is different at the end. */
import { describeError } from "../output/cli-error.js";
import { valueText } from "../output/format.js";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { RunRow, Target, TargetOptions } from "../target/target.types.js";
import { unknownWorkflow, withoutWorkflow } from "../target/unknown-workflow.js";
import { type Difference, differencesOf } from "./differences.js";
import { historyOf } from "./history-of.js";
import { pipelineEnd } from "./pipeline-end.js";
import { stateOrNull } from "./state-at.js";

interface DiffOptions extends TargetOptions {
  readonly runA: string;
  readonly runB: string;
}

interface Side {
  readonly row: RunRow;
  /** `null` if they cannot be read. */
  readonly ticks: readonly TickFacts[] | null;
  readonly state: unknown;
  readonly result: unknown;
}

interface TickFacts {
  readonly number: number;
  readonly type: string;
  /** The run, or the child of it, that the tick belongs to. */
  readonly runId: string;
  /** `null` for a tick that is of no attempt. */
  readonly item: number | null;
  /** Name of the step of the item, once it is looked up. */
  readonly step: string | null;
  /** Without times and ids, which are never equal. */
  readonly facts: unknown;
}

/** Exit code 1 where they differ, as `diff` has it. */
export async function diff(terminal: Terminal, options: DiffOptions): Promise<number> {
  return withTarget(openTarget(terminal, { ...options, runId: options.runA, code: "known" }), async (target) => {
    const rows = [await target.row(options.runA), await target.row(options.runB)] as const;
    const unknown = await withoutWorkflow(target, rows);
    const read = unknown.length === 0 ? sideOf : listedSide;
    const [a, b] = [await read(target, rows[0]), await read(target, rows[1])];
    const first = await withSteps(target, firstDifference(a, b), [a.row, b.row]);
    const found = { first, differences: differencesOf(endOf(a), endOf(b)) };
    if (terminal.isJson) terminal.json({ a: a.row.runId, b: b.row.runId, ticks_compared: a.ticks !== null, ...found });
    else for (const line of linesOf(terminal, { a, b, ...found })) terminal.line(line);
    if (unknown.length > 0)
      throw unknownWorkflow(target, { unknown, command: "diff", args: rows.map(({ runId }) => runId) });
    return found.first === null && found.differences.length === 0 ? 0 : 1;
  });
}

async function sideOf(target: Target, row: RunRow): Promise<Side> {
  const { runId } = row;
  const ticks = (await historyOf(target, runId)).map(({ number, tick, runId: of }) => ({
    number,
    type: tick.type,
    runId: of,
    item: typeof tick["item"] === "number" ? tick["item"] : null,
    step: null,
    facts: factsOf(tick, runId),
  }));
  const own = (value: unknown): unknown => withoutChance(value, runId);
  return {
    row,
    ticks,
    state: own(await stateOrNull(target, runId)),
    result: own(await resultOf(target, runId)),
  };
}

async function listedSide(_target: Target, row: RunRow): Promise<Side> {
  return { row, ticks: null, state: null, result: null };
}

async function resultOf(target: Target, runId: string): Promise<unknown> {
  try {
    const outcome = await target.client.handle(runId).summary();
    return outcome.status === "completed" ? outcome.result : null;
  } catch (error) {
    if (describeError(error).code === "WORKFLOW_UNKNOWN") return null;
    throw error;
  }
}

/** How long an attempt has worked, and who has asked. Only the tick's own fields: an event may have some of these names. */
interface Passing {
  readonly elapsedMs?: unknown;
  readonly by?: unknown;
  readonly type: string;
}

export function factsOf({ elapsedMs: _, by: __, ...tick }: Passing, runId: string): unknown {
  return withoutChance(tick, runId);
}

/** Names of fields that hold times, ids of runs, and where a run comes from. */
const passing = /(^|[a-z])(At|Due|Deadline)Ms$|^atMs$|^(attempt|runId|lineage|labels|ticket|origin|traceId|promptId)$/;
/** Times in what pipelines and agents store of their work. */
const ofWork: ReadonlySet<string> = new Set(["duration", "afterMs", "createdAt", "timeToFirstToken"]);
const workFields = ["stepId", "stepResults", "totalTokens", "pipelineId", "afterMs"] as const;

/** Without what no two runs have in common: times, stacks of errors, and the id of the run itself wherever it is. */
function withoutChance(value: unknown, runId: string, place = ""): unknown {
  if (typeof value === "string") return withoutId(value, runId);
  if (Array.isArray(value)) return value.map((one) => withoutChance(one, runId));
  if (typeof value !== "object" || value === null) return value;
  const isWork = place === "metrics" || workFields.some((name) => name in value);
  const isPassing = (name: string): boolean =>
    passing.test(name) || (isWork && ofWork.has(name)) || (name === "stack" && "message" in value);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, of]) => (isPassing(name) ? [] : [[name, withoutChance(of, runId, name)]])),
  );
}

/** Messages have the id in quotes. */
function withoutId(text: string, runId: string): string {
  if (text === runId || text.startsWith(`${runId}/`)) return "(this run)";
  return text.replaceAll(`"${runId}"`, '"(this run)"').replaceAll(`"${runId}/`, '"(this run)/');
}

/** The difference with the names of the steps of its ticks. */
async function withSteps(
  target: Target,
  first: FirstDifference | null,
  rows: readonly [RunRow, RunRow],
): Promise<FirstDifference | null> {
  if (first === null) return null;
  const [a, b] = [await named(target, rows[0], first.a), await named(target, rows[1], first.b)];
  return { ...first, a, b };
}

async function named(target: Target, { runId }: RunRow, tick: TickFacts | null): Promise<TickFacts | null> {
  if (tick === null || tick.item === null) return tick;
  for await (const attempt of target.client.attempts(runId))
    if (attempt.runId === tick.runId && attempt.item === tick.item) return { ...tick, step: attempt.step };
  return tick;
}

interface FirstDifference {
  /** Of the tick; null where that run has ended before. */
  readonly a: TickFacts | null;
  readonly b: TickFacts | null;
  /** What of it differs. */
  readonly differences: readonly Difference[];
}

function firstDifference(a: Side, b: Side): FirstDifference | null {
  const [before, after] = [comparable(a, b), comparable(b, a)];
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [one = null, other = null] = [before[index], after[index]];
    const differences = differencesOf(one?.facts, other?.facts);
    if (differences.length > 0) return { a: one, b: other, differences };
  }
  return null;
}

/** They say when a process had the run, and nothing of what became of it. */
const ofProcesses: ReadonlySet<string> = new Set([
  "run.forked",
  "run.resumed",
  "run.idled",
  "time.passed",
  "call.awaited",
]);

/** A fork has none of the ticks that came before it: they are left out of the other run, too. */
function comparable({ row, ticks }: Side, other: Side): TickFacts[] {
  const from = other.row.forkedFrom?.runId === row.runId ? other.row.forkedFrom.tick : 0;
  return (ticks ?? []).filter(({ number, type }) => number > from && !ofProcesses.has(type));
}

function endOf({ row, state, result }: Side): unknown {
  const { status } = row;
  return pipelineEnd(result) ?? pipelineEnd(endIn(state)) ?? { status, state, result };
}

/** The output of a pipeline that has no result. */
function endIn(state: unknown): unknown {
  const { end } = Object(state) as { readonly end?: { readonly output?: unknown } };
  return end?.output;
}

interface Compared {
  readonly a: Side;
  readonly b: Side;
  readonly first: FirstDifference | null;
  readonly differences: readonly Difference[];
}

function linesOf(terminal: Terminal, { a, b, first, differences }: Compared): string[] {
  const side = (sign: string, { row }: Side): string => `${sign} ${row.runId}  ${row.workflow}  ${row.status}`;
  const lines = [terminal.paint("red", side("-", a)), terminal.paint("green", side("+", b))];
  if (a.ticks === null) lines.push("Only how they ended is compared.");
  else if (first === null) lines.push("The same ticks.");
  else
    lines.push(
      "",
      `They part at ${tickName(first.a)} and ${tickName(first.b)}${tellingOf(first).length > 0 ? ":" : "."}`,
      ...changeLines(terminal, tellingOf(first).slice(0, 20)),
    );
  if (differences.length > 0) lines.push("", "At the end:", ...changeLines(terminal, differences.slice(0, 100)));
  return lines;
}

/** Two ticks of different types say enough, and an output of a pipeline says more than where its state keeps it. */
function tellingOf({ a, b, differences }: FirstDifference): readonly Difference[] {
  if (a?.type !== b?.type) return [];
  const shown = differences.filter(({ path }) => path[0] === "shown");
  return shown.length > 0 ? shown : differences;
}

function tickName(tick: TickFacts | null): string {
  if (tick === null) return "the end";
  const { number, type, step } = tick;
  return `tick ${number} (${type}${step === null ? "" : ` of ${step}`})`;
}

function changeLines(terminal: Terminal, differences: readonly Difference[]): string[] {
  const room = Math.max(20, terminal.columns - 8);
  return differences.flatMap(({ path, a, b }) => [
    `  ${path.length === 0 ? "(all)" : path.join(".")}`,
    ...(a === undefined ? [] : [terminal.paint("red", `  - ${valueText(JSON.stringify(a), room)}`)]),
    ...(b === undefined ? [] : [terminal.paint("green", `  + ${valueText(JSON.stringify(b), room)}`)]),
  ]);
}
