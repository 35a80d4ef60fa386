/** What schemas of events and of states answer. */
import { WorkflowError } from "../errors/workflow-error.js";
import type { SchemaIssue, SchemaResult, StandardSchema } from "./standard-schema.js";

export function isSchema(value: unknown): value is StandardSchema {
  return typeof (value as StandardSchema | null | undefined)?.["~standard"]?.validate === "function";
}

/** @throws {WorkflowError} `SCHEMA_ASYNC` */
export function refusePromise(answer: Promise<SchemaResult<unknown>>, subject: string, details = {}): never {
  answer.then(null, () => {}); // not awaited; its failure says no more than this error
  throw new WorkflowError({
    code: "SCHEMA_ASYNC",
    message: `${subject} answered with a promise.`,
    hint: "Use checks that are synchronous and do not throw; await other things in a step.",
    details,
  });
}

/**
 * Issues as plain records, with their paths below `above`.
 *
 * Reads each property, because an issue may be frozen, or an instance with getters that a spread drops, as in ArkType.
 */
export function issuesAt(issues: readonly SchemaIssue[], above: readonly PropertyKey[] = []): SchemaIssue[] {
  return Array.from(issues, ({ message, path }) => ({ message, path: [...above, ...(path ?? [])] }));
}

/** The issues with their paths as text, and all of them in one line. */
export function describeIssues(issues: readonly SchemaIssue[]): {
  readonly lines: readonly { readonly path: string; readonly message: string }[];
  readonly text: string;
} {
  const lines = issues.map(({ path = [], message }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    message,
  }));
  return { lines, text: lines.map(({ path, message }) => (path && `${path}: `) + message).join("; ") };
}
