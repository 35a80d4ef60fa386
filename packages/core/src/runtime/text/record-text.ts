/** Values of records, as stores keep them. */
import { WorkflowError } from "../../errors/workflow-error.js";
import { decodeValue } from "../../event/decode.js";
import { encodeValue } from "../../value/codec.js";
import type { RecordEdit, RecordValue } from "../api/runtime-records.types.js";
import type { RecordKey, StoredRecord } from "../store/run-store.types.js";
import { parseJson } from "./journal-text.js";

/** Null: the edit deletes it. @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
export function recordText(edit: RecordEdit): string | null {
  return edit.delete === true ? null : JSON.stringify(encodeValue(edit.value, nameOf(edit)));
}

export function recordValue(key: Pick<RecordKey, "kind" | "id">, { version, text }: StoredRecord): RecordValue {
  const name = nameOf(key);
  return { version, value: decodeValue(parseJson(text, name), name) };
}

export function nameOf({ kind, id }: Pick<RecordKey, "kind" | "id">): string {
  return `record "${id}" of kind "${kind}"`;
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
