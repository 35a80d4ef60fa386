/** For CI: whether the workflows of a file are right, and whether the runs that have not ended fit their code. */
import { existsSync } from "node:fs";
import type { CheckProblem } from "millrace/runtime";
import { shownPath } from "../code/code-place.js";
import { fileAndName } from "../code/file-and-name.js";
import { type Code, type LoadFailure, loadEach } from "../code/load-code.js";
import { existingPath } from "../code/load-module.js";
import { isMillraceError, type PlacedFinding, placedError } from "../code/placed-error.js";
import { describeError } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";
import { localOf, openTarget, withTarget } from "../target/open-target.js";
import { type Project, projectOf } from "../target/project.js";
import { projectConfig } from "../target/project-config.js";

interface CheckOptions {
  readonly file: string;
  readonly store?: string;
}

interface Problem {
  /** `null` for a file that could not be loaded. */
  readonly workflow: string | null;
  readonly code: string;
  /** What is wrong, and what to do. */
  readonly message: string;
  readonly file: string;
  /** From 1; `null` where it is not known. */
  readonly line: number | null;
}

export async function check(terminal: Terminal, options: CheckOptions): Promise<number> {
  const { file, store } = options;
  const failures: LoadFailure[] = [];
  const { code } = await loadEach(terminal.cwd, file, (failure) => {
    if (existingPath(terminal.cwd, fileAndName(terminal.cwd, file).file).isFolder) failures.push(failure);
    else throw failure.error;
  });
  const problems = [...failures.flatMap(loadProblems), ...(code === null ? [] : graphProblems(code))];
  // A runtime takes no workflow that is wrong.
  const live =
    problems.length === 0 && (store !== undefined || (await hasStore(projectOf(terminal.cwd))))
      ? await liveProblems(terminal, { file, store })
      : null;
  const findings: Findings = { names: code?.chosen.map(({ name }) => name) ?? [], problems, live };
  if (terminal.isJson) terminal.json(jsonOf(findings));
  else print(terminal, findings);
  return problems.length === 0 && (live?.problems.length ?? 0) === 0 ? 0 : 1;
}

/** That of the config, or runs that the project has stored. */
async function hasStore(project: Project): Promise<boolean> {
  return existsSync(project.store) || (await projectConfig(project)).config.store !== undefined;
}

function graphProblems({ kit, chosen }: Code): Problem[] {
  return chosen.flatMap(({ name, workflow, file }) => {
    try {
      kit.graph.describeWorkflow(workflow);
      return [];
    } catch (error) {
      return problemsOf(isMillraceError(error) ? placedError(error, file) : error, { workflow: name, file });
    }
  });
}

const loadProblems = ({ file, error }: LoadFailure): Problem[] => problemsOf(error, { workflow: null, file });

/** @param error Of a file that was loaded; its details have the places. */
function problemsOf(error: unknown, { workflow, file }: Pick<Problem, "workflow" | "file">): Problem[] {
  const { code, message, hint, details } = describeError(error);
  const findings = details["findings"] as readonly PlacedFinding[] | undefined;
  if (findings !== undefined)
    return findings.map((one) => ({ ...one, workflow, code, message: `${one.message} ${one.hint}` })).map(problem);
  const {
    text = message,
    line = null,
    file: at = file,
  } = details as Partial<PlacedFinding> & { readonly text?: string };
  return [{ workflow, code, message: hint === null ? text : `${text} ${hint}`, file: at, line }];
}

const problem = ({ workflow, code, message, file, line }: Problem): Problem => ({
  workflow,
  code,
  message,
  file,
  line,
});

interface Live {
  readonly store: string;
  readonly runs: number;
  readonly problems: readonly CheckProblem[];
}

async function liveProblems(
  terminal: Terminal,
  { file, store }: { readonly file: string; readonly store: string | undefined },
): Promise<Live> {
  return withTarget(
    openTarget(terminal, { file: fileAndName(terminal.cwd, file).file, store, code: "required" }),
    async (target) => {
      return { store: target.name, ...(await localOf(target).runtime.check()) };
    },
  );
}

interface Findings {
  /** Of the workflows that could be loaded. */
  readonly names: readonly string[];
  readonly problems: readonly Problem[];
  readonly live: Live | null;
}

function jsonOf({ names, problems, live }: Findings): object {
  const ofRuns = live?.problems.map(({ runId, ...problem }) => ({ run_id: runId, ...problem }));
  return {
    workflows: names,
    problems,
    live: live === null ? null : { store: live.store, runs: live.runs, problems: ofRuns },
  };
}

function print(terminal: Terminal, { names, problems, live }: Findings): void {
  const unloaded = new Set(problems.filter(({ workflow }) => workflow === null).map(({ file }) => file));
  for (const file of unloaded)
    printOne(
      terminal,
      shownPath(file),
      problems.filter((one) => one.workflow === null && one.file === file),
    );
  for (const name of names)
    printOne(
      terminal,
      name,
      problems.filter(({ workflow }) => workflow === name),
    );
  if (live === null) return;
  const { runs, problems: ofRuns, store } = live;
  const sign = ofRuns.length === 0 ? terminal.paint("green", "✔") : terminal.paint("red", "✖");
  terminal.line(
    `${sign} ${runs} live ${runs === 1 ? "run" : "runs"} in ${store}, ${ofRuns.length} that this code cannot continue`,
  );
  for (const { runId, workflow, code: of, message } of ofRuns)
    terminal.line(`  ${workflow} ${runId}\n    ${of}: ${message}`);
}

function printOne(terminal: Terminal, name: string, problems: readonly Problem[]): void {
  terminal.line(`${problems.length === 0 ? terminal.paint("green", "✔") : terminal.paint("red", "✖")} ${name}`);
  for (const { file, line, message } of problems)
    terminal.line(`  ${shownPath(file)}${line === null ? "" : `:${line}`}: ${message}`);
}
