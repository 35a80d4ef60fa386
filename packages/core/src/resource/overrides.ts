import type { ResourceOverride } from "./resource.types.js";

/** The one check of `resources`, for runs and for runtimes. */
export function areOverrides(given: unknown): given is readonly ResourceOverride[] {
  return Array.isArray(given) && given.every((one) => one?.resource?.override);
}
