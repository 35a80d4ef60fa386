/**
 * The children of a workflow, each class with one instance, created when it is first needed. Also the start event of a run,
 * and a workflow as readers of runs of newer code have it.
 *
 * @module
 */

import type { Workflow } from "../authoring/workflow.types.js";
import type { ErrorCode } from "../errors/catalog.js";
import { isOfSecondCopy, ofSecondCopy, secondCopyHint, WorkflowError } from "../errors/workflow-error.js";
import { classOf, type EventClass, event, eventTypeOf, isEvent, type WorkflowEvent } from "../event/event.js";
import { EventRegistry } from "../event/event-codec.js";
import { anyValue } from "../event/schema.js";
import { formatValue } from "../value/kind.js";
import { type CompiledWorkflow, compileWorkflow } from "./compile.js";

/**
 * Compiles a child.
 *
 * @param where Subject of the error message if there is no such child. @throws {WorkflowError} `SNAPSHOT_MISMATCH` for a
 * child that a snapshot names.
 */
export function compiledChild(parent: CompiledWorkflow, name: string, where: string): CompiledWorkflow {
  const source = parent.children.get(name);
  if (source === undefined)
    throw unknownChild(parent, `${where} is the child "${name}"`, { code: "SNAPSHOT_MISMATCH", child: name });
  if (typeof source !== "function") return compileWorkflow(source);
  let instance = instances.get(source);
  if (!instance) instances.set(source, (instance = new source()));
  return compileWorkflow(instance);
}

const instances = new WeakMap<object, Workflow>();

/** The workflow and its children at any depth, each once. */
export function familyOf(root: CompiledWorkflow): ReadonlySet<CompiledWorkflow> {
  const members = new Set([root]);
  for (const member of members)
    for (const name of member.children.keys()) members.add(compiledChild(member, name, member.name));
  return members;
}

/** A value that a step passes fails with the first code, a stored one with the second. */
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

// ---- the start event of a run, from the input of `run`

/**
 * An event is used as it is; fields become a start event. Of several start events it is the one that accepts the
 * fields. A plain `StartEvent`, which accepts any fields, is used only when they fit no other.
 *
 * @throws {WorkflowError} `EVENT_INVALID` for invalid fields; `START_AMBIGUOUS` when none or more than one of several
 * start events accepts them; `EVENT_NOT_ACCEPTED` for an event that no step starts with.
 */
export function resolveStart(compiled: CompiledWorkflow, input: unknown): WorkflowEvent {
  const { startClasses } = compiled;
  if (isEvent(input)) return acceptedStart(compiled, input);
  const [only, ...others] = startClasses;
  if (only && others.length === 0) return new only(input);
  const refusals: WorkflowError[] = [];
  const fitting: WorkflowEvent[] = [];
  for (const startClass of startClasses) {
    if (eventTypeOf(startClass) === "StartEvent" && fitting.length > 0) continue;
    const made = tryMake(startClass, input);
    if (WorkflowError.is(made)) refusals.push(made);
    else fitting.push(made);
  }
  const [start, ...more] = fitting;
  if (!start) throw fitsNone(compiled, refusals);
  if (more.length > 0) throw fitsSeveral(compiled, fitting);
  return start;
}

function acceptedStart({ name, startClasses }: CompiledWorkflow, event: WorkflowEvent): WorkflowEvent {
  if (startClasses.includes(classOf(event))) return event;
  const isSecond = isOfSecondCopy(event);
  throw new WorkflowError({
    code: "EVENT_NOT_ACCEPTED",
    message: `Workflow "${name}" does not start with ${event.type}${isSecond ? ` ${ofSecondCopy}` : ""}.`,
    hint: isSecond ? secondCopyHint : `Start it with ${startClasses.map(eventTypeOf).join(" or ")}.`,
    details: { event: event.type, accepted: startClasses.map(eventTypeOf) },
  });
}

function tryMake(startClass: EventClass, input: unknown): WorkflowEvent | WorkflowError {
  try {
    return new startClass(input);
  } catch (error) {
    if (WorkflowError.is(error, "EVENT_INVALID")) return error;
    throw error;
  }
}

function fitsSeveral({ name }: CompiledWorkflow, fitting: readonly WorkflowEvent[]): WorkflowError {
  const types = fitting.map((event) => event.type);
  return new WorkflowError({
    code: "START_AMBIGUOUS",
    message: `The input fits several start events of workflow "${name}": ${types.join(", ")}.`,
    hint: `Pass an instance of the one you mean: \`new ${types[0]}(…)\`.`,
    details: { types },
  });
}

function fitsNone({ name }: CompiledWorkflow, refusals: readonly WorkflowError[]): WorkflowError {
  return new WorkflowError({
    code: "START_AMBIGUOUS",
    message: `The input fits none of the start events of workflow "${name}": ${refusals.map((error) => error.message).join(" ")}`,
    hint: "Pass the fields of one of them, or an instance of it.",
    details: { issues: refusals.map((error) => error.details) },
  });
}

// ---- a workflow as a reader of runs of newer code has it
// Events that its own code lacks, or of a newer version, are read with the fields that they have. For reading only: no run is
// continued with it.

const tolerants = new WeakMap<CompiledWorkflow, CompiledWorkflow>();

export function tolerant(compiled: CompiledWorkflow): CompiledWorkflow {
  const known = tolerants.get(compiled);
  if (known !== undefined) return known;
  const made = { ...compiled, registry: new TolerantRegistry(compiled.registry) };
  tolerants.set(compiled, made);
  return made;
}

class TolerantRegistry extends EventRegistry {
  readonly #standIns: Map<string, EventClass> = new Map();

  constructor(registry: EventRegistry) {
    super(
      registry.types().map((type) => registry.get(type) as EventClass),
      registry.valueTypes,
    );
  }

  override get(type: string): EventClass | undefined {
    // The constructor of the base asks before there is a place for stand-ins.
    return super.get(type) ?? (#standIns in this && typeof type === "string" ? this.newer(type) : undefined);
  }

  override newer(type: string): EventClass {
    const made = this.#standIns.get(type) ?? (event(type, anyValue<object>()) as unknown as EventClass);
    this.#standIns.set(type, made);
    return made;
  }
}
