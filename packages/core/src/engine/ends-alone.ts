import type { Routing } from "./routing.js";
import type { WorkItem } from "./state.js";

/**
 * Tells whether this work may be ended while its run goes on: by the cancellation of an enclosing fan-out, or of one
 * element of it. A tick of its attempt may then be refused, while later ticks of other items are not.
 */
export function canEndAlone({ steps }: Routing, { fan, scope }: WorkItem): boolean {
  for (let around = fan ?? scope; around !== null; around = around.parent) {
    for (const name of around.collects) {
      const trigger = steps.get(name)?.trigger;
      if (trigger?.kind === "collect" && (trigger.settle || trigger.rest === "cancel")) return true;
    }
  }
  return false;
}
