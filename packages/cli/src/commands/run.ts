import type { ClientRun } from "@millrace/client";
import { type Code, type NamedWorkflow, onlyOne } from "../code/load-code.js";
import { leftForm } from "../follow/form-questions.js";
import { askForm, fieldsOf } from "../follow/prompt-form.js";
import { labelsOf, newRunId } from "../option-values.js";
import { cleanLine } from "../output/clean.js";
import { type CliError, invalidOption } from "../output/cli-error.js";
import { fieldsIn, readJson } from "../output/parse-json.js";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { Target, TargetOptions } from "../target/target.types.js";
import { detached, interrupted, watchRun } from "./watch-run.js";

interface RunCommandOptions extends TargetOptions {
  readonly file: string;
  readonly input?: string;
  readonly id?: string;
  readonly label: readonly string[];
  readonly detach?: boolean;
  readonly session?: string;
  readonly user?: string;
}

export async function run(terminal: Terminal, options: RunCommandOptions): Promise<number> {
  const { file, url } = options;
  if (options.detach === true && url === undefined) throw notDetached();
  const labels = labelsOf(options.label);
  const runId = newRunId(options.id);
  const given = options.input === undefined ? undefined : readJson(options.input, "`--input`");
  const where = url === undefined ? ({ file, code: "required", executes: true, creates: true } as const) : {};
  return withTarget(openTarget(terminal, { ...options, file: undefined, ...where }), async (target) => {
    const workflow = await chosen(terminal, target, file);
    if (workflow.isPipeline === false) refuseSession(options, workflow.name);
    const fields = await inputOf(terminal, target, { given, workflow, options });
    if (fields === leftForm) throw interrupted();
    const start = (): ClientRun => target.client.run(workflow.name, fields, { handlerId: runId, labels });
    if (options.detach === true) return detached(terminal, start());
    target.local?.own(runId);
    return watchRun(terminal, { target, runId, workflow: workflow.name, begin: start });
  });
}

/** A workflow has no session: its input would be wrapped as that of a pipeline, and lost. */
function refuseSession({ session, user }: RunCommandOptions, workflow: string): void {
  const option = session !== undefined ? "--session" : user !== undefined ? "--user" : null;
  if (option === null) return;
  throw invalidOption(
    `\`${option}\` is for pipelines, and ${workflow} is a workflow.`,
    "Leave it out, or pass it as a field of `--input`.",
  );
}

function notDetached(): CliError {
  return invalidOption(
    "`--detach` leaves the run to a server. Without one, it would stop with this command.",
    "Name a server with `--url`, or leave it out.",
  );
}

interface Chosen {
  readonly name: string;
  /** `null` if a server decides it. */
  readonly isPipeline: boolean | null;
}

async function chosen(terminal: Terminal, { local }: Target, file: string): Promise<Chosen> {
  if (local === null) return { name: file, isPipeline: null };
  const code = local.code as Code;
  if (code.chosen.length === 1 || !terminal.isInteractive) return onlyOne(code, file);
  return askWhich(code);
}

async function askWhich({ chosen: all }: Code): Promise<NamedWorkflow> {
  const { isCancel, select } = await import("@clack/prompts");
  const options = all.map((one) => ({ value: one.name, label: cleanLine(one.name) }));
  const name = await select({ message: "Which workflow?", options });
  if (isCancel(name)) throw interrupted();
  return all.find((one) => one.name === name) as NamedWorkflow;
}

interface InputSource {
  readonly given: unknown;
  readonly workflow: Chosen;
  readonly options: RunCommandOptions;
}

async function inputOf(
  terminal: Terminal,
  target: Target,
  { given, workflow, options }: InputSource,
): Promise<Fields | typeof leftForm> {
  const { session, user } = options;
  if (workflow.isPipeline === true || session !== undefined || user !== undefined) {
    if (isWrapped(given))
      terminal.note(
        "The input is an object with the field `input`, as it was written. For its value alone: --input '\"…\"'",
      );
    return {
      ...(given !== undefined && { input: given }),
      ...(session !== undefined && { session_id: session }),
      ...(user !== undefined && { user_id: user }),
    };
  }
  if (given !== undefined) return fieldsIn(given, "`--input`");
  if (!terminal.isInteractive) return {};
  const { start } = await target.client.schema(workflow.name);
  const required = fieldsOf(start)?.some(({ isRequired }) => isRequired) ?? false;
  return required ? askForm(start) : {};
}

/** As the body of an HTTP request has it. */
function isWrapped(given: unknown): boolean {
  return typeof given === "object" && given !== null && Object.keys(given).join() === "input";
}

type Fields = Record<string, unknown>;
