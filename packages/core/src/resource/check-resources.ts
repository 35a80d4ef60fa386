import { invalidOption } from "../errors/invalid-option.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { Needed, ResourceDefinition, ResourceMap, ResourceOverride, ResourceScope } from "./resource.types.js";

/** Ranks scopes by lifetime: a longer life has a higher rank. */
export const rankOf: Readonly<Record<ResourceScope, number>> = { call: 0, run: 1, workflow: 2, app: 3 };

const checked = new WeakSet<ResourceDefinition>();

/**
 * Checks everything that these resources need, before any factory runs. The check reads declarations, so two steps that
 * make one resource at the same time are not a cycle.
 *
 * @throws {WorkflowError} `RESOURCE_FAILED` for a circle, or `OPTION_INVALID` when a resource needs another with a shorter life.
 */
export function checkResources(resources: ResourceMap): void {
  checkAll(Object.entries(resources) as unknown as Needed, []);
}

function checkAll(needs: Needed, path: readonly ResourceDefinition[]): void {
  const user = path.at(-1);
  for (const [, resource] of needs) {
    if (path.includes(resource)) throw cycle([...path.slice(path.indexOf(resource)), resource]);
    if (user !== undefined && rankOf[resource.scope] < rankOf[user.scope]) throw endsEarlier(user, resource);
    if (checked.has(resource)) continue;
    checkAll(resource.needs, [...path, resource]);
    checked.add(resource);
  }
}

function cycle(path: readonly ResourceDefinition[]): WorkflowError {
  const names = path.map((resource) => resource.name);
  return new WorkflowError({
    code: "RESOURCE_FAILED",
    message: `Resources depend on each other in a circle: ${names.join(" -> ")}.`,
    hint: "Remove one of these dependencies.",
    details: { reason: "cycle", path: names },
  });
}

function endsEarlier(resource: ResourceDefinition, needed: ResourceDefinition): WorkflowError {
  return invalidOption(
    `Resource "${resource.name}" (scope "${resource.scope}") needs "${needed.name}" (scope "${needed.scope}"), which ends before it.`,
    "Shorten the scope of the first, or lengthen that of the second.",
    { resource: resource.name, needs: needed.name },
  );
}

/** The one check of `resources`, for runs and for runtimes. */
export function areOverrides(given: unknown): given is readonly ResourceOverride[] {
  return Array.isArray(given) && given.every((one) => one?.resource?.override);
}
