/**
 * Hidden data of a workflow instance. They are not members, because names of members cannot be names of steps.
 *
 * @module
 */

import type { InputIndex } from "../authoring/input-index.types.js";
import type { Middleware } from "../authoring/middleware.types.js";
import type { Workflow } from "../authoring/workflow.types.js";
import { invalidOption } from "../errors/invalid-option.js";
import { isOfSecondCopy, ofSecondCopy, secondCopyHint } from "../errors/second-copy.js";
import type { ObjectSchema } from "../event/schema.js";
import { Inspector } from "../inspect/inspector.js";
import { checkDecorated } from "./check-steps.js";
import type { DeclaredStep } from "./declared-step.js";
import { type ResolvedWorkflowOptions, resolveOptions, type StateVersion, type WorkflowOptions } from "./options.js";
import type { RegisteredTypes } from "./registered-types.js";

/** A child: a class, whose instance is created when it is first needed, or a built workflow. */
export type ChildSource = (new () => Workflow) | Workflow;

export interface WorkflowInternals {
  readonly options: ResolvedWorkflowOptions;
  readonly inspector: Inspector;
  readonly middleware: Middleware[];
  /** Parts from `defineWorkflow`; `null` for a class. */
  readonly built: BuiltParts | null;
}

export interface BuiltParts extends RegisteredTypes, StateVersion {
  readonly steps: readonly DeclaredStep[];
  readonly state: ObjectSchema | null;
  /** What of an input finds its runs. */
  readonly index: InputIndex;
  readonly children: Readonly<Record<string, ChildSource>>;
}

/** On the class that `withState` returns: its schema. */
export const stateSchemaKey: unique symbol = Symbol.for("millrace.state") as never;

const internals = new WeakMap<object, WorkflowInternals>();

export function openInternals(workflow: object, owner: { readonly name: string }, options: WorkflowOptions): void {
  const resolved = resolveOptions(options, owner.name);
  checkDecorated(owner, resolved.name);
  internals.set(workflow, { options: resolved, inspector: new Inspector(resolved.log), middleware: [], built: null });
}

/** Makes an instance of `Workflow` itself the workflow with these parts. */
export function setBuiltParts(workflow: object, built: BuiltParts): void {
  internals.set(workflow, { ...internalsOf(workflow), built });
}

/** @throws {WorkflowError} `OPTION_INVALID` for a value that is not a workflow. */
export function internalsOf(workflow: object): WorkflowInternals {
  const known = internals.get(workflow);
  if (known) return known;
  const isSecond = isOfSecondCopy(workflow);
  throw invalidOption(
    isSecond ? `This is a workflow ${ofSecondCopy}.` : "This is not a workflow.",
    isSecond
      ? secondCopyHint
      : "Pass an instance of a class that extends `Workflow`, or the result of `defineWorkflow(…).build()`.",
  );
}
