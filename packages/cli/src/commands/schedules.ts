/** `millrace schedules`: runs that begin by the calendar. */
import type { Schedule } from "@millrace/client";
import { agoText, isoText, jsonText, tableText } from "../output/format.js";
import { fieldsIn, readJson } from "../output/parse-json.js";
import type { Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { Target, TargetOptions } from "../target/target.types.js";
import { byText } from "./queues.js";

interface NameOptions extends TargetOptions {
  readonly name: string;
}

interface EditOptions extends NameOptions {
  readonly cron?: string;
  readonly timezone?: string;
  readonly input?: string;
}

export async function listSchedules(
  terminal: Terminal,
  options: TargetOptions & { readonly name?: string },
): Promise<number> {
  const { name } = options;
  return withTarget(openTarget(terminal, options), async (target) => {
    if (name !== undefined) return showOne(terminal, target, name);
    const schedules: Schedule[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await target.client.schedules.list({ limit: 1_000, ...(cursor !== undefined && { cursor }) });
      schedules.push(...page.schedules);
      cursor = page.cursor;
    }
    if (terminal.isJson) {
      terminal.json({ schedules: schedules.map(recordOf) });
      return 0;
    }
    const heads = ["SCHEDULE", "WORKFLOW", "CRON", "ZONE", "NEXT", "LAST", ""];
    const rows = schedules.map((schedule) => cellsOf(schedule, Date.now()));
    for (const line of tableText(rows.length === 0 ? [] : [heads, ...rows], terminal.columns)) terminal.line(line);
    if (schedules.length === 0) terminal.note(`No schedules in ${target.name}.`);
    return 0;
  });
}

type Change = (target: Target, name: string) => Promise<Schedule>;

const changing =
  (change: Change) =>
  (terminal: Terminal, options: NameOptions): Promise<number> =>
    withTarget(openTarget(terminal, options), async (target) => {
      await change(target, options.name);
      return showOne(terminal, target, options.name);
    });

export const pauseSchedule = changing(({ client }, name) => client.schedules.pause(name));
export const resumeSchedule = changing(({ client }, name) => client.schedules.resume(name));
export const resetSchedule = changing(({ operator }, name) => operator.schedules.reset(name));

export async function startSchedule(terminal: Terminal, options: NameOptions): Promise<number> {
  const opening = openTarget(terminal, { ...options, code: options.file === undefined ? "none" : "required" });
  return withTarget(opening, async ({ operator }) => {
    const runId = await operator.schedules.start(options.name);
    if (terminal.isJson) terminal.json({ handler_id: runId });
    else terminal.line(`Started ${runId}`);
    return 0;
  });
}

export async function editSchedule(terminal: Terminal, options: EditOptions): Promise<number> {
  const { name, cron, timezone, input } = options;
  const edit = {
    ...(cron !== undefined && { cron }),
    ...(timezone !== undefined && { timezone }),
    ...(input !== undefined && { input: fieldsIn(readJson(input, "`--input`"), "`--input`") }),
  };
  const opening = openTarget(terminal, { ...options, code: options.file === undefined ? "none" : "required" });
  return withTarget(opening, async (target) => {
    await target.operator.schedules.edit(name, edit);
    return showOne(terminal, target, name);
  });
}

async function showOne(terminal: Terminal, { client }: Target, name: string): Promise<number> {
  const next = await client.schedules.next(name, 5); // fails where there is no schedule
  const schedule = (await client.schedules.get(name)) as Schedule;
  if (terminal.isJson) {
    terminal.json({ ...recordOf(schedule), next: next.map((date) => date.toISOString()) });
    return 0;
  }
  const { workflow, cron, timezone, start, edited, overlap, catchUp, paused, last, skips } = schedule;
  const was = (text: string | undefined): string => (text === undefined ? "" : ` (edited; was ${text})`);
  const facts = [
    ["state", paused ? terminal.paint("yellow", "paused") : "open"],
    ["workflow", workflow],
    ["cron", `${cron}${was(edited?.cron)}`],
    ["timezone", `${timezone}${was(edited?.timezone)}`],
    ["input", `${jsonText(start.value) ?? ""}${was(edited?.start && jsonText(edited.start.value))}`],
    ["overlap", `${overlap}, catch up ${catchUp}`],
    ...(edited === null ? [] : [["edited", `${agoText(edited.atMs, Date.now())}${byText(edited.by)}`]]),
    ["last", last === null ? "never" : `${isoText(last.atMs)} ${last.handlerId}`],
    ...next.map((date, index) => [index === 0 ? "next" : "", isoText(+date)]),
    ...skips
      .toReversed()
      .map(({ atMs, reason }, index) => [index === 0 ? "skipped" : "", `${isoText(atMs)} ${whys[reason]}`]),
  ];
  terminal.line(terminal.paint("bold", name));
  for (const line of tableText(facts, terminal.columns)) terminal.line(line);
  return 0;
}

const whys = { overlap: "the run before had not ended", missed: "no process was there in time" } as const;

function cellsOf(
  { name, workflow, cron, timezone, paused, nextAtMs, last, edited }: Schedule,
  nowMs: number,
): string[] {
  const next = nextAtMs === null ? (paused ? "paused" : "never") : isoText(nextAtMs);
  const before = last === null ? "never" : agoText(last.atMs, nowMs);
  return [name, workflow, cron, timezone, next, before, edited === null ? "" : "edited"];
}

function recordOf({ last, queuedAtMs, skips, edited, ...schedule }: Schedule): object {
  return {
    ...wired(schedule),
    last: last && wired(last),
    queued_at: queuedAtMs.map((atMs) => new Date(atMs).toISOString()),
    skips: skips.map(wired),
    edited: edited && wired(edited),
  };
}
