/** What a tick changed in the state of a pipeline, as its author knows it: fields of the session, and outputs of steps by their names. */
import type { ChangedValue } from "@millrace/client";
import { jsonOf } from "../api/plain-json.js";
import { isRecord } from "../ui/format.js";
import { contentOfStep } from "./pipeline-input.js";

export function pipelineChanges(changes: readonly ChangedValue[]): readonly ChangedValue[] {
  return changes.flatMap((change): readonly ChangedValue[] => {
    const [field] = change.path;
    if (field === "session") return [change];
    // A nested pipeline keeps its state in that of the outermost, under the id of its run.
    if (field === "nested") return pipelineChanges([{ ...change, path: change.path.slice(2) }]);
    return field === "frames" ? outputsIn(change.new) : [];
  });
}

/** Outputs of steps in a changed part of a group: the output itself, a list of them, or the whole group. */
function outputsIn(value: unknown): readonly ChangedValue[] {
  if (Array.isArray(value)) return value.flatMap(outputsIn);
  if (!isRecord(value)) return [];
  const output = contentOfStep(value);
  if (output !== null) return [{ path: ["outputs", output.name], new: jsonOf(output.content) }];
  return outputsIn(value["outputs"]);
}
