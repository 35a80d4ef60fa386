/** The settings of agents and teams of this package, which the loops of others run. */

import type { ExecutorSettings } from "./executor-settings.types.js";

const known = new WeakMap<object, ExecutorSettings>();

export function rememberSettings(executor: object, settings: ExecutorSettings): void {
  known.set(executor, settings);
}

/** `null` for an executor that users have written. */
export function settingsOf(executor: object): ExecutorSettings | null {
  return known.get(executor) ?? null;
}
