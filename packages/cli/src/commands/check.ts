/** For CI: whether the workflows of a file are right, and whether the runs that have not ended fit their code. */
import { existsSync } from "node:fs";
import type { CheckProblem } from "millrace/runtime";
import { fileAndName } from "../code/file-and-name.js";
import { type Code, loadCode } from "../code/load-code.js";
import { describeError } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";
import { localOf, openTarget, withTarget } from "../target/open-target.js";
import { type Project, projectOf } from "../target/project.js";
import { projectConfig } from "../target/project-config.js";

interface CheckOptions {
  readonly file: string;
  readonly store?: string;
}

interface GraphProblem {
  readonly workflow: string;
  readonly code: string;
  readonly message: string;
}

export async function check(terminal: Terminal, options: CheckOptions): Promise<number> {
  const { file, store } = options;
  const code = await loadCode(terminal.cwd, file);
  const graphs = graphProblems(code);
  // A runtime takes no workflow that is wrong.
  const live =
    graphs.length === 0 && (store !== undefined || (await hasStore(projectOf(terminal.cwd))))
      ? await liveProblems(terminal, { file, store })
      : null;
  if (terminal.isJson) terminal.json(jsonOf(code, graphs, live));
  else print(terminal, { code, graphs, live });
  return graphs.length === 0 && (live?.problems.length ?? 0) === 0 ? 0 : 1;
}

/** That of the config, or runs that the project has stored. */
async function hasStore(project: Project): Promise<boolean> {
  return existsSync(project.store) || (await projectConfig(project)).config.store !== undefined;
}

function graphProblems({ kit, chosen }: Code): GraphProblem[] {
  return chosen.flatMap(({ name, workflow }) => {
    try {
      kit.graph.describeWorkflow(workflow);
      return [];
    } catch (error) {
      const { code, message, details } = describeError(error);
      const findings = (details["findings"] ?? []) as readonly { readonly message: string; readonly hint: string }[];
      const texts = findings.length === 0 ? [message] : findings.map((one) => `${one.message} ${one.hint}`);
      return texts.map((text) => ({ workflow: name, code, message: text }));
    }
  });
}

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

function jsonOf({ chosen }: Code, graphs: readonly GraphProblem[], live: Live | null): object {
  const problems = live?.problems.map(({ runId, ...problem }) => ({ run_id: runId, ...problem }));
  return {
    workflows: chosen.map(({ name }) => name),
    problems: graphs,
    live: live === null ? null : { store: live.store, runs: live.runs, problems },
  };
}

interface Findings {
  readonly code: Code;
  readonly graphs: readonly GraphProblem[];
  readonly live: Live | null;
}

function print(terminal: Terminal, { code, graphs, live }: Findings): void {
  for (const { name } of code.chosen) {
    const wrong = graphs.filter(({ workflow }) => workflow === name);
    terminal.line(`${wrong.length === 0 ? terminal.paint("green", "✔") : terminal.paint("red", "✖")} ${name}`);
    for (const { message } of wrong) terminal.line(`  ${message}`);
  }
  if (live === null) return;
  const { runs, problems, store } = live;
  const sign = problems.length === 0 ? terminal.paint("green", "✔") : terminal.paint("red", "✖");
  terminal.line(
    `${sign} ${runs} live ${runs === 1 ? "run" : "runs"} in ${store}, ${problems.length} that this code cannot continue`,
  );
  for (const { runId, workflow, code: of, message } of problems)
    terminal.line(`  ${workflow} ${runId}\n    ${of}: ${message}`);
}
