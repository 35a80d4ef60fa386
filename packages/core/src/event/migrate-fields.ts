/**
 * Migrates stored fields of an event to the present version of its class.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { isVersion, runMigration } from "../value/version.js";
import type { EventClass } from "./event.js";
import { invalid } from "./event-class.js";
import { eventTypeOf, eventVersionOf } from "./facts.js";

export interface StoredFields {
  readonly fields: Record<string, unknown>;
  /** Version that stored the fields; untrusted. */
  readonly from: unknown;
  /** Path of the event, for errors. */
  readonly path: string;
}

/** @throws {WorkflowError} `EVENT_NEWER`; `EVENT_INVALID` when `migrate` fails. */
export function migrateFields(eventClass: EventClass, { fields, from, path }: StoredFields): object {
  const event = eventTypeOf(eventClass);
  const version = eventVersionOf(eventClass);
  if (!isVersion(from)) throw invalid(event, [{ message: `${path} has the version ${JSON.stringify(from)}` }]);
  if (from > version) {
    throw new WorkflowError({
      code: "EVENT_NEWER",
      message: `${path} is an event "${event}" of version ${from}; its class here has version ${version}.`,
      hint: "Deploy the newer class here, or load it where it was written.",
      details: { event, version: from, known: version },
    });
  }
  return runMigration(
    () => eventClass.migrate?.(fields, from) ?? fields,
    (why, cause) =>
      new WorkflowError({
        code: "EVENT_INVALID",
        message: `${path} is an event "${event}" of version ${from}, which its \`migrate\` could not bring to version ${version}: ${why}.`,
        hint: `Let \`migrate\` of "${event}" give an object with the fields of version ${version}.`,
        details: { event, version: from, known: version },
        cause,
      }),
  );
}
