/** Stored runs are played again with one part live, and what they decide is compared. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SkippedRun, StoredRuns, Used, WhatIfOptions, WhatIfReport, WhatIfRun } from "@millrace/testing";
import { fileAndName } from "../code/file-and-name.js";
import { type Code, type NamedWorkflow, onlyOne } from "../code/load-code.js";
import { pipelineFields } from "../code/test-files.js";
import { wholeNumber } from "../option-values.js";
import { CliError, invalidOption } from "../output/cli-error.js";
import { durationText, tableText } from "../output/format.js";
import type { Style, Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { localOf, openTarget, withTarget } from "../target/open-target.js";
import { fileOfWorkflow, projectOf } from "../target/project.js";
import { projectConfig } from "../target/project-config.js";
import type { LocalTarget } from "../target/target.types.js";
import { filterOf } from "./run-filter.js";

interface WhatIfCommand {
  /** A file, `file#name`, or the name of a workflow whose file is known. */
  readonly workflow: string;
  readonly last: string;
  readonly where?: string;
  readonly model?: string;
  readonly prompt: readonly string[];
  readonly live: readonly string[];
  readonly unknown: string;
  readonly ignore: readonly string[];
  readonly failUnder?: string;
  readonly store?: string;
}

/** Exit code 1: fewer runs than `--fail-under` decide the same. */
export async function whatIf(terminal: Terminal, command: WhatIfCommand): Promise<number> {
  const least = shareOf(command.failUnder);
  const options = optionsOf(terminal.cwd, command);
  const file = fileOf(terminal.cwd, command.workflow);
  const { store } = command;
  return withTarget(openTarget(terminal, { file, store, code: "required" }), async (target) => {
    const local = localOf(target);
    const code = local.code as Code;
    const source = onlyOne(code, file);
    const { whatIf: play } = await code.kit.testing();
    const ignore = [...command.ignore, ...(source.isPipeline ? pipelineFields : [])];
    const { resources } = (await projectConfig(local.project)).config.runtime ?? {};
    const report = await play(source.workflow, runsOf(local, source, command), {
      ...options,
      ignore,
      ...(resources !== undefined && { resources }),
      onRun: progress(terminal),
    });
    if (report.runs.length === 0) throw noRuns(source.name, target.name, report.skipped);
    if (terminal.isJson) terminal.json(jsonOf(report));
    else print(terminal, report);
    if (report.runs.every(({ played }) => played.calls === 0)) terminal.note(nothingLive);
    return report.share < least ? 1 : 0;
  });
}

const nothingLive =
  'No call was live, so only the code was tried out. Name calls with --live, or give those of models the label "model".';

/** A model may take minutes for all runs. */
function progress(terminal: Terminal): () => void {
  let played = 0;
  return () => {
    played++;
    if (terminal.isLive && played % 20 === 0) terminal.note(`${played} runs played …`);
  };
}

function fileOf(cwd: string, given: string): string {
  if (existsSync(resolve(cwd, fileAndName(cwd, given).file))) return given;
  const known = fileOfWorkflow(projectOf(cwd), given);
  return known === null ? given : `${known}#${given}`;
}

// ---- what is asked for

function runsOf({ runtime }: LocalTarget, { name }: NamedWorkflow, { last, where }: WhatIfCommand): StoredRuns {
  const {
    status,
    workflow = name,
    ...filter
  } = filterOf({ status: [], label: [], ...(where && { where }) }, Date.now());
  const other = status?.find((one) => one !== "completed" && one !== "failed");
  if (other !== undefined || workflow !== name)
    throw invalidOption(
      `\`--where\` asks for ${other === undefined ? `runs of ${workflow}` : `${other} runs`}.`,
      `Only completed and failed runs of ${name} can be played.`,
    );
  return {
    runtime,
    workflow: name,
    last: wholeNumber("last", last, [1, 100_000]),
    ...filter,
    ...(status !== undefined && { status: status as NonNullable<StoredRuns["status"]> }),
  };
}

function optionsOf(cwd: string, { model, prompt, live, unknown }: WhatIfCommand): WhatIfOptions {
  if (unknown !== "stop" && unknown !== "live")
    throw invalidOption(
      `\`--unknown\` is ${JSON.stringify(unknown)}.`,
      "Use stop or live. A function may judge in code: see `whatIf` of @millrace/testing.",
    );
  return {
    unknown,
    ...(live.length > 0 && { live }),
    ...(model !== undefined && { model }),
    ...(prompt.length > 0 && { instructions: instructionsOf(cwd, prompt) }),
  };
}

/** One file for all agents, or one for each name. */
function instructionsOf(cwd: string, given: readonly string[]): NonNullable<WhatIfOptions["instructions"]> {
  const [first = ""] = given;
  if (given.length === 1 && (existsSync(resolve(cwd, first)) || !first.includes("="))) return textOf(cwd, first);
  const pairs = given.map((one): readonly [string, string] => {
    const at = one.indexOf("=");
    if (at > 0) return [one.slice(0, at), textOf(cwd, one.slice(at + 1))];
    throw invalidOption(
      `\`--prompt\` is ${JSON.stringify(one)}, without the name of an agent.`,
      "With several, write each as `--prompt agent=file`.",
    );
  });
  return Object.fromEntries(pairs);
}

function textOf(cwd: string, file: string): string {
  const path = resolve(cwd, file);
  if (existsSync(path)) return readFileSync(path, "utf8").trimEnd();
  throw new CliError({
    code: "FILE_UNKNOWN",
    message: `There is no file ${file}.`,
    hint: `It was looked for at ${path}.`,
    details: { path },
  });
}

function shareOf(given: string | undefined): number {
  if (given === undefined) return 0;
  const share = Number(given);
  if (given.trim() !== "" && share >= 0 && share <= 1) return share;
  throw invalidOption(`\`--fail-under\` is ${JSON.stringify(given)}.`, "Use a share from 0 to 1, such as 0.98.");
}

function noRuns(workflow: string, store: string, [skipped]: readonly SkippedRun[]): CliError {
  return invalidOption(
    `There is no run of ${workflow} in ${store} that can be played.${skipped === undefined ? "" : ` ${skipped.why}`}`,
    "Only completed and failed runs with all of their ticks are played. Look at `--where` and `--store`.",
    { workflow },
  );
}

// ---- what is printed

const styles: Readonly<Record<WhatIfRun["verdict"], Style>> = { same: "green", other: "red", unknown: "yellow" };

function print(
  terminal: Terminal,
  { runs, skipped, same, other, unknown, share, recorded, played }: WhatIfReport,
): void {
  const shown = runs.filter(({ verdict }) => verdict !== "same");
  const rows = shown.map((run) => [run.runId, run.verdict, ...usedCells(run), run.first ?? ""]);
  const head = ["run", "decision", "tokens", "latency", "first difference"];
  const lines = shown.length === 0 ? [] : tableText([head, ...rows], terminal.columns);
  for (const [index, line] of lines.entries()) {
    const verdict = shown[index - 1]?.verdict;
    terminal.line(
      verdict === undefined ? line : line.replace(` ${verdict}`, ` ${terminal.paint(styles[verdict], verdict)}`),
    );
  }
  if (shown.length > 0) terminal.line();
  terminal.line(
    `${same} same, ${other} other, ${unknown} unknown of ${runs.length} runs: ${percentOf(share)} the same`,
  );
  const ended = runs.filter((run) => run.ended).length;
  terminal.line(`Live calls of the ${countOf(ended)} that came to the end: ${totalText(recorded, played)}`);
  for (const { runId, why } of skipped) terminal.note(`${runId} was left out. ${why}`);
}

function usedCells({ recorded, played }: WhatIfRun): string[] {
  return [
    changeText(tokensOf(recorded), tokensOf(played)),
    changeText(durationText(recorded.latencyMs), durationText(played.latencyMs)),
  ];
}

function totalText(recorded: Used, played: Used): string {
  const costs = recorded.cost === null && played.cost === null ? null : [recorded, played].map(costOf);
  return [
    `calls ${changeText(String(recorded.calls), String(played.calls))}`,
    `tokens ${changeText(tokensOf(recorded), tokensOf(played))}`,
    ...(costs === null ? [] : [`cost ${changeText(costs[0] ?? "", costs[1] ?? "")}`]),
    `latency ${changeText(durationText(recorded.latencyMs), durationText(played.latencyMs))}`,
  ].join(", ");
}

const tokensOf = ({ inputTokens, outputTokens }: Used): string => String(inputTokens + outputTokens);
const costOf = ({ cost }: Used): string => (cost === null ? "?" : String(Number(cost.toPrecision(4))));
const changeText = (before: string, now: string): string => (before === now ? now : `${before} → ${now}`);

const countOf = (runs: number): string => (runs === 1 ? "1 run" : `${runs} runs`);

/** Rounded down: 99.96 % are not all. */
function percentOf(share: number): string {
  return `${Math.floor(share * 1_000) / 10} %`;
}

function jsonOf({ runs, recorded, played, ...report }: WhatIfReport): object {
  return {
    ...wired(report),
    skipped: report.skipped.map(wired),
    recorded: wired(recorded),
    played: wired(played),
    runs: runs.map((run) => ({
      ...wired(run),
      recorded: wired(run.recorded),
      played: wired(run.played),
      // The values of calls may be large, and secret.
      stopped_at: run.stoppedAt && wired({ ...run.stoppedAt, input: undefined, recorded: undefined }),
    })),
  };
}
