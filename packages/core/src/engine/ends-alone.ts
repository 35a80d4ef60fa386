import type { Routing } from "./routing.js";
import type { WorkItem } from "./state.js";

/**
 * Whether something can end this work while its run goes on: a fan-out around it that is called off, or one element of it. A tick
 * of its attempt may then be refused, and those of other items that were made after it are not.
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
