import { isObject } from "@millrace/pipeline/executor";
import { WorkflowError } from "millrace";
import type { RecordKey } from "millrace/runtime";

/** Writes plain data in the form of `runtime.records`, which can then read it. */
export function recordText(value: object): string {
  return JSON.stringify({ json: value });
}

/** @throws {WorkflowError} `STORE_CORRUPT` for text in any other form. */
export function parseRecord<Value>(key: RecordKey, text: string): Value {
  const value = parsed(text);
  if (isObject(value) && isObject(value["json"])) return value["json"] as Value;
  throw new WorkflowError({
    code: "STORE_CORRUPT",
    message: `The record "${key.id}" of the kind "${key.kind}" cannot be read: it is ${text.length} characters of something else.`,
    hint: "Restore the record from a copy of the store, or delete it.",
    details: { kind: key.kind, id: key.id },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // reported as unreadable by the caller
  }
}
