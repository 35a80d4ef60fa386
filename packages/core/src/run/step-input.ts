/** The first argument of a step, made from its work item. */
import { storedFailure } from "../engine/reduce/engine-events.js";
import type { Failure, WorkItem } from "../engine/state.js";
import { reviveError } from "../errors/error-record.js";

export function stepInput({ input }: WorkItem): unknown {
  switch (input.kind) {
    case "event":
      return input.event;
    case "batch":
      return input.members;
    case "settled":
      return input.members.map((member) =>
        member.status === "failed" ? { ...member, failure: toStepFailure(member.failure) } : member,
      );
    case "set":
      return input.slots;
  }
}

function toStepFailure(failure: Failure) {
  return { ...storedFailure(failure), error: reviveError(failure.error) };
}
