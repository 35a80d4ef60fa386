import type { AskedOfModel } from "../settings/loop-options.types.js";

/** The fields in which a request differs from the one before. */
export function changedFields(before: AskedOfModel, now: AskedOfModel): AskedOfModel {
  const known = before as Record<string, unknown>;
  const changed = Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(known[key]));
  return Object.fromEntries(changed);
}
