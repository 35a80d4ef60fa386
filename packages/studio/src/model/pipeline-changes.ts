/** What a tick changed in the state of a pipeline, as its author knows it: fields of the session, and outputs of steps by their names. */
import type { ChangedValue } from "@millrace/client";
import { jsonOf } from "../api/plain-json.js";
import { isRecord } from "../ui/format.js";
import { contentOfStep } from "./pipeline-input.js";

/** @param step The one whose tick it is; `null` for none. The last step of a group stores what the others of it gave once more. */
export function pipelineChanges(changes: readonly ChangedValue[], step: string | null): readonly ChangedValue[] {
  return changes.flatMap((change): readonly ChangedValue[] => {
    const [field] = change.path;
    if (field === "session") return [change];
    // A nested pipeline keeps its state in that of the outermost, under the id of its run.
    if (field === "nested") return pipelineChanges([{ ...change, path: change.path.slice(2) }], step);
    return field === "frames" ? outputsIn(change.new, step) : [];
  });
}

/** Outputs of steps in a changed part of a group: the output itself, a list of them, or the whole group. */
function outputsIn(value: unknown, step: string | null): readonly ChangedValue[] {
  if (Array.isArray(value)) return value.flatMap((inner) => outputsIn(inner, step));
  if (!isRecord(value)) return [];
  const output = contentOfStep(value);
  if (output !== null) return [{ path: ["outputs", output.name], new: jsonOf(output.content) }];
  const ofStep = outputsIn(value["steps"], step).filter(({ path }) => path[1] === step);
  return [...outputsIn(value["outputs"], step), ...ofStep.slice(-1)];
}
