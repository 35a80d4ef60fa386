/**
 * The children of a workflow. Each class has one instance, created when it is first needed.
 *
 * @module
 */

import type { Workflow } from "../authoring/workflow.types.js";
import type { ErrorCode } from "../errors/catalog.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { WorkflowEvent } from "../event/event.js";
import { formatValue } from "../value/format-value.js";
import { type CompiledWorkflow, compileWorkflow } from "./compile.js";
import { resolveStart } from "./start-event.js";

/**
 * Compiles a child.
 *
 * @param where Subject of the error message when there is no such child.
 * @throws {WorkflowError} `SNAPSHOT_MISMATCH`: what names the child is stored.
 */
export function compiledChild(parent: CompiledWorkflow, name: string, where: string): CompiledWorkflow {
  return compileWorkflow(childWorkflow(parent, name, where));
}

const instances = new WeakMap<object, Workflow>();

function childWorkflow(parent: CompiledWorkflow, name: string, where: string): Workflow {
  const source = parent.children.get(name);
  if (source === undefined)
    throw unknownChild(parent, `${where} is the child "${name}"`, { code: "SNAPSHOT_MISMATCH", child: name });
  if (typeof source !== "function") return source;
  let instance = instances.get(source);
  if (!instance) instances.set(source, (instance = new source()));
  return instance;
}

/** What a step passes has the first code, what is stored has the second. */
type Refusal = Extract<ErrorCode, "OPTION_INVALID" | "SNAPSHOT_MISMATCH">;

function unknownChild(
  { children, name: workflow }: CompiledWorkflow,
  what: string,
  { code, ...details }: { readonly code: Refusal; readonly [detail: string]: unknown },
): WorkflowError {
  const known = [...children.keys()].join(", ") || "it has none";
  return new WorkflowError({
    code,
    message: `${what}, which is not among the children of "${workflow}": ${known}.`,
    hint: "List it: `static children = { digest: Digest }`.",
    details: { reason: "child", workflow, ...details },
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
    throw unknownChild(compiled, `Step "${step}" starts the child ${asked}`, {
      code: "OPTION_INVALID",
      option: "child",
      children: names,
    });
  }
  const flow = compiledChild(compiled, name, "It");
  if (sharesStore) assertShareable({ parent: compiled, child: flow, name }, "OPTION_INVALID");
  return { name, start: resolveStart(flow, input) };
}

interface Sharing {
  readonly parent: CompiledWorkflow;
  readonly child: CompiledWorkflow;
  /** Name of the child, among the children of the parent. */
  readonly name: string;
}

/**
 * Checks that a child can use the state of its parent, which has the schema, types and version of the parent.
 *
 * @throws {WorkflowError} with `code`.
 */
export function assertShareable({ parent, child, name }: Sharing, code: Refusal): void {
  const problems: string[] = [];
  if (child.state !== null && (parent.state === null || !child.state.equals(parent.state)))
    problems.push("it has its own state schema");
  const unknown = parent.types.filter((type) => !child.types.includes(type)).map((type) => type.name);
  if (unknown.length > 0) problems.push(`it does not register the types ${unknown.join(", ")}`);
  if (problems.length === 0) return;
  throw new WorkflowError({
    code,
    message: `The child "${name}" cannot share the store of "${parent.name}": ${problems.join("; ")}.`,
    hint: "Leave its state schema out or let both extend one base class, and add the `types` of the parent to it.",
    details: { reason: "store", workflow: parent.name, child: name, problems },
  });
}
