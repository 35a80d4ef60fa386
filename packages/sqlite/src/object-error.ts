import type { WorkflowError } from "millrace";
import { type Plain, toStoreError } from "./store-error.js";

const plainByName: ReadonlyMap<string, Plain> = new Map([
  [
    "FULL",
    {
      code: "STORE_FULL",
      message: "the object has no room left. Nothing of this write was stored.",
      hint: "Delete runs that have ended, or spread the runs over more objects.",
    },
  ],
  [
    "TOOBIG",
    {
      code: "STORE_FAILED",
      message: "a text is larger than the storage of an object takes, which is 2 MB. Nothing of this write was stored.",
      hint: "Keep large values elsewhere, such as in R2, and only their keys in the run.",
    },
  ],
]);

/** {@link toStoreError}, of a Durable Object: its errors say the name of the result in their message, and nowhere else. */
export function toObjectError(error: unknown, path: string): WorkflowError {
  const [, name = ""] = /: SQLITE_([A-Z]+)\b/.exec(error instanceof Error ? error.message : "") ?? [];
  const plain = plainByName.get(name);
  return plain === undefined ? toStoreError(error, path) : toStoreError(error, path, plain);
}
