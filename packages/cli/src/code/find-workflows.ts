/**
 * The workflows of a file: what it exports as an instance or a class of `Workflow`, as a pipeline, or as an object of
 * these by their durable names.
 *
 * @module
 */
import type { Workflow } from "millrace";
import type { ModuleExports } from "./load-module.js";
import { isOfMillrace } from "./user-millrace.js";

export interface FoundWorkflow {
  /** The key of the object that exports it; `null` if the workflow names itself. */
  readonly key: string | null;
  /** How the file exports it. */
  readonly exportName: string;
  readonly workflow: Workflow;
  readonly isPipeline: boolean;
  /** How code gets the workflow from the export: `new $()`, `$["refund"].workflow`. */
  readonly expression: string;
}

export function findWorkflows(exported: ModuleExports): FoundWorkflow[] {
  const found = new Map<unknown, FoundWorkflow>();
  for (const [exportName, value] of Object.entries(exported)) {
    for (const { source, ...one } of workflowsIn(exportName, value)) {
      const known = found.get(source);
      // The key in an object is the durable name; `default` is no name.
      if (known === undefined || one.key !== null || known.exportName === "default") found.set(source, one);
    }
  }
  return [...found.values()];
}

interface Candidate extends FoundWorkflow {
  /** What was exported. */
  readonly source: unknown;
}

function* workflowsIn(exportName: string, value: unknown): Generator<Candidate> {
  const one = workflowOf(exportName, value);
  if (one !== null) yield one;
  else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const of = workflowOf(exportName, member);
      const access = `$[${JSON.stringify(key)}]`;
      if (of !== null) yield { ...of, key, expression: of.expression.replace("$", () => access) };
    }
  }
}

function workflowOf(exportName: string, source: unknown): Candidate | null {
  const shared = { key: null, exportName, source };
  if (isPipeline(source)) {
    const { id: key, workflow } = source; // a file may export both
    return { key, exportName, source: workflow, workflow, isPipeline: true, expression: "$.workflow" };
  }
  if (isWorkflow(source)) return { ...shared, workflow: source, isPipeline: false, expression: "$" };
  if (!isWorkflowClass(source)) return null;
  return { ...shared, workflow: new source(), isPipeline: false, expression: "new $()" };
}

interface PipelineLike {
  readonly id: string;
  readonly workflow: Workflow;
}

function isPipeline(value: unknown): value is PipelineLike {
  const { isPipeline: says, workflow } = (value ?? {}) as {
    readonly isPipeline?: unknown;
    readonly workflow?: unknown;
  };
  return says === true && isWorkflow(workflow);
}

function isWorkflow(value: unknown): value is Workflow {
  return isOfMillrace(value) && typeof (value as Partial<Workflow>).run === "function" && "on" in value;
}

/** The name of an exported `defineWorkflow(…)` that lacks its `.build()`. */
export function unbuiltName(exported: ModuleExports): string | null {
  const isBuilder = (value: unknown): boolean =>
    isPlainObject(value) && ["step", "catchError", "build"].every((name) => typeof value[name] === "function");
  return Object.keys(exported).find((name) => isBuilder(exported[name])) ?? null;
}

/** Takes no arguments: one that needs some is exported as an instance. */
function isWorkflowClass(value: unknown): value is new () => Workflow {
  return (
    typeof value === "function" && isWorkflow(value.prototype) && Object.getPrototypeOf(value) !== Function.prototype
  );
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What a file exports, in words. */
export function exportsText(exported: ModuleExports): string {
  const names = Object.entries(exported).filter(([name]) => name !== "__esModule" && name !== "module.exports");
  if (names.length === 0) return "It exports nothing.";
  return `It exports ${names.map(([name, value]) => `${name} (${kindOf(value)})`).join(", ")}.`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "function") return Array.isArray(value) ? "array" : typeof value;
  return /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
}
