/**
 * The children of a workflow. Each class has one instance, created when it is first needed.
 *
 * @module
 */

import type { Workflow } from "../authoring/workflow.types.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { WorkflowEvent } from "../event/event.js";
import { formatValue } from "../value/format-value.js";
import { type CompiledWorkflow, compileWorkflow } from "./compile.js";
import { resolveStart } from "./start-event.js";

/**
 * Compiles a child.
 *
 * @param where Subject of the error message when there is no such child.
 * @throws {WorkflowError} `CHILD_UNKNOWN`
 */
export function compiledChild(parent: CompiledWorkflow, name: string, where: string): CompiledWorkflow {
  return compileWorkflow(childWorkflow(parent, name, where));
}

const instances = new WeakMap<object, Workflow>();

function childWorkflow(parent: CompiledWorkflow, name: string, where: string): Workflow {
  const source = parent.children.get(name);
  if (source === undefined) throw unknownChild(parent, `${where} is the child "${name}"`, { child: name });
  if (typeof source !== "function") return source;
  let instance = instances.get(source);
  if (!instance) instances.set(source, (instance = new source()));
  return instance;
}

function unknownChild({ children, name: workflow }: CompiledWorkflow, what: string, details: object): WorkflowError {
  const known = [...children.keys()].join(", ") || "it has none";
  return new WorkflowError({
    code: "CHILD_UNKNOWN",
    message: `${what}, which is not among the children of "${workflow}": ${known}.`,
    hint: "List it: `static children = { digest: Digest }`.",
    details: { workflow, ...details },
  });
}

/** The step that starts a child. */
interface ChildCaller {
  readonly compiled: CompiledWorkflow;
  readonly step: string;
}

/** Finds the name and the start event of the child that a step runs. */
export function childStart(
  { compiled, step }: ChildCaller,
  child: unknown,
  { input, sharesStore }: { readonly input: unknown; readonly sharesStore: boolean },
): { readonly name: string; readonly start: WorkflowEvent } {
  const { children } = compiled;
  const names = [...children.keys()];
  const name = typeof child === "string" ? child : names.find((known) => children.get(known) === child);
  if (name === undefined || !children.has(name)) {
    const asked = (child as { readonly name?: string } | null)?.name ?? formatValue(child);
    throw unknownChild(compiled, `Step "${step}" starts the child ${asked}`, { children: names });
  }
  const flow = compiledChild(compiled, name, "It");
  if (sharesStore) assertShareable(compiled, flow, name);
  return { name, start: resolveStart(flow, input) };
}

/**
 * Checks that a child can use the state of its parent, which has the schema, types and version of the parent.
 *
 * @param name Name of the child, among the children of the parent.
 * @throws {WorkflowError} `STORE_NOT_SHAREABLE`
 */
export function assertShareable(parent: CompiledWorkflow, child: CompiledWorkflow, name: string): void {
  const problems: string[] = [];
  if (child.state !== null && (parent.state === null || !child.state.equals(parent.state)))
    problems.push("it has its own state schema");
  const unknown = parent.types.filter((type) => !child.types.includes(type)).map((type) => type.name);
  if (unknown.length > 0) problems.push(`it does not register the types ${unknown.join(", ")}`);
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "STORE_NOT_SHAREABLE",
    message: `The child "${name}" cannot share the store of "${parent.name}": ${problems.join("; ")}.`,
    hint: "Leave its state schema out or let both extend one base class, and add the `types` of the parent to it.",
    details: { workflow: parent.name, child: name, problems },
  });
}
