import type { CompiledWorkflow } from "../compile/compile.js";
import type { EventData, WorkItem } from "../engine/state.js";
import type { WorkflowEvent } from "../event/event.js";
import { roleOf } from "../event/facts.js";

/** Returns whether the step accepts the input of the item. Its code may have changed since. */
export function takesInput({ steps }: CompiledWorkflow, { step, input }: WorkItem): boolean {
  const trigger = steps.get(step)?.definition.trigger;
  const takes = (events: readonly EventData[], accepts: readonly string[]): boolean =>
    events.every((event) => accepts.includes(event.type));
  switch (trigger?.kind) {
    case "event":
      return input.kind === "event" && takes([input.event], trigger.accepts);
    case "collect": {
      if (trigger.settle)
        return (
          input.kind === "settled" &&
          takes(
            input.members.flatMap((member) => (member.status === "ok" ? [member.event] : [])),
            trigger.accepts,
          )
        );
      return input.kind === "batch" && takes(input.members, trigger.accepts);
    }
    case "join":
      return (
        input.kind === "set" &&
        trigger.slots.every(
          ({ name, accepts }) => Object.hasOwn(input.slots, name) && takes([input.slots[name] as EventData], accepts),
        )
      );
    case "failure":
      return input.kind === "event" && roleOf(input.event as WorkflowEvent) === "stepFailed";
    default:
      return false;
  }
}
