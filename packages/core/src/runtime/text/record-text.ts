/** Values of records, as stores keep them. */

import { invalidOption } from "../../errors/invalid-option.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import { decodeValue } from "../../host.js";
import { encodeValue } from "../../value/codec.js";
import { isThenable } from "../../value/kind.js";
import type { RecordEdit, RecordValue } from "../api/runtime-records.types.js";
import type { RecordKey, StoredRecord } from "../store/run-store.types.js";
import { parseJson } from "./journal-text.js";

/** From the value of a record to the next one; `undefined` is no record. Pure. */
export type RecordChange = (current: unknown) => unknown;

/** Null: the edit deletes it. @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
export function recordText(edit: RecordEdit): string | null {
  return edit.delete === true ? null : JSON.stringify(encodeValue(edit.value, nameOf(edit)));
}

export function recordValue(key: Pick<RecordKey, "kind" | "id">, { version, text }: StoredRecord): RecordValue {
  return { version, value: recordContent(key, text) };
}

/** A new copy of the value; `undefined` for no record. */
export function recordContent(key: Pick<RecordKey, "kind" | "id">, text: string | null): unknown {
  return text === null ? undefined : decodeValue(parseJson(text, nameOf(key)), nameOf(key));
}

/**
 * The value that a change makes, and its text; `null` deletes the record.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an async function, `VALUE_UNSERIALIZABLE`; what the function throws.
 */
export function updatedBy(
  key: RecordKey,
  change: RecordChange,
  current: unknown,
): { readonly value: unknown; readonly text: string | null } {
  const value = change(current);
  if (isThenable(value)) throw asyncChange(key, value);
  return { value, text: value === undefined ? null : JSON.stringify(encodeValue(value, nameOf(key))) };
}

/** The text after all changes, each made with the result of the one before. */
export function updatedText(
  key: RecordKey,
  stored: StoredRecord | null,
  changes: readonly RecordChange[],
): string | null {
  return changes.reduce((text, change) => updatedBy(key, change, recordContent(key, text)).text, stored?.text ?? null);
}

/** The key of a record as one text. */
export function recordName({ tenant, kind, id }: RecordKey): string {
  return JSON.stringify([tenant, kind, id]);
}

export function nameOf({ kind, id }: Pick<RecordKey, "kind" | "id">): string {
  return `record "${id}" of kind "${kind}"`;
}

function asyncChange(key: RecordKey, given: PromiseLike<unknown>): WorkflowError {
  given.then(null, () => {}); // not awaited; its failure adds nothing to this error
  return invalidOption(
    `The update of ${nameOf(key)} returned a promise.`,
    "Pass a synchronous function: await what it needs before, and drop its `async`.",
    { option: "change" },
  );
}

export function recordConflict(
  keys: readonly Pick<RecordKey, "kind" | "id">[],
  why: string,
  hint: string,
): WorkflowError {
  return new WorkflowError({
    code: "RECORD_CONFLICT",
    message: `${keys.map((key) => nameOf(key)).join(", ")}: ${why}.`,
    hint,
    details: { records: keys.map(({ kind, id }) => ({ kind, id })) },
  });
}
