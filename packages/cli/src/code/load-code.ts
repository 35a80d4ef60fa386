/** The workflows of a file or a folder, with the copy of Millrace that made them. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Workflow } from "millrace";
import { CliError } from "../output/cli-error.js";
import { shellWord } from "../output/command-text.js";
import { shownPath } from "./code-place.js";
import { fileAndName } from "./file-and-name.js";
import { exportsText, type FoundWorkflow, findWorkflows, unbuiltName } from "./find-workflows.js";
import { lineOfText } from "./line-of-finding.js";
import { loadError } from "./load-error.js";
import { existingPath, loadModule } from "./load-module.js";
import { hasMade, type Kit, openKit } from "./user-millrace.js";

export interface NamedWorkflow {
  /** The durable one. */
  readonly name: string;
  readonly exportName: string;
  readonly file: string;
  readonly workflow: Workflow;
  readonly isPipeline: boolean;
  /** How code gets the workflow from the export, which is `$`. */
  readonly expression: string;
}

export interface Code {
  readonly kit: Kit;
  readonly found: readonly NamedWorkflow[];
  /** As `createRuntime` takes them. */
  readonly workflows: Readonly<Record<string, Workflow>>;
  /** Those that were named, as in `flow.ts#Refund`. */
  readonly chosen: readonly NamedWorkflow[];
}

/** A file whose code could not be loaded. */
export interface LoadFailure {
  readonly file: string;
  readonly error: unknown;
}

/**
 * @param given A file, `file#name`, or a folder.
 * @throws {CliError} `FILE_UNKNOWN`, `WORKFLOW_MISSING`, `SYNTAX_INVALID`, `CODE_FAILED`, `PACKAGE_MISSING`
 */
export async function loadCode(cwd: string, given: string): Promise<Code> {
  const { code } = await loadEach(cwd, given, ({ error }) => {
    throw error;
  });
  return code as Code;
}

/**
 * As `loadCode`, and continues with the next file of a folder when one cannot be loaded.
 *
 * @param onFailure Called for each such file; it may throw to stop there.
 * @returns `code` is `null` if no file could be loaded.
 */
export async function loadEach(
  cwd: string,
  given: string,
  onFailure: (failure: LoadFailure) => void,
): Promise<{ readonly code: Code | null }> {
  const { file, name: wanted } = fileAndName(cwd, given);
  const { path, isFolder } = existingPath(cwd, file);
  const files = isFolder ? workflowFiles(path) : [path];
  const parts: LoadedFile[] = [];
  for (const one of files) {
    try {
      parts.push(await loadFile(one));
    } catch (error) {
      onFailure({ file: one, error });
    }
  }
  const all = parts.flatMap(({ file: of, found }) => found.map((one) => ({ ...one, file: of })));
  const [first] = all;
  if (first === undefined) {
    if (parts.length < files.length) return { code: null };
    throw noWorkflow(file, isFolder ? "No file in it exports one." : (parts[0]?.exported ?? ""));
  }
  const kit = await kitOf(first);
  const found = all.map(({ key, ...one }) => ({ ...one, name: key ?? nameOf(kit, one.workflow) }));
  assertNames(found, cwd);
  const chosen = found.filter(
    ({ name, exportName }) => wanted === undefined || wanted === name || wanted === exportName,
  );
  if (chosen.length === 0) throw noSuchWorkflow(file, String(wanted), found);
  const workflows = Object.fromEntries(found.map(({ name, workflow }) => [name, workflow]));
  return { code: { kit, found, chosen, workflows } };
}

interface LoadedFile {
  readonly file: string;
  readonly found: readonly FoundWorkflow[];
  /** What it exports, in words. */
  readonly exported: string;
}

async function loadFile(file: string): Promise<LoadedFile> {
  const exported = await loadModule(file);
  try {
    const found = findWorkflows(exported);
    const unbuilt = found.length === 0 ? unbuiltName(exported) : null;
    if (unbuilt !== null) throw notBuilt(file, unbuilt);
    return { file, found, exported: exportsText(exported) };
  } catch (error) {
    throw loadError(file, error, [file]); // a class that is exported is constructed
  }
}

/** One of the chosen ones. @throws {CliError} `WORKFLOW_AMBIGUOUS` */
export function onlyOne(code: Code, given: string): NamedWorkflow {
  const [one, ...others] = code.chosen;
  if (one !== undefined && others.length === 0) return one;
  const { file } = fileAndName(process.cwd(), given);
  const names = code.chosen.map(({ name }) => name);
  throw new CliError({
    code: "WORKFLOW_AMBIGUOUS",
    message: `${file} exports ${names.length} workflows: ${names.join(", ")}.`,
    hint: `Name one: \`${shellWord(`${file}#${names[0]}`)}\`.`,
    details: { workflows: names },
  });
}

async function kitOf({ workflow, file }: { readonly workflow: Workflow; readonly file: string }): Promise<Kit> {
  for (const form of ["import", "require"] as const) {
    const kit = await openKit(file, form);
    if (hasMade(kit, workflow)) return kit;
  }
  throw new CliError({
    code: "CODE_FAILED",
    message: `${file} has loaded a copy of millrace that is not the one of its project.`,
    hint: "Install one version in the project, and look with `npm ls millrace`.",
    details: { file },
  });
}

/** An invalid workflow has a name, too: its problems are reported when it is used. */
function nameOf({ engine, core }: Kit, workflow: Workflow): string {
  try {
    return engine.compileWorkflow(workflow).name;
  } catch (error) {
    if (core.WorkflowError.is(error, "WORKFLOW_INVALID")) return workflow.constructor.name;
    throw error;
  }
}

function assertNames(found: readonly NamedWorkflow[], cwd: string): void {
  const byName = new Map<string, NamedWorkflow>();
  for (const one of found) {
    const other = byName.get(one.name);
    byName.set(one.name, one);
    if (other === undefined || other.workflow.constructor === one.workflow.constructor) continue;
    const places = [other, one].map(({ file, exportName }) => `${relative(cwd, file)} (${exportName})`);
    throw new CliError({
      code: "WORKFLOW_AMBIGUOUS",
      message: `Two workflows have the name ${one.name}: ${places.join(" and ")}.`,
      hint: "Rename one of them: `static override readonly name`, or the option `name`.",
      details: { workflow: one.name, places },
    });
  }
}

/** Files whose text may define a workflow: loading a program that only uses workflows would run it. */
function workflowFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !/\.(d|test|spec)\.|\.config\./.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](node_modules|dist|\.[^\\/]+)[\\/]/.test(path.slice(folder.length)))
    .filter((path) => exportsWorkflow(readFileSync(path, "utf8")))
    .sort();
}

function exportsWorkflow(text: string): boolean {
  return /\bexport\b|\bexports\b/.test(text) && /\bextends Workflow\b|\bdefineWorkflow\b|\bnew Pipeline\b/.test(text);
}

function notBuilt(file: string, name: string): CliError {
  const line = lineOfText(readFileSync(file, "utf8"), new RegExp(`\\b${name}\\b`));
  const text = `${name} is a definition, and no workflow yet.`;
  return new CliError({
    code: "WORKFLOW_MISSING",
    message: `${shownPath(file)}:${line}: ${text}`,
    hint: "Call `.build()` at its end.",
    details: { file, line, text },
  });
}

function noWorkflow(file: string, exported: string): CliError {
  return new CliError({
    code: "WORKFLOW_MISSING",
    message: `${file} has no workflow. ${exported}`,
    hint: "Export a class that extends `Workflow`, the result of `defineWorkflow(…).build()`, or a `Pipeline`.",
    details: { file },
  });
}

function noSuchWorkflow(file: string, wanted: string, found: readonly NamedWorkflow[]): CliError {
  const names = found.map(({ name }) => name);
  return new CliError({
    code: "WORKFLOW_MISSING",
    message: `${file} has no workflow ${JSON.stringify(wanted)}, but ${names.join(", ")}.`,
    hint: `Name one of these: \`${shellWord(`${file}#${names[0]}`)}\`.`,
    details: { file, workflows: names },
  });
}
