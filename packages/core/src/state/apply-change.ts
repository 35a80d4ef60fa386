import { invariant } from "../errors/invariant.js";
import { freezeContainer, freezeState } from "../value/freeze.js";
import { isForbiddenKey } from "../value/kind.js";
import { type Container, copyOf } from "./draft-node.js";
import type { StateChange, StatePatch } from "./patch.types.js";

/** The state after a change, deeply frozen. Parts that did not change are shared. */
export function applyChange(state: unknown, change: StateChange): unknown {
  if ("whole" in change) return freezeState(change.next);
  return "next" in change ? change.next : applyPatches(state, change.patches);
}

/** As {@link applyChange}, from the patches alone. */
export function applyPatches(state: unknown, patches: readonly StatePatch[]): unknown {
  const fresh = new Set<object>();
  let root = state;
  for (const patch of patches) {
    let parent = own(root, fresh);
    root = parent;
    for (const step of patch.path.slice(0, -1)) {
      const child = own(parent instanceof Map ? parent.get(step) : (parent as Record<string, unknown>)[step], fresh);
      put(parent, step, child);
      parent = child;
    }
    apply(parent, patch);
  }
  for (const container of fresh) freezeContainer(container);
  return root;
}

/** A copy to write into: one per container, however many patches lead through it. */
function own(container: unknown, fresh: Set<object>): object {
  invariant(typeof container === "object" && container !== null, "a patch leads through a value without fields");
  if (fresh.has(container)) return container;
  const copy = copyOf(container as Container);
  fresh.add(copy);
  return copy;
}

function put(parent: unknown, step: string | number, value: unknown): void {
  if (parent instanceof Map) parent.set(step, value);
  else {
    invariant(!isForbiddenKey(String(step)), `a patch leads to "${step}"`);
    (parent as Record<string, unknown>)[step] = value;
  }
}

function apply(parent: object, { op, path, value }: StatePatch): void {
  const step = path.at(-1) as string | number;
  freezeState(value);
  if (parent instanceof Set) op === "remove" ? parent.delete(value) : parent.add(value);
  else if (Array.isArray(parent) && op !== "replace")
    op === "add" ? parent.splice(step as number, 0, value) : parent.splice(step as number, 1);
  else if (op !== "remove") put(parent, step, value);
  else if (parent instanceof Map) parent.delete(step);
  else delete (parent as Record<string, unknown>)[step];
}
